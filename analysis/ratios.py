"""Counts -> ratios, for any number of rows at once: each ratio is written down here alone.

A row is a gate at a threshold. Counts come first, one guarded division last, and what is undefined
is null with its reason. Shares are 0-1; rates are per assistant turn. Definitions: DESIGN section
5; chapter 3.
"""

from typing import NamedTuple

import polars as pl

NO_RECORDS = "no records"
NO_JUDGED = "no judged records"
NO_TURNS = "no assistant turns"
NO_FACTS = "no reference facts"
NO_WEIGHT = "no reference fact has a weight"
STATUSES = ("correct", "wrong", "disputed", "unjudged")

COUNTS = {
    "assistant_turns": pl.Int64,
    "records": pl.Int64,
    "correct_records": pl.Int64,
    "wrong_records": pl.Int64,
    "disputed_records": pl.Int64,
    "unjudged_records": pl.Int64,
    "reference_facts": pl.Int64,
    "captured_facts": pl.Int64,
    "reference_weight": pl.Float64,
    "captured_weight": pl.Float64,
    "disputed_captured_weight": pl.Float64,
    "disputed_missed_weight": pl.Float64,
    "wrong_claims": pl.Int64,
    "writing_turns": pl.Int64,
}
"""What is counted of a gate before anything is divided; `writing_turns` may be null."""


def with_ratios(counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of COUNTS with every ratio, and `reasons`: list of {column, reason} of those null."""
    ratios = {name: guarded(one.above, one.below) for name, one in RATIOS.items()}
    table = counts.with_columns(**ratios)
    reasons = [
        pl.when(pl.col(name).is_null()).then(pl.struct(column=pl.lit(name), reason=one.reason))
        for name, one in RATIOS.items()
    ]
    return table.with_columns(reasons=pl.concat_list(reasons).list.drop_nulls())


def guarded(above: pl.Expr, below: pl.Expr) -> pl.Expr:
    """`ratio()` for columns: null where the denominator is 0."""
    return pl.when(below != 0).then(above / below)


class Ratio(NamedTuple):
    """A ratio of counts, and why it is null where it is."""

    above: pl.Expr
    below: pl.Expr
    reason: pl.Expr


def _of(above: pl.Expr, below: pl.Expr, reason: str | pl.Expr) -> Ratio:
    return Ratio(above, below, pl.lit(reason) if isinstance(reason, str) else reason)


def _ratios() -> dict[str, Ratio]:
    n, right, wrong, split = map(pl.col, ("records", *(f"{s}_records" for s in STATUSES[:3])))
    open_, turns = pl.col("unjudged_records"), pl.col("assistant_turns")
    facts, found = pl.col("reference_facts"), pl.col("captured_facts")
    weight, got = pl.col("reference_weight"), pl.col("captured_weight")
    doubt_got, doubt_missed = pl.col("disputed_captured_weight"), pl.col("disputed_missed_weight")
    judged, banded = right + wrong, right + wrong + split
    some = n > 0
    no_judged = pl.when(some).then(pl.lit(NO_JUDGED)).otherwise(pl.lit(NO_RECORDS))
    no_weight = pl.when(facts > 0).then(pl.lit(NO_WEIGHT)).otherwise(pl.lit(NO_FACTS))
    no_band, no_recall = (
        "no judged or disputed records",
        "no fact or disputed candidate has a weight",
    )
    unknown = pl.when(turns > 0).then(pl.lit("the records' turns are not known"))
    # a gate that writes nothing writes nothing wrong
    wrong_above = pl.when(some).then(1000.0 * n * wrong).otherwise(0.0)
    wrong_below = pl.when(some).then(turns * judged).otherwise(turns)
    wrong_reason = pl.when((turns > 0) & some).then(pl.lit(NO_JUDGED)).otherwise(pl.lit(NO_TURNS))
    return {
        "write_rate": _of(n, turns, NO_TURNS),
        "writing_turn_share": _of(
            pl.col("writing_turns"), turns, unknown.otherwise(pl.lit(NO_TURNS))
        ),
        "precision": _of(right, judged, no_judged),
        "precision_label_low": _of(right, banded, no_band),
        "precision_label_high": _of(right + split, banded, no_band),
        "precision_outer_low": _of(right, n, NO_RECORDS),
        "precision_outer_high": _of(right + split + open_, n, NO_RECORDS),
        "fact_precision": _of(
            found, found + pl.col("wrong_claims"), "no captured fact and no wrong record"
        ),
        "recall": _of(got, weight, no_weight),
        "recall_unweighted": _of(found, facts, NO_FACTS),
        "recall_low": _of(got, weight + doubt_missed, no_recall),
        "recall_high": _of(got + doubt_got, weight + doubt_got, no_recall),
        "duplicates_per_fact": _of(right, found, "no captured fact"),
        "wrong_per_1000_turns": _of(wrong_above, wrong_below, wrong_reason),
        "base_rate": _of(weight, turns, NO_TURNS),
    }


RATIOS = _ratios()
"""Every ratio of `operating_points` that counts alone decide; DESIGN section 5."""
