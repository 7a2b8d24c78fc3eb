"""Scores every replayed gate against the reference set -> `captures`, `operating_points`, `curve`,
`recall_by_form`, `store_check`.

`captures`, `recall_by_form`, `curve` and `store_check` are of the headline; `operating_points` has
every variant. Scorings of `test` are counted: a part of the users that was looked at often is no
longer unseen.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from analysis import points as rows
from analysis.curve import curve
from analysis.links import links
from analysis.match import Offered, doubtful, offered
from analysis.parts import Ground, Part, View, ground_of, part_of, views
from analysis.slices import Slice, slice_of
from analysis.store import store_check
from labelling.console import Outcome, warn_if_stale
from labelling.tables import (
    InputError,
    empty,
    frame,
    read,
    study_folder,
    write,
    write_text,
    writing,
)

UPSTREAM = (
    "sessions",
    "turns",
    "events",
    "proposals",
    "gate_turns",
    "candidates",
    "labels",
    "reference_facts",
)
MADE_FROM = (*UPSTREAM, "links")
LAST_FROM = (*MADE_FROM, "captures", "recall_by_form", "store_check", "curve")
"""Not that operating points need them: so it shows when a scoring ended between its tables."""
OFFERED = ("proposals", "turns", "events", "candidates", "labels", "links")
SPLITS = ("test", "dev", "all")
SCORINGS = "test-scorings.json"

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Scored:
    """One part of a study, all that was offered there, and every variant's view of it."""

    part: Part
    offers: Offered
    views: tuple[View, ...]
    grounds: tuple[Ground, ...]

    @property
    def headline(self) -> View:
        return self.views[0]

    def slices(self, view: View | None = None) -> Iterator[Slice]:
        """Every gate setting in one view, the headline's if none is named."""
        return (slice_of(ground, view or self.headline) for ground in self.grounds)

    def operating_points(self) -> pl.DataFrame:
        """The table: a row a variant, gate and setting."""
        found = (rows.point(one) for view in self.views for one in self.slices(view))
        return frame("operating_points", found)


@writing
def score(study: str, *, split: str = "test") -> Outcome:
    """Judge every record, write the tables, and report one part of the users."""
    tables = tables_of(study, split)
    scored = evaluated(tables, split)
    times = count_scoring(study, split)
    points, slices = scored.operating_points(), list(scored.slices())
    captures, curves = scored.headline.judged.captures, [curve(one) for one in slices]
    forms, stores = _each(rows.forms, slices), _each(store_check, slices)
    whole = pl.concat([empty("curve"), *curves])
    wrote = {
        "captures": write(study, "captures", captures, made_from=MADE_FROM),
        "recall_by_form": write(
            study, "recall_by_form", frame("recall_by_form", forms), made_from=MADE_FROM
        ),
        "store_check": write(
            study, "store_check", frame("store_check", stores), made_from=MADE_FROM
        ),
        "curve": write(study, "curve", whole, made_from=MADE_FROM),
        "operating_points": write(study, "operating_points", points, made_from=LAST_FROM),
    }
    shown = points.filter(pl.col("variant") == scored.headline.variant)
    return Outcome(
        f"scored {shown.height} gates on the {split} users "
        f"({scored.part.sessions['user_id'].n_unique()} users, "
        f"{scored.part.sessions.height} sessions)",
        read={name: tables[name].height for name in ("proposals", "labels", "reference_facts")},
        wrote=wrote,
        where=str(study_folder(study)),
        text=summary(shown, times if split == "test" else 0),
        then=f"open notebooks/2_replay_gates.ipynb in JupyterLab with STUDY = {study!r}",
        details={
            "split": split,
            "test_scorings": times,
            "points": shown.to_dicts(),
            "decided_by": _each(rows.decided_by, slices),
            "error_kinds": _each(rows.error_kinds, slices),
            "latencies": _each(rows.latencies, slices),
            "doubtful_pairs": doubtful(scored.offers, scored.headline.truth).height,
        },
    )


def tables_of(study: str, split: str) -> dict[str, pl.DataFrame]:
    """All that a scoring reads. Raises InputError for an unknown split or one without users."""
    if split not in SPLITS:
        raise InputError(f"there is no split {split!r}", expected=f"one of: {', '.join(SPLITS)}")
    tables = {name: read(study, name) for name in UPSTREAM} | {"links": links(study)}
    _refuse_nobody(study, tables["sessions"], split)
    warn_if_stale(study, "proposals", "candidates", "labels", "reference_facts")
    return tables


def evaluated(tables: Tables, split: str) -> Scored:
    """One part of a study, judged under every variant."""
    part = part_of(tables, split)
    offers = offered(**{name: tables[name] for name in OFFERED})
    grounds = tuple(ground_of(part, *gate) for gate in part.gates)
    return Scored(part, offers, tuple(views(tables, offers)), grounds)


def _refuse_nobody(study: str, sessions: pl.DataFrame, split: str) -> None:
    if split != "all" and split not in set(sessions["split"]):
        raise InputError(
            f"study {study!r} has no {split} users",
            expected="some: a user is test or dev by a hash of the user's id",
            then=f"run `gates score --split all --study {study}`",
        )


def summary(points: pl.DataFrame, test_scorings: int) -> str:
    """The points as a plain table with what each rests on."""
    wide = max(map(len, ["gate", *points["gate"]]))
    lines = ["", f"{'gate':<{wide}}{'records':>9}{'judged':>8}{'precision':>11}{'label band':>14}"]
    lines[1] += f"{'recall':>8}{'facts':>9}{'write rate':>12}{'wrong/1000':>12}{'failures':>10}"
    for row in points.iter_rows(named=True):
        facts = f"{row['captured_facts']}/{row['reference_facts']}"
        lines.append(
            f"{row['gate']:<{wide}}{row['records']:>9}"
            f"{row['correct_records'] + row['wrong_records']:>8}{_shown(row['precision']):>11}"
            f"{_band(row):>14}{_shown(row['recall']):>8}{facts:>9}"
            f"{_shown(row['write_rate'], 3):>12}{_shown(row['wrong_per_1000_turns'], 1):>12}"
            f"{row['failures']:>10}"
        )
    lines.append("")
    lines.append(
        "Precision is over records that two people agreed on: usually optimistic; the label"
    )
    lines.append("band counts disputed records as wrong ... right. Intervals: docs/intervals.md.")
    if test_scorings > 1:
        lines.append(
            f"The test users were scored {test_scorings} times: choose on dev (--split dev)."
        )
    return "\n".join(lines)


def _each(make: Any, slices: list[Slice]) -> list[dict[str, Any]]:
    return [row for one in slices for row in make(one)]


def count_scoring(study: str, split: str) -> int:
    """How often the test users were scored, this time included."""
    path = study_folder(study) / SCORINGS
    try:
        before = int(json.loads(path.read_text(encoding="utf-8"))["test"]) if path.exists() else 0
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path} is damaged",
            expected='a line such as {"test": 3}',
            then="write how often the test users were scored into it, or move it away",
        ) from error
    now = before + (split in ("test", "all"))
    write_text(path, json.dumps({"test": now}) + "\n")
    return now


def _shown(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _band(row: Mapping[str, Any]) -> str:
    return f"{_shown(row['precision_label_low'])}…{_shown(row['precision_label_high'])}"
