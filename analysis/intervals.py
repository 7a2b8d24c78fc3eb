"""Counts by unit -> the interval columns of `operating_points` and `recall_by_form`.

A unit is a user (a session where there is one user); the intervals and how far they hold are in
docs/intervals.md. They cover what chance in the choice of users leaves open; what the annotators
left open is in the bands. Simulated gates have none: their precision and recall were put in.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.measures import NOT_AGREED
from labelling.statistics import (
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
Reasons = dict[str, str]


@dataclass(frozen=True)
class Units:
    """Who is independent of whom: the kind of unit, each session's unit, all units in order."""

    kind: str
    of_session: pl.DataFrame
    names: pl.Series

    def count(self, rows: pl.DataFrame, *kept: pl.Expr) -> NDArray[np.float64]:
        """How many of the rows (with `session_id`) each unit has."""
        return per_unit(self.names, self.owners(rows.filter(*kept)))

    def owners(self, rows: pl.DataFrame) -> pl.Series:
        """The unit of each row, in the order of the rows."""
        owned = rows.select("session_id").join(
            self.of_session, on="session_id", how="left", maintain_order="left"
        )
        return owned["unit"]


def units_of(sessions: pl.DataFrame) -> Units:
    """The units of sessions {session_id, user_id}."""
    kind = unit(sessions)
    owned = sessions.select("session_id", unit=f"{kind}_id")
    return Units(kind, owned, owned["unit"].unique().sort())


def columns(
    sessions: pl.DataFrame,
    assistant_turns: pl.DataFrame,
    records: pl.DataFrame,
    facts: pl.DataFrame,
    undefined: Mapping[str, str],
    heaviest: float,
) -> tuple[Columns, Reasons]:
    """The interval columns of one gate, and the reason of each that is null.

    Counted are the assistant turns, records {session_id, status, fact_id} and facts {session_id,
    fact_id, weight} of the sessions; `undefined` are the reasons of the ratios themselves, which
    go before; `heaviest` is the largest weight that a fact of the study could have.
    """
    units = units_of(sessions)
    values: Columns = {"interval_method": method(units.kind)}
    reasons: Reasons = {}
    for column, found in _intervals(units, assistant_turns, records, facts, heaviest).items():
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


def _intervals(
    units: Units,
    assistant_turns: pl.DataFrame,
    records: pl.DataFrame,
    facts: pl.DataFrame,
    heaviest: float,
) -> dict[str, Interval]:
    correct, wrong = (pl.col("status") == status for status in ("correct", "wrong"))
    turns, written = units.count(assistant_turns), units.count(records)
    n_right, n_wrong = units.count(records, correct), units.count(records, wrong)
    weighted, captured = facts.drop_nulls("weight"), records.filter(correct)["fact_id"]
    thousands = turns / 1000
    return {
        "write_rate": rate_interval(written, turns),
        "precision": share_interval(n_right, n_right + n_wrong),
        "recall": _recall(units, weighted, captured, heaviest),
        "wrong_per_1000_turns": wrong_rate_interval(written, n_right + n_wrong, n_wrong, thousands),
    }


def _recall(units: Units, facts: pl.DataFrame, captured: pl.Series, heaviest: float) -> Interval:
    place = {name: i for i, name in enumerate(units.names)}
    return recall_interval(
        np.array([place[name] for name in units.owners(facts)], dtype=np.int64),
        facts["weight"].to_numpy(),
        facts["fact_id"].is_in(captured.drop_nulls().implode()).to_numpy(),
        heaviest=heaviest,
    )
