"""What the rows of `labels` mean: from single answers to one decision a candidate.

An annotator's decision is *write* when durable is yes, or until with an expiry date on show, and
well_evidenced and scope_ok are yes. Drafts, discards, pilots, re-shown occasions and answers of a
data set's own labels (`source:*`) never count.
"""

import polars as pl

REQUIRED = ("durable", "well_evidenced", "scope_ok")
"""The questions every submitted answer has; their answers make the decision `write`."""

WHOLE_READING = "read_whole"
"""Question of a row that says: this annotator read the session `candidate_id` whole."""


SOURCE = "source:"
"""How the annotator of a data set's own labels is called; what follows is its name."""


def counted(labels: pl.DataFrame) -> pl.DataFrame:
    """The answers that count towards the truth."""
    return _final(labels).filter(~pl.col("annotator").str.starts_with(SOURCE))


def annotator_decisions(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, annotator, the three answers and `write` (bool): a row a complete answer."""
    return _decided(counted(labels), candidates)


def corpus_facts(labels: pl.DataFrame, candidates: pl.DataFrame) -> list[str]:
    """Candidates that a data set's own labels would write: a single one is enough."""
    given = _final(labels).filter(pl.col("annotator").str.starts_with(SOURCE))
    votes = _decided(given, candidates).group_by("candidate_id").agg(pl.col("write").all())
    return votes.filter("write")["candidate_id"].sort().to_list()


def _final(labels: pl.DataFrame) -> pl.DataFrame:
    return labels.filter(pl.col("status") == "submitted", pl.col("occasion") == 0, ~pl.col("pilot"))


def _decided(given: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    answers = given.filter(pl.col("question").is_in(REQUIRED))
    wide = answers.pivot(
        "question", index=["candidate_id", "annotator"], values="answer", sort_columns=True
    )
    for question in REQUIRED:
        if question not in wide.columns:
            wide = wide.with_columns(pl.lit(None, dtype=pl.String).alias(question))
    dated = candidates.select("candidate_id", dated=pl.col("expires_at").is_not_null())
    durable = (pl.col("durable") == "yes") | ((pl.col("durable") == "until") & pl.col("dated"))
    sound = (pl.col("well_evidenced") == "yes") & (pl.col("scope_ok") == "yes")
    return (
        wide.drop_nulls(list(REQUIRED))
        .join(dated, on="candidate_id", how="inner", maintain_order="left")
        .with_columns(write=durable & sound)
        .select("candidate_id", "annotator", *REQUIRED, "write")
        .sort("candidate_id", "annotator")
    )


def decisions(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, annotators, decision for every candidate, in the order of `candidates`.

    At least two complete answers: all write = accepted, none = rejected, mixed = disputed (three
    or more answers need unanimity); fewer = unjudged.
    """
    votes = (
        annotator_decisions(labels, candidates)
        .group_by("candidate_id")
        .agg(annotators=pl.len().cast(pl.Int64), writes=pl.col("write").sum().cast(pl.Int64))
    )
    writes, annotators = pl.col("writes"), pl.col("annotators")
    decision = (
        pl.when(annotators < 2)
        .then(pl.lit("unjudged"))
        .when(writes == annotators)
        .then(pl.lit("accepted"))
        .when(writes == 0)
        .then(pl.lit("rejected"))
        .otherwise(pl.lit("disputed"))
    )
    return (
        candidates.select("candidate_id")
        .join(votes, on="candidate_id", how="left", maintain_order="left")
        .with_columns(pl.col("annotators", "writes").fill_null(0))
        .select("candidate_id", "annotators", decision=decision)
    )


def read_whole(labels: pl.DataFrame) -> list[str]:
    """Sessions that at least two annotators read whole."""
    rows = counted(labels).filter(pl.col("question") == WHOLE_READING, pl.col("answer") == "yes")
    readers = rows.group_by("candidate_id").agg(n=pl.col("annotator").n_unique())
    return readers.filter(pl.col("n") >= 2)["candidate_id"].sort().to_list()
