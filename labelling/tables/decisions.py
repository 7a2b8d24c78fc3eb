"""What the rows of `labels` mean: from single answers to one decision a candidate.

An annotator's decision is *write* when durable is yes, or until with an expiry date on show, and
well_evidenced and scope_ok are yes. Drafts, discards, pilots, re-shown occasions and answers of a
data set's own labels (`source:*`) never count. What people split on is settled by a judge who is
none of them; that stands beside the decision and changes nothing in it.
"""

import polars as pl

REQUIRED = ("durable", "well_evidenced", "scope_ok")
"""The questions every submitted answer has; their answers make the decision `write`."""

WHOLE_READING = "read_whole"
"""Question of a row that says: this annotator read the session `candidate_id` whole."""

ADJUDICATION = "adjudication"
"""Question of a row that settles a disputed candidate: `write` (or `yes`) accepts it."""

REASON_CODE = "reason_code"
"""Question of a row that says why the two split on a disputed candidate."""


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


def judgements(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, annotator, write (bool), reason_code?, own (bool): a row a judge's decision.

    Of candidates that are disputed as the answers stand. `own`: the judge is one of those who
    labelled the candidate, so the decision does not count.
    """
    found = decisions(labels, candidates).filter(pl.col("decision") == "disputed")
    votes = annotator_decisions(labels, candidates).select("candidate_id", "annotator", own=True)
    given, person = counted(labels).drop_nulls("answer"), ["candidate_id", "annotator"]
    codes = given.filter(pl.col("question") == REASON_CODE)
    return (
        given.filter(pl.col("question") == ADJUDICATION)
        .join(found, on="candidate_id", how="semi")
        .join(codes.select(*person, reason_code="answer"), on=person, how="left")
        .join(votes, on=person, how="left")
        .select(
            *person,
            pl.col("answer").is_in(["write", "yes"]).alias("write"),
            "reason_code",
            pl.col("own").is_not_null(),
        )
        .sort(person)
    )


def settled(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, write (bool), reason_code? of every disputed candidate that judges settled.

    Judges who differ settle nothing; where their reasons differ there is none.
    """
    return (
        judgements(labels, candidates)
        .filter(~pl.col("own"))
        .group_by("candidate_id", maintain_order=True)
        .agg(
            pl.col("write").first(),
            one=pl.col("write").n_unique() == 1,
            reason_code=pl.when(pl.col("reason_code").n_unique() == 1).then(
                pl.col("reason_code").first()
            ),
        )
        .filter("one")
        .drop("one")
    )


def read_whole(labels: pl.DataFrame) -> list[str]:
    """Sessions that at least two annotators read whole."""
    rows = counted(labels).filter(pl.col("question") == WHOLE_READING, pl.col("answer") == "yes")
    readers = rows.group_by("candidate_id").agg(n=pl.col("annotator").n_unique())
    return readers.filter(pl.col("n") >= 2)["candidate_id"].sort().to_list()
