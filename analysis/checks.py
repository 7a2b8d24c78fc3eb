"""The hard checks: a record that no words of the user stand behind is wrong, whoever accepts it.

A row of the result is a failed record: proposal_id, error_kind (unsupported, injected,
assistant_claim). Spans are code points, end exclusive.
"""

import polars as pl

from analysis.alike import spans
from labelling.tables import normalise


def failed(records: pl.DataFrame, turns: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Records (keyed) with a quote, but without a user's words outside injected text behind it.

    A remember press is evidence for its own statement. A record that a live gate wrote without any
    quote cannot be checked and is left to the other rules.
    """
    support = (
        _user_spans(records, turns)
        .group_by("proposal_id")
        .agg(by_user=pl.col("user").any(), sound=(pl.col("user") & ~pl.col("injected")).any())
    )
    without = (
        records.filter(pl.col("quote").is_not_null() | (pl.col("evidence").list.len() > 0))
        .join(_pressed(events), on=["session_id", "said"], how="anti")
        .join(support, on="proposal_id", how="left")
        .filter(~pl.col("sound").fill_null(False))
    )
    kind = (
        pl.when(pl.col("by_user").is_null())
        .then(pl.lit("unsupported"))
        .when("by_user")
        .then(pl.lit("injected"))
        .otherwise(pl.lit("assistant_claim"))
    )
    return without.select("proposal_id", error_kind=kind)


def _user_spans(records: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """A row a piece of evidence: is it in a user's turn, does it touch injected text?"""
    said = turns.select("session_id", "turn", "injected_spans", user=pl.col("role") == "user")
    pieces = spans(records).drop("role").join(said, on=["session_id", "turn"])
    inside = pl.col("injected_spans").struct
    touches = (inside.field("start") < pl.col("end")) & (pl.col("start") < inside.field("end"))
    return (
        pieces.with_row_index("span")
        .explode("injected_spans", empty_as_null=True)
        .group_by("span", "proposal_id")
        .agg(user=pl.col("user").first(), injected=touches.fill_null(False).any())
    )


def _pressed(events: pl.DataFrame) -> pl.DataFrame:
    presses = events.filter(pl.col("event") == "remember_pressed").drop_nulls("statement")
    said = [normalise(statement) for statement in presses["statement"]]
    return presses.select("session_id").with_columns(pl.Series("said", said, pl.String))
