"""`labels` -> who said what, once per annotator, candidate and question.

A row is a counted answer: unit (a candidate; one showing of it for self-agreement), candidate_id,
cluster (the user or session it is of), annotator, question (`write` is the derived decision),
answer, at (when the annotator's answers to the candidate were complete; null if not known).
"""

from collections.abc import Iterator

import polars as pl

from labelling.statistics import unit
from labelling.tables.decisions import REQUIRED, annotator_decisions, counted

OFFERED = {"durable": ("yes", "until", "no")}
YES_NO = ("yes", "no")
QUESTIONS = ("write", *REQUIRED)

FIRST, AGAIN = "first", "shown again"  # in the order of names: the first answer is annotator_a
_COLUMNS = ("unit", "candidate_id", "cluster", "annotator", "question", "answer", "at")


def offered(question: str) -> tuple[str, ...]:
    """The answers there are to choose from."""
    return OFFERED.get(question, YES_NO)


def said(
    labels: pl.DataFrame, candidates: pl.DataFrame, sessions: pl.DataFrame | None = None
) -> pl.DataFrame:
    """What counts. Clusters are users where `sessions` tells more than one, else sessions."""
    single = counted(labels).filter(pl.col("question").is_in(REQUIRED)).drop_nulls("answer")
    write = pl.when("write").then(pl.lit("yes")).otherwise(pl.lit("no"))
    decided = annotator_decisions(labels, candidates).with_columns(
        question=pl.lit("write"), answer=write
    )
    key = ["candidate_id", "annotator"]
    times = single.group_by(key).agg(at=pl.col("submitted_at").max())
    columns = [*key, "question", "answer"]
    return (
        pl.concat([single.select(columns), decided.select(columns)])
        .join(times, on=key)
        .join(_clusters(candidates, sessions), on="candidate_id")
        .with_columns(unit="candidate_id")
        .select(_COLUMNS)
    )


def said_again(
    labels: pl.DataFrame, candidates: pl.DataFrame, sessions: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Candidates shown again: `annotator` is FIRST or AGAIN, `person` who gave both answers.

    Questions with one of the two answers only are left out. Each further showing is a unit of its
    own beside the first answer.
    """
    first = said(labels, candidates, sessions)
    found = [_with(first, FIRST, "")[:0]]
    for occasion in labels.filter(pl.col("occasion") > 0)["occasion"].unique().sort():
        shown = labels.filter(occasion=occasion).with_columns(occasion=pl.lit(0, pl.Int32))
        again = said(shown, candidates, sessions)
        key = ["candidate_id", "annotator", "question"]
        both = [first.join(again, on=key, how="semi"), again.join(first, on=key, how="semi")]
        found += [_with(both[0], FIRST, f" {occasion}"), _with(both[1], AGAIN, f" {occasion}")]
    return pl.concat(found)


def pairs_that_met(answers: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Two annotators who answered the same unit, in the order of their names."""
    who = answers.select("unit", "annotator").unique()
    met = who.join(who, on="unit").filter(pl.col("annotator") < pl.col("annotator_right"))
    yield from met.select("annotator", "annotator_right").unique().sort(pl.all()).iter_rows()


def _with(answers: pl.DataFrame, which: str, occasion: str) -> pl.DataFrame:
    """Answers of one showing: the unit is the person's candidate at this occasion."""
    return answers.with_columns(
        person="annotator",
        annotator=pl.lit(which),
        unit=pl.concat_str("candidate_id", pl.lit(" "), "annotator", pl.lit(occasion)),
    )


def _clusters(candidates: pl.DataFrame, sessions: pl.DataFrame | None) -> pl.DataFrame:
    """candidate_id, cluster."""
    of = candidates.select("candidate_id", "session_id")
    if sessions is None or unit(sessions) == "session":
        return of.rename({"session_id": "cluster"})
    users = sessions.select("session_id", cluster="user_id")
    return of.join(users, on="session_id", how="left").select(
        "candidate_id", pl.col("cluster").fill_null(pl.col("candidate_id"))
    )
