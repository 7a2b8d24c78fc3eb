"""`labels` -> `reference_facts` and `disagreements`: what two people agree should be written.

A reference fact keeps the id of its candidate; its weight is 1 / inclusion probability.
"""

import polars as pl

from labelling.agreement import agreement_rows
from labelling.console import Outcome, amount, warn_if_stale
from labelling.once_disputed import once_disputed
from labelling.reading import missed
from labelling.tables import columns, empty, fact_key, read, write, writing
from labelling.tables.decisions import (
    REQUIRED,
    annotator_decisions,
    corpus_facts,
    counted,
    decisions,
    settled,
)


def reference_facts(
    labels: pl.DataFrame, candidates: pl.DataFrame, sessions: pl.DataFrame
) -> pl.DataFrame:
    """A row for each candidate that every annotator (two or more) would write.

    Where fewer than two answered, a data set's own labels make a fact of source `corpus`; where
    they split, a judge makes one of source `adjudicated`, which the headline leaves out.
    """
    corpus = pl.col("candidate_id").is_in(corpus_facts(labels, candidates))
    judged = settled(labels, candidates).filter("write")["candidate_id"]
    decision = pl.col("decision")
    facts = (
        candidates.join(decisions(labels, candidates), on="candidate_id", maintain_order="left")
        .filter(
            (decision == "accepted")
            | ((decision == "unjudged") & corpus)
            | pl.col("candidate_id").is_in(judged.implode())
        )
        .join(sessions.select("session_id", "user_id", "split"), on="session_id", how="inner")
        .join(_evidence_forms(labels), on="candidate_id", how="left")
    )
    if facts.is_empty():
        return empty("reference_facts")
    corrected = _corrected_statements(labels, candidates)
    keys = [
        fact_key(*row)
        for row in facts.select("user_id", "statement", "slot", "value", "scope").iter_rows()
    ]
    source = (
        pl.when(decision == "unjudged")
        .then(pl.lit("corpus"))
        .when(decision == "disputed")
        .then(pl.lit("adjudicated"))
        .when(pl.struct("session_id", "statement").is_in(corrected.implode()))
        .then(pl.lit("corrected"))
        .otherwise(pl.lit("agreed"))
    )
    return (
        facts.with_columns(
            pl.col("candidate_id").alias("fact_id"),
            pl.Series("fact_key", keys),
            weight=1 / pl.col("inclusion_probability"),
            source=source,
        )
        .select(list(columns("reference_facts")))
        .sort("session_id", "turn", "fact_id")
    )


