"""The table `truth`: a row a claim, in the words in which gates and annotators meet it.

It has the columns of `claims` beside those of the table: whoever needs a claim's place joins it.
"""

import polars as pl

from labelling.simulate import wording
from labelling.tables import claim_key, content_id, fact_key


def make_truth(claims: pl.DataFrame, pieces: pl.DataFrame) -> pl.DataFrame:
    """Claims with fact_id (as its candidate's id), fact_key, statement, evidence, changed_by …"""
    speaker = pl.when(pl.col("trap").eq_missing("assistant_claim")).then(pl.lit("assistant"))
    worded = (
        claims.with_columns(**wording.stated(), speaker=speaker.otherwise(pl.lit("user")))
        .join(wording.evidence(pieces), left_on="rests_on", right_on="claim", how="left")
        .rename({"form": "evidence_form"})
        .sort("claim")
    )
    return _changed(worded.with_columns(_ids(worded), _keys(worded)))


def _ids(worded: pl.DataFrame) -> pl.Series:
    names = ("session_id", "scope", "kind", "polarity", "statement", "slot", "value")
    ids = [content_id(*row[:4], claim_key(*row[4:])) for row in worded.select(names).iter_rows()]
    return pl.Series("fact_id", ids, pl.String)


def _keys(worded: pl.DataFrame) -> pl.Series:
    names = ("user_id", "statement", "slot", "value", "scope")
    keys = [fact_key(*row) for row in worded.select(names).iter_rows()]
    return pl.Series("fact_key", keys, pl.String)


def _changed(truth: pl.DataFrame) -> pl.DataFrame:
    """With changed_by: the first fact in which the user has another value for the slot."""
    own = ["user", "slot", "layer", "trap", "epoch"]
    facts = truth.filter(pl.col("trap").is_null())
    first = facts.group_by(own, maintain_order=True).agg(changed_by=pl.col("fact_id").first())
    before = first.with_columns(pl.col("epoch") - 1)
    return truth.join(before, on=own, how="left", nulls_equal=True, maintain_order="left")
