"""`labels` -> `agreement`: how far annotators agree on what to write, and on each question.

A row is one statistic of one question (`write` is the derived decision), one stratum and one pair
of annotators, or of all of them (both null). In stratum `self` it compares people with themselves,
their first answer with that to the same candidate shown again (annotator_a = annotator_b; all
people: both null). No number has a verdict word.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from labelling.agreement.intervals import ONLY_ENDS, intervals
from labelling.agreement.pairs import STATISTICS, statistics_of_counts
from labelling.agreement.pooled import pooled
from labelling.agreement.said import QUESTIONS, offered, pairs_that_met, said, said_again
from labelling.agreement.strata import HEADLINES, in_order, strata
from labelling.agreement.tally import Tally, tally
from labelling.tables import frame

SELF = "self"
"""The stratum of people compared with themselves."""

Cells = dict[tuple[str, str], Tally]
"""(stratum, question) -> what was answered."""


def agreement_rows(
    labels: pl.DataFrame, candidates: pl.DataFrame, sessions: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Table `agreement`: all pairs together, each pair of annotators that met, and each person.

    A pair's units are the candidates that one of the two answered, and depend on no third. Over all
    pairs (annotators null) `n` counts pairs of answers and `excluded` the candidates with a single
    one. Intervals are of a draw of users, or of sessions where `sessions` tells of one user or is
    not given.
    """
    answers = said(labels, candidates, sessions)
    rows = list(_all_rows(answers, candidates))
    for a, b in pairs_that_met(answers):
        rows += _pair_rows(a, b, answers.filter(pl.col("annotator").is_in([a, b])), candidates)
    rows += _self_rows(said_again(labels, candidates, sessions))
    return frame("agreement", rows)


def _all_rows(answers: pl.DataFrame, candidates: pl.DataFrame) -> Iterator[dict[str, Any]]:
    cells = _cells(answers, strata(answers, candidates))
    for stratum in in_order([*{*HEADLINES, *(stratum for stratum, _ in cells)}]):
        for question in QUESTIONS:
            found = cells.get((stratum, question), tally([]))
            yield from _rows(found, {"question": question, "stratum": stratum})


def _pair_rows(
    a: str, b: str, answers: pl.DataFrame, candidates: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    cells = _cells(answers, strata(answers, candidates))
    pair = {"annotator_a": a, "annotator_b": b}
    for stratum in in_order([*{stratum for stratum, _ in cells}]):
        for question in QUESTIONS:
            if (stratum, question) in cells:
                about = {**pair, "question": question, "stratum": stratum}
                yield from _rows(cells[stratum, question], about)


def _self_rows(answers: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for person in (None, *answers["person"].unique().sort()):
        own = answers if person is None else answers.filter(person=person)
        everything = own.select("candidate_id", stratum=pl.lit(SELF)).unique()
        about = {"annotator_a": person, "annotator_b": person}
        for (stratum, question), found in _cells(own, everything).items():
            yield from _rows(found, {**about, "question": question, "stratum": stratum})


def _cells(answers: pl.DataFrame, strata: pl.DataFrame) -> Cells:
    """The tally of each stratum and question that anybody answered."""
    annotators = answers["annotator"].unique().sort().to_list()
    cell = ["stratum", "question"]
    units = (
        answers.sort("annotator")
        .group_by("unit", "candidate_id", "cluster", "question", maintain_order=True)
        .agg(who="annotator", said="answer")
        .join(strata, on="candidate_id")
        .group_by(*cell, "cluster", "who", "said")
        .len()
    )
    return {
        (stratum, question): tally(
            (cluster, tuple(map(dict(zip(who, said, strict=True)).get, annotators)), n)
            for _, _, cluster, who, said, n in rows.iter_rows()
        )
        for (stratum, question), rows in units.partition_by(cell, as_dict=True).items()
    }


def _rows(found: Tally, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A row a statistic."""
    choice = offered(about["question"])
    named = about.get("annotator_a") is not None
    values = (statistics_of_counts if named else pooled)(found.units, choice)
    ends = intervals(found, values, choice)
    for name in STATISTICS:
        value, interval = getattr(values, name), ends.get(name)
        yield {
            **about,
            "statistic": name,
            "value": value,
            "low": interval and interval.low,
            "high": interval and interval.high,
            "n": values.n,
            "excluded": values.excluded,
            "reason": values.reasons.get(name) or (interval.reason if interval else ONLY_ENDS),
            "interval_method": interval and interval.method,
        }
