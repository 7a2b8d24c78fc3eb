"""Scores every replayed gate against the reference set -> `captures`, `operating_points`, `curve`,
`recall_by_form`, `store_check`.

`captures`, `recall_by_form`, `curve` and `store_check` are of the headline; `operating_points` has
every variant. Scorings of `test` are counted: a part of the users that was looked at often is no
longer unseen.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from analysis import points as rows
from analysis import printed
from analysis.about import no_evidence
from analysis.captions import plain
from analysis.curve import curve
from analysis.intervals import units_of
from analysis.links import links
from analysis.match import Offered, doubtful, offered
from analysis.once_disputed import lines as once_disputed_lines
from analysis.once_disputed import once_disputed
from analysis.parts import Ground, Part, View, ground_of, part_of, views
from analysis.slices import Slice, slice_of
from analysis.store import store_check
from analysis.truth import ADJUDICATED
from labelling.console import Outcome, amount, warn_if_stale
from labelling.tables import (
    InputError,
    empty,
    exists,
    frame,
    read_sound,
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
LABELLED = ("candidates", "labels", "reference_facts")
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

    def once_disputed(self) -> list[dict[str, Any]]:
        """Of each gate's disputed records, what judges made of them; none without a judge."""
        views = (view for view in self.views if view.variant == ADJUDICATED)
        return [
            row for view in views for row in once_disputed([*self.slices()], [*self.slices(view)])
        ]

    def operating_points(self) -> pl.DataFrame:
        """The table: a row a variant, gate and setting."""
        found = (rows.point(one) for view in self.views for one in self.slices(view))
        return frame("operating_points", found)


@writing
def score(study: str, *, split: str = "test") -> Outcome:
    """Judge every record, write the tables, and report one part of the users."""
    tables = tables_of(study, split)
    scored = evaluated(tables, split)
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
    settled = scored.once_disputed()
    times = count_scoring(study, split)  # last: a scoring that failed showed nobody anything
    part = {"all": "all", "test": "the test", "dev": "the dev"}[split]
    return Outcome(
        f"scored gates and settings: {shown.height}; on {part} users "
        f"({scored.part.sessions['user_id'].n_unique():,}, "
        f"in {amount(scored.part.sessions.height, 'session')})",
        read={name: tables[name].height for name in ("proposals", "labels", "reference_facts")},
        wrote=wrote,
        where=str(study_folder(study)),
        text="\n".join(_text(study, shown, slices, settled, times if split != "dev" else 0)),
        then=_then(study, tables),
        details={
            "split": split,
            "warning": no_evidence(study),
            "test_scorings": times,
            "points": shown.to_dicts(),
            "decided_by": _each(rows.decided_by, slices),
            "error_kinds": _each(rows.error_kinds, slices),
            "latencies": _each(rows.latencies, slices),
            "doubtful_pairs": doubtful(scored.offers, scored.headline.truth).height,
            "in_doubt": {one.name: one.in_doubt for one in slices},
            "once_disputed": settled,
        },
    )


def tables_of(study: str, split: str) -> dict[str, pl.DataFrame]:
    """All that a scoring reads; where nobody labelled anything yet, no labels.

    Raises InputError for an unknown split, one without users, and rows that cannot be counted.
    """
    if split not in SPLITS:
        raise InputError(f"there is no split {split!r}", expected=f"one of: {', '.join(SPLITS)}")
    labelled = any(exists(study, name) for name in LABELLED)
    tables = {
        name: read_sound(study, name) if labelled or name not in LABELLED else empty(name)
        for name in UPSTREAM
    }
    _refuse_nobody(study, tables["sessions"], split)
    warn_if_stale(study, "proposals", "candidates", "labels", "reference_facts")
    return tables | {"links": links(study)}


def _then(study: str, tables: Tables) -> str:
    if tables["candidates"].is_empty():
        return f"gates pool --sample 100 --study {study}: nothing is labelled yet"
    return f"open notebooks/3_precision_recall.ipynb in JupyterLab with STUDY = {study!r}"


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
            then="use `--split all`, for choosing nothing",
        )


def _units(slices: Sequence[Slice]) -> str:
    """What the intervals take for independent; of a single user it is the sessions."""
    kinds = {units_of(one.ground.sessions).kind for one in slices}
    return " or ".join(sorted(kinds, reverse=True)) or "user"


def _text(
    study: str,
    points: pl.DataFrame,
    slices: Sequence[Slice],
    settled: Sequence[Mapping[str, Any]],
    test_scorings: int,
) -> list[str]:
    """The points with what each rests on, and how they are to be read."""
    in_doubt = {plain(one.name): one.in_doubt for one in slices}
    lines = printed.points(points.to_dicts(), in_doubt)
    lines += [
        "",
        f"In brackets 95 % intervals by {_units(slices)} (docs/intervals.md). Precision is over",
        "records that two people agreed on: usually optimistic; the label band counts disputed",
        "ones as wrong–right.",
    ]
    if settled:
        lines += ["", *once_disputed_lines(settled)]
    if any(in_doubt.values()):
        lines.append("Records in doubt count nowhere until a person decides the pair (notebook 3).")
    if test_scorings > 1:
        lines.append(
            f"The test users were scored {test_scorings} times: choose on dev (--split dev)."
        )
    return lines + printed.beware(study)


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