def disagreements(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """A row for each question of a disputed candidate with more than one answer, and for `write`.

    Splits on single questions under one decision go to `agreement` only. `resolved` (write or
    reject) and `reason_code` are what a judge made of the candidate.
    """
    disputed = decisions(labels, candidates).filter(pl.col("decision") == "disputed")
    votes = (
        annotator_decisions(labels, candidates)
        .join(disputed, on="candidate_id", how="semi")
        .with_columns(write=pl.when("write").then(pl.lit("yes")).otherwise(pl.lit("no")))
    )
    long = votes.unpivot(
        [*REQUIRED, "write"],
        index=["candidate_id", "annotator"],
        variable_name="question",
        value_name="answer",
    )
    split = (
        long.sort("candidate_id", "question", "annotator")
        .group_by("candidate_id", "question", maintain_order=True)
        .agg(
            answers=pl.struct("annotator", "answer"),
            different=pl.col("answer").n_unique() > 1,
        )
        .filter("different")
    )
    resolved = pl.when("write").then(pl.lit("write")).otherwise(pl.lit("reject"))
    judged = settled(labels, candidates).with_columns(resolved=resolved)
    return split.join(judged, on="candidate_id", how="left", maintain_order="left").select(
        list(columns("disagreements"))
    )


@writing
def make_reference(study: str) -> Outcome:
    """Write `reference_facts`, `disagreements` and `agreement` of a study."""
    warn_if_stale(study, "labels")
    labels, candidates, sessions = (read(study, t) for t in ("labels", "candidates", "sessions"))
    upstream = ("labels", "candidates", "sessions")
    facts = reference_facts(labels, candidates, sessions)
    split = disagreements(labels, candidates)
    wrote = {
        "reference_facts": write(study, "reference_facts", facts, made_from=upstream),
        "disagreements": write(study, "disagreements", split, made_from=upstream),
        "agreement": write(
            study, "agreement", agreement_rows(labels, candidates, sessions), made_from=upstream
        ),
    }
    counts = _counts(decisions(labels, candidates))
    judged = once_disputed(labels, candidates)
    agreed = facts.filter(pl.col("source") != "adjudicated")
    shared = on_shared_words(agreed, candidates)
    overlooked = missed(labels, candidates)
    return Outcome(
        f"{amount(agreed.height, 'reference fact')} from {amount(candidates.height, 'candidate')}; "
        f"{counts['rejected']} rejected, {counts['disputed']} disputed, "
        f"{counts['unjudged']} with fewer than two answers",
        read={"labels": labels.height, "candidates": candidates.height},
        wrote=wrote,
        then=_scoring(study, sessions),
        details={
            "decisions": counts,
            "facts_on_shared_words": shared,
            "adjudicated": judged.plain(),
            "missed": overlooked.plain(),
        },
        text="\n".join([*judged.in_words(), *overlooked.in_words(), *_on_shared_words(shared)]),
    )


def _scoring(study: str, sessions: pl.DataFrame) -> str:
    """How to score the users that there are: those of the test half, where it has any."""
    whom = "" if "test" in set(sessions["split"]) else "--split all "
    return f"gates score {whom}--study {study}"


def _on_shared_words(facts: int) -> list[str]:
    if not facts:
        return []
    return [
        f"  {facts} facts rest on words that an earlier one rests on: two facts in one "
        "sentence, or one fact in two wordings, which recall counts twice"
    ]


def on_shared_words(facts: pl.DataFrame, candidates: pl.DataFrame) -> int:
    """Facts that share at least half of the shorter span with a fact listed before them."""
    places = facts.select("fact_id").with_row_index("place")
    pieces = (
        places.join(candidates, left_on="fact_id", right_on="candidate_id")
        .select("place", "session_id", "evidence")
        .explode("evidence")
        .drop_nulls("evidence")
        .unnest("evidence")
    )
    pairs = pieces.join(pieces, on=["session_id", "turn"], suffix="_before").filter(
        pl.col("place_before") < pl.col("place")
    )
    common = pl.min_horizontal("end", "end_before") - pl.max_horizontal("start", "start_before")
    shorter = pl.min_horizontal(
        pl.col("end") - pl.col("start"), pl.col("end_before") - pl.col("start_before")
    )
    return pairs.filter(common > 0, 2 * common >= shorter)["place"].n_unique()


def _counts(decided: pl.DataFrame) -> dict[str, int]:
    found = dict(decided.group_by("decision").len().iter_rows())
    return {d: found.get(d, 0) for d in ("accepted", "rejected", "disputed", "unjudged")}


def _evidence_forms(labels: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, evidence_form where everybody who named one named the same."""
    forms = counted(labels).filter(pl.col("question") == "evidence_form").drop_nulls("answer")
    same = forms.group_by("candidate_id").agg(
        evidence_form=pl.col("answer").first(), one=pl.col("answer").n_unique() == 1
    )
    return same.filter("one").drop("one")


def _corrected_statements(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.Series:
    """Structs {session_id, statement} of what annotators wrote under `corrected`, as pooled."""
    rows = (
        counted(labels)
        .filter(pl.col("question") == "corrected")
        .drop_nulls("answer")
        .join(candidates.select("candidate_id", "session_id"), on="candidate_id")
    )
    statements = [" ".join(answer.split()) for answer in rows["answer"]]
    return rows.select("session_id", statement=pl.Series(statements, dtype=pl.String)).to_struct()
