"""What simulated annotators answer -> `labels`: stated slips, and a coin where it is ambiguous.

Each annotator has an own stream and an answer ready for every claim, asked or not, so that a
further gate changes no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from labelling.simulate.streams import stream
from labelling.tables import columns
from labelling.tables.decisions import WHOLE_READING

QUESTIONS = ("durable", "well_evidenced", "scope_ok", "evidence_form", "reject_reason")
GUIDELINES = "simulated"


@dataclass(frozen=True)
class Annotator:
    """How somebody answers; each a probability, independent between claims and annotators."""

    name: str
    miss: float = 0.01
    """That a clear fact is not written."""
    slip: float = 0.001
    """That a clear trap or an empty sentence is written."""
    lenience: float = 0.5
    """That an ambiguous claim is written, whatever is true of it."""


def answers(annotator: Annotator, truth: pl.DataFrame, seed: int) -> pl.DataFrame:
    """claim, annotator and an answer to each question (null: not asked) for every claim."""
    draws = pl.Series(stream(seed, "annotator", annotator.name).random(truth.height))
    writes = (
        pl.when("ambiguous")
        .then(annotator.lenience)
        .when("durable")
        .then(1 - annotator.miss)
        .otherwise(annotator.slip)
    )
    return truth.with_columns(write=draws < writes).select(
        "claim", annotator=pl.lit(annotator.name), **_questions()
    )


def empty_answers(annotator: Annotator, sentences: pl.DataFrame, seed: int) -> pl.DataFrame:
    """candidate_id, annotator and answers for sentences that carry no claim."""
    draws = stream(seed, "empty", annotator.name).random(sentences.height)
    nothing = sentences.with_columns(
        write=pl.Series(draws < annotator.slip),
        trap=pl.lit("other"),
        dated=pl.lit(False),
        evidence_form=pl.lit("stated"),
    )
    return nothing.select("candidate_id", annotator=pl.lit(annotator.name), **_questions())


def labels(answered: pl.DataFrame) -> pl.DataFrame:
    """Table `labels` from answers with candidate_id and annotator."""
    index = ["candidate_id", "annotator"]
    long = answered.unpivot(
        QUESTIONS, index=index, variable_name="question", value_name="answer"
    ).drop_nulls("answer")
    return _rows(long.sort(*index, "question"))


def readings(sessions: pl.DataFrame, annotators: Sequence[Annotator]) -> pl.DataFrame:
    """Rows of `labels` that say: every annotator read these sessions whole."""
    names = pl.DataFrame({"annotator": [annotator.name for annotator in annotators]})
    return _rows(
        sessions.select(candidate_id="session_id")
        .join(names, how="cross")
        .with_columns(question=pl.lit(WHOLE_READING), answer=pl.lit("yes"))
    )


def _questions() -> dict[str, pl.Expr]:
    """The answers that say why: each trap fails the question it is a trap for."""
    write, trap = pl.col("write"), pl.col("trap").fill_null("situational")

    def no_for(*traps: str) -> pl.Expr:
        failed = ~write & trap.is_in(list(traps))
        return pl.when(failed).then(pl.lit("no")).otherwise(pl.lit("yes"))

    # without a date on show, "until" is a no
    until = pl.when(write & pl.col("dated") | ~write & pl.col("trap").eq_missing("situational"))
    return {
        "durable": until.then(pl.lit("until")).otherwise(no_for("situational", "other")),
        "well_evidenced": no_for("assistant_claim", "third_person", "other"),
        "scope_ok": no_for("scope_invented"),
        "evidence_form": pl.when(write).then("evidence_form"),
        "reject_reason": pl.when(~write).then(trap),
    }


def _rows(given: pl.DataFrame) -> pl.DataFrame:
    return given.select(
        "candidate_id",
        "annotator",
        "question",
        "answer",
        occasion=pl.lit(0, pl.Int32),
        status=pl.lit("submitted"),
        submitted_at=pl.lit(None, pl.Datetime("us", "UTC")),
        seconds=pl.lit(None, pl.Float64),
        guidelines_version=pl.lit(GUIDELINES),
        round=pl.lit(1, pl.Int32),
        pilot=pl.lit(False),
    ).select(list(columns("labels")))
