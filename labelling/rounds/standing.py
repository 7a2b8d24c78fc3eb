"""How a labelling study stands at one moment, out of Argilla or out of its tables.

`items` has a row a record that people were asked about: task, round, candidate_id (of a whole
reading the session). `labels` are the answers as `gates pull` would write them. Records that are
shown again are no items of their own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl

from labelling.rounds.held import CANDIDATES, TASK_OF, Found
from labelling.rounds.rows import label_rows
from labelling.tables import exists, frame, read
from labelling.tables.decisions import WHOLE_READING

ARGILLA, TABLES = "Argilla", "the tables"
_TASKS = {WHOLE_READING: "transcripts", **TASK_OF}
"""Question -> its task; all others are of task `candidates`."""
ITEM = {"task": pl.String(), "round": pl.Int32(), "candidate_id": pl.String()}


@dataclass(frozen=True)
class Standing:
    """`names` tells who is behind a pseudonym, for whoever leads the team; `at` is in UTC."""

    at: datetime
    source: str
    items: pl.DataFrame
    labels: pl.DataFrame
    candidates: pl.DataFrame
    sessions: pl.DataFrame | None = None
    names: dict[str, str] = field(default_factory=dict)

    @property
    def answers(self) -> pl.DataFrame:
        """task, round, candidate_id, annotator, occasion, pilot, status, at, seconds: one a row."""
        key = ["task", "round", "candidate_id", "annotator", "occasion", "pilot", "status"]
        task = pl.col("question").replace_strict(_TASKS, default=CANDIDATES)
        people = self.labels.filter(~pl.col("annotator").str.starts_with("source:"))
        return (
            people.with_columns(task=task)
            .group_by(key)
            .agg(at=pl.col("submitted_at").max(), seconds=pl.col("seconds").max())
            .sort(key)
        )


def in_argilla(study: str, found: Found) -> Standing:
    """What Argilla holds now."""
    return Standing(
        datetime.now(UTC),
        ARGILLA,
        pl.DataFrame(list(_items(found)), schema=ITEM),
        frame("labels", label_rows(found)),
        read(study, "candidates"),
        _sessions(study),
        found.names,
    )


def in_tables(study: str) -> Standing:
    """What the study's tables hold: answers as they were pulled last, or came with the study."""
    candidates = read(study, "candidates")
    labels = read(study, "labels") if exists(study, "labels") else frame("labels", [])
    standing = Standing(
        datetime.now(UTC), TABLES, _known(candidates), labels, candidates, _sessions(study)
    )
    asked = standing.answers.filter(pl.col("task") != CANDIDATES, pl.col("occasion") == 0)
    items = pl.concat([standing.items, asked.select(list(ITEM))]).unique(maintain_order=True)
    return Standing(standing.at, TABLES, items, labels, candidates, standing.sessions)


def _items(found: Found) -> Iterator[dict[str, Any]]:
    for held in found.held:
        for one in sorted(held.labelled.candidate_ids):
            yield {"task": held.task, "round": held.round, "candidate_id": one}


def _known(candidates: pl.DataFrame) -> pl.DataFrame:
    return candidates.select(task=pl.lit(CANDIDATES), round="round", candidate_id="candidate_id")


def _sessions(study: str) -> pl.DataFrame | None:
    return read(study, "sessions") if exists(study, "sessions") else None
