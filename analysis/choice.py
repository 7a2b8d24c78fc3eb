"""Choosing a threshold on some users and reporting it on others.

The loosest threshold that reaches a precision on a few users does not reach it on others (in two of
three cases with 150 candidates), so no figure of the users that chose is ever the report.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from analysis import intervals
from analysis.curve import curve
from analysis.points import counts
from analysis.ratios import COUNTS, with_ratios
from analysis.slices import Slice, of_users
from labelling.tables import content_id

FOLDS = 5
REPORTED = ("precision", "recall", "wrong_per_1000_turns", "write_rate")


@dataclass(frozen=True)
class Choice:
    """A threshold (inclusive) and its precision where it was chosen, or why there is none."""

    threshold: float | None
    precision: float | None
    reason: str | None = None


def choose(table: pl.DataFrame, *, at_least_precision: float = 0.9) -> Choice:
    """The loosest threshold of one gate's curve whose observed precision is high enough."""
    rows = table.drop_nulls("threshold")
    if rows.is_empty():
        return Choice(None, None, "the gate has no scores")
    enough = rows.filter(pl.col("precision") >= at_least_precision).sort("threshold")
    for row in enough.head(1).iter_rows(named=True):
        return Choice(row["threshold"], row["precision"])
    return Choice(None, None, f"no threshold reaches a precision of {at_least_precision:g}")


def cross_fitted(
    found: Slice, *, at_least_precision: float = 0.9, folds: int = FOLDS
) -> pl.DataFrame:
    """fold?, users, threshold?, chosen_precision?, reason?, COUNTS, REPORTED, intervals of those.

    A row a fold of the users, reported at the threshold that the others chose; the last row, fold
    null, is all of them together, the honest report of the procedure, with 95 % intervals. A fold
    without a threshold writes nothing; where no fold has one nothing is reported. Folds are by a
    hash of the user, so removing a person moves nobody else.
    """
    parts = list(_parts(found, at_least_precision, folds))
    if not parts:
        return pl.DataFrame(schema=_SCHEMA)
    each = pl.DataFrame([part.row for part in parts], schema=_HEAD | COUNTS)
    whole = each.select(
        pl.lit(None, pl.Int64).alias("fold"),
        pl.col("users").sum(),
        *(pl.lit(None, t).alias(n) for n, t in _HEAD.items() if n not in ("fold", "users")),
        *(pl.col(name).sum() for name in COUNTS),
    )
    every = with_ratios(pl.concat([each, whole]))
    table = pl.concat([every.head(-1), _with_ends(found, every.tail(1), parts)], how="diagonal")
    return table.select(list(_SCHEMA)) if any(map(_chose, parts)) else _nothing(table)


def fold_of(user_id: str, folds: int = FOLDS) -> int:
    """The fold of a user, from 0."""
    return int(content_id("fold", user_id), 16) % folds


_HEAD: dict[str, Any] = {
    "fold": pl.Int64,
    "users": pl.Int64,
    "threshold": pl.Float64,
    "chosen_precision": pl.Float64,
    "reason": pl.String,
}
_ENDS = [f"{name}_ci_{end}" for name in REPORTED for end in ("low", "high")]
_SCHEMA = _HEAD | COUNTS | dict.fromkeys((*REPORTED, *_ENDS), pl.Float64)


@dataclass(frozen=True)
class _Part:
    """A fold: its row, its users' slice, and the threshold it is held at."""

    row: dict[str, Any]
    held: Slice
    threshold: float


def _chose(part: _Part) -> bool:
    return part.row["threshold"] is not None


def _parts(found: Slice, precision: float, folds: int) -> Iterator[_Part]:
    users = found.ground.sessions["user_id"].unique().sort()
    place = pl.Series([fold_of(user, folds) for user in users], dtype=pl.Int64)
    for fold in place.unique().sort():
        others = users.filter(place != fold)
        chosen = (
            choose(curve(of_users(found, others)), at_least_precision=precision)
            if len(others)
            else Choice(None, None, "there are no other users to choose on")
        )
        mine = users.filter(place == fold)
        nothing = float("inf")  # no score reaches it
        at = nothing if chosen.threshold is None else chosen.threshold
        held = of_users(found, mine)
        row = {
            "fold": fold,
            "users": mine.len(),
            "threshold": chosen.threshold,
            "chosen_precision": chosen.precision,
            "reason": chosen.reason,
            **counts(held, at),
        }
        yield _Part(row, held, at)


def _with_ends(found: Slice, whole: pl.DataFrame, parts: Sequence[_Part]) -> pl.DataFrame:
    """The row of all folds with its intervals; none where the gate was simulated."""
    if intervals.simulated(found.ground.runs):
        return whole
    units = intervals.units_of(found.ground.sessions)
    counted = [
        intervals.counts_of(
            units,
            one.held.ground.turns,
            one.held.records(one.threshold),
            one.held.facts,
            one.held.again(one.threshold),
            pooled=found.ground.pooled,
        )
        for one in parts
    ]
    together = intervals.together(counted)
    ends, _ = intervals.columns(together, units.kind, {}, found.ground.part.heaviest)
    return whole.with_columns(pl.lit(ends[name], pl.Float64).alias(name) for name in _ENDS)


def _nothing(table: pl.DataFrame) -> pl.DataFrame:
    """No fold chose: there is no procedure to report, whatever the counts are."""
    why = pl.coalesce(pl.col("reason"), pl.col("reason").drop_nulls().first())
    nulls = (pl.lit(None, pl.Float64).alias(name) for name in (*REPORTED, *_ENDS))
    return table.with_columns(why, *nulls).select(list(_SCHEMA))
