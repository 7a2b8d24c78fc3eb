"""Choosing a threshold on some users and reporting it on others.

The loosest threshold that reaches a precision on a few users does not reach it on others (in two of
three cases with 150 candidates), so no figure of the users that chose is ever the report.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

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
    """fold?, users, threshold?, chosen_precision?, reason?, then COUNTS and REPORTED.

    A row a fold of the users, reported at the threshold that the others chose; the last row, fold
    null, is all of them together, the honest report of the procedure. A fold without a threshold
    writes nothing. Folds are by a hash of the user, so removing a person moves nobody else.
    """
    rows = list(_folds(found, at_least_precision, folds))
    if not rows:
        return pl.DataFrame(schema=_SCHEMA)
    each = pl.DataFrame(rows, schema=_HEAD | COUNTS)
    whole = each.select(
        pl.lit(None, pl.Int64).alias("fold"),
        pl.col("users").sum(),
        *(pl.lit(None, t).alias(n) for n, t in _HEAD.items() if n not in ("fold", "users")),
        *(pl.col(name).sum() for name in COUNTS),
    )
    return with_ratios(pl.concat([each, whole])).select(list(_SCHEMA))


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
_SCHEMA = _HEAD | COUNTS | dict.fromkeys(REPORTED, pl.Float64)


def _folds(found: Slice, precision: float, folds: int) -> Iterator[dict[str, Any]]:
    users = found.ground.sessions["user_id"].unique().sort()
    place = pl.Series([fold_of(user, folds) for user in users], dtype=pl.Int64)
    for fold in place.unique().sort():
        chosen = choose(
            curve(of_users(found, users.filter(place != fold))), at_least_precision=precision
        )
        held = users.filter(place == fold)
        nothing = float("inf")  # no score reaches it
        counted = counts(
            of_users(found, held), nothing if chosen.threshold is None else chosen.threshold
        )
        yield {
            "fold": fold,
            "users": held.len(),
            "threshold": chosen.threshold,
            "chosen_precision": chosen.precision,
            "reason": chosen.reason,
            **counted,
        }
