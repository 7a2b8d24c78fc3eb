"""Counts by unit -> the interval columns of `operating_points` and `recall_by_form`.

A unit is a user (a session where there is one user); the intervals and how far they hold are in
docs/intervals.md. They cover what chance in the choice of users leaves open; what the annotators
left open is in the bands. Simulated gates have none: their precision and recall were put in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.measures import NOT_AGREED
from labelling.statistics import (
    LEVEL,
    Interval,
    per_unit,
    rate_interval,
    recall_interval,
    share_interval,
    unit,
    wrong_rate_interval,
)

COLUMNS = ("write_rate", "precision", "recall", "wrong_per_1000_turns")
SIMULATED = "simulated: precision and recall were put in"


Columns = dict[str, float | str | None]
Numbers = NDArray[np.float64]
Reasons = dict[str, str]


@dataclass(frozen=True)
class Units:
    """Who is independent of whom: the kind of unit, each session's unit, all units in order."""

    kind: str
    of_session: pl.DataFrame
    names: pl.Series

    def count(self, rows: pl.DataFrame, *kept: pl.Expr) -> Numbers:
        """How many of the rows (with `session_id`) each unit has."""
        return per_unit(self.names, self.owners(rows.filter(*kept)))

    def owners(self, rows: pl.DataFrame) -> pl.Series:
        """The unit of each row, in the order of the rows."""
        owned = rows.select("session_id").join(
            self.of_session, on="session_id", how="left", maintain_order="left"
        )
        return owned["unit"]

    def places(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        """The place of each row's unit, in the order of the rows."""
        place = {name: i for i, name in enumerate(self.names)}
        return np.array([place[name] for name in self.owners(rows)], dtype=np.int64)


@dataclass(frozen=True)
class Counts:
    """What the intervals of one gate rest on: a number a unit, and an entry a weighted fact."""

    turns: Numbers
    written: Numbers
    right: Numbers
    wrong: Numbers
    facts: NDArray[np.int64]
    """The place of each fact's unit."""
    weights: Numbers
    hits: NDArray[np.bool_]
    """Whether each fact was captured."""
    pooled: bool
    """Whether all that the gate wrote was shown to the annotators."""


def units_of(sessions: pl.DataFrame) -> Units:
    """The units of sessions {session_id, user_id}."""
    kind = unit(sessions)
    owned = sessions.select("session_id", unit=f"{kind}_id")
    return Units(kind, owned, owned["unit"].unique().sort())


def columns(
    counts: Counts, kind: str, undefined: Mapping[str, str], heaviest: float
) -> tuple[Columns, Reasons]:
    """The interval columns of one gate, and the reason of each that is null.

    `undefined` are the reasons of the ratios themselves, which go before; `heaviest` is the largest
    weight that a fact of the study could have.
    """
    values: Columns = {"interval_method": method(kind)}
    reasons: Reasons = {}
    for column, found in measured(counts, heaviest).items():
        ends = {f"{column}_ci_low": found.low, f"{column}_ci_high": found.high}
        values |= ends
        if found.reason:
            reasons |= dict.fromkeys(ends, undefined.get(column, found.reason))
    return values, reasons


def simulated(runs: pl.DataFrame) -> bool:
    """Whether any run of the gate was simulated."""
    return "simulated" in runs["basis"]


def none_of_simulated() -> tuple[Columns, Reasons]:
    """What a simulated row has instead of intervals."""
    names = [f"{column}_ci_{end}" for column in COLUMNS for end in ("low", "high")]
    names.append("interval_method")
    return dict.fromkeys(names), dict.fromkeys(names, SIMULATED)


def with_form_intervals(
    forms: pl.DataFrame, sessions: pl.DataFrame, facts: pl.DataFrame, captured: pl.Series
) -> pl.DataFrame:
    """Rows of `recall_by_form` with `ci_low`, `ci_high` of captured / reference facts."""
    units = units_of(sessions)
    hit = pl.col("fact_id").is_in(captured.drop_nulls().implode())
    form = pl.col("evidence_form").fill_null(NOT_AGREED)
    found = [
        share_interval(units.count(facts, hit, form == name), units.count(facts, form == name))
        for name in forms["evidence_form"]
    ]
    return forms.with_columns(
        pl.Series("ci_low", [one.low for one in found], pl.Float64),
        pl.Series("ci_high", [one.high for one in found], pl.Float64),
    )


def method(kind: str) -> str:
    """How the intervals of a row were made."""
    return (
        f"effective counts, unit {kind}: precision by Wilson (Clopper-Pearson below 10 right or "
        "wrong), recall by certain and sampled facts, rates by Garwood (no random draws, no seed)"
    )


def counts_of(
    units: Units,
    assistant_turns: pl.DataFrame,
    records: pl.DataFrame,
    facts: pl.DataFrame,
    known: Iterable[str] = (),
    *,
    pooled: bool = True,
) -> Counts:
    """Rows of one gate, counted by unit: turns, records {status, fact_id}, facts {weight}.

    `known`: facts captured beside those of the records.
    """
    correct, wrong = (pl.col("status") == status for status in ("correct", "wrong"))
    weighted = facts.drop_nulls("weight")
    captured = [*records.filter(correct)["fact_id"].drop_nulls(), *known]
    return Counts(
        units.count(assistant_turns),
        units.count(records),
        units.count(records, correct),
        units.count(records, wrong),
        units.places(weighted),
        weighted["weight"].to_numpy(),
        weighted["fact_id"].is_in(captured).to_numpy(),
        pooled,
    )


def together(parts: Sequence[Counts]) -> Counts:
    """Counts of different rows on the same units, as one."""
    summed = {
        name: np.sum([getattr(one, name) for one in parts], axis=0)
        for name in ("turns", "written", "right", "wrong")
    }
    joined = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ("facts", "weights", "hits")
    }
    return Counts(**summed, **joined, pooled=parts[0].pooled)


def measured(counts: Counts, heaviest: float, level: float = LEVEL) -> dict[str, Interval]:
    """The interval of each of COLUMNS."""
    judged = counts.right + counts.wrong
    return {
        "write_rate": rate_interval(counts.written, counts.turns, level),
        "precision": share_interval(counts.right, judged, level),
        "recall": recall_interval(
            counts.facts,
            counts.weights,
            counts.hits,
            heaviest=heaviest,
            pooled=counts.pooled,
            level=level,
        ),
        "wrong_per_1000_turns": wrong_rate_interval(
            counts.written, judged, counts.wrong, counts.turns / 1000, level
        ),
    }
