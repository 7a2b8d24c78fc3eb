"""`labels` -> `agreement`: how far annotators agree on what to write, and on each question.

A row is one statistic of one question (`write` is the derived decision), one stratum (`proposed` or
`all` candidates) and one pair of annotators, or of all of them. No number has a verdict word. The
statistics themselves (`statistics`, `krippendorff_alpha`, `gwet_ac1`) are offered here, too.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import polars as pl

from labelling.coefficients import (
    STATISTICS,
    Agreement,
    Unit,
    ac1_of_counts,
    alpha_of_counts,
    gwet_ac1,
    krippendorff_alpha,
    statistics,
    statistics_of_counts,
)
from labelling.tables import frame
from labelling.tables.decisions import REQUIRED, annotator_decisions, counted

__all__ = ["Agreement", "agreement_rows", "gwet_ac1", "krippendorff_alpha", "statistics"]


@dataclass(frozen=True)
class _Given:
    """The answers to a question: `units` counts candidates by what each of `annotators` said."""

    annotators: tuple[str, ...]
    units: Counter[Unit]


_OFFERED = {"durable": ("yes", "until", "no")}
_YES_NO = ("yes", "no")


def agreement_rows(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """Table `agreement`: `write` and the required questions, by stratum, of all pairs and of each.

    A pair's units are the candidates that one of the two answered. Over all pairs (annotators null)
    every pair of answers counts once, and alpha and AC1 are those of all annotators together;
    `excluded` are then the candidates with a single answer. low and high are not computed yet.
    """
    answers = _long_answers(labels, candidates)
    proposed = candidates.filter(pl.col("strata").list.contains("proposed"))
    strata = {"proposed": proposed["candidate_id"], "all": candidates["candidate_id"]}
    return frame(
        "agreement",
        [
            {"question": question, "stratum": stratum, **row}
            for question in ("write", *REQUIRED)
            for stratum, ids in strata.items()
            for row in _rows(_given(answers, question, ids), _OFFERED.get(question, _YES_NO))
        ],
    )


def _long_answers(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, annotator, question, answer: the counted answers and the decision `write`."""
    columns = ("candidate_id", "annotator", "question", "answer")
    single = counted(labels).filter(pl.col("question").is_in(REQUIRED)).drop_nulls("answer")
    write = pl.when("write").then(pl.lit("yes")).otherwise(pl.lit("no"))
    decided = annotator_decisions(labels, candidates).with_columns(
        question=pl.lit("write"), answer=write
    )
    return pl.concat([single.select(columns), decided.select(columns)])


def _given(answers: pl.DataFrame, question: str, ids: pl.Series) -> _Given:
    """How many candidates got which answers from whom, of those that anybody answered."""
    asked = answers.filter(
        pl.col("question") == question, pl.col("candidate_id").is_in(ids.implode())
    )
    annotators = tuple(asked["annotator"].unique().sort())
    counts = (
        asked.sort("annotator")
        .group_by("candidate_id", maintain_order=True)
        .agg(who="annotator", said="answer")
        .group_by("who", "said")
        .len()
    )
    units: Counter[Unit] = Counter()
    # sorted, so that sums come out the same to the last bit in every run
    for who, said, n in sorted(counts.iter_rows()):
        by = dict(zip(who, said, strict=True))
        units[tuple(map(by.get, annotators))] += n
    return _Given(annotators, units)


def _rows(given: _Given, offered: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """A row a statistic: over all pairs, then for each pair of annotators."""
    yield from _statistic_rows(None, None, _over_all_pairs(given.units, offered))
    for i, j in combinations(range(len(given.annotators)), 2):
        found = statistics_of_counts(_pairs(given.units, i, j), offered)
        yield from _statistic_rows(given.annotators[i], given.annotators[j], found)


def _over_all_pairs(units: Counter[Unit], offered: tuple[str, ...]) -> Agreement:
    several = {unit: n for unit, n in units.items() if len(unit) - unit.count(None) >= 2}
    pairs: Counter[Unit] = Counter()
    for unit, n in several.items():
        for pair in combinations((x for x in unit if x is not None), 2):
            pairs[pair] += n
    return replace(
        statistics_of_counts(pairs, offered),
        krippendorff_alpha_nominal=alpha_of_counts(several),
        gwet_ac1=ac1_of_counts(several, offered),
        excluded=units.total() - sum(several.values()),
    )


def _pairs(units: Counter[Unit], i: int, j: int) -> Counter[Unit]:
    """What two annotators answered, of the candidates that at least one of them did."""
    pairs: Counter[Unit] = Counter()
    for unit, n in units.items():
        pairs[unit[i], unit[j]] += n
    del pairs[None, None]
    return pairs


def _statistic_rows(a: str | None, b: str | None, found: Agreement) -> Iterator[dict[str, Any]]:
    about = {"annotator_a": a, "annotator_b": b, "n": found.n, "excluded": found.excluded}
    for name in STATISTICS:
        value, reason = getattr(found, name), found.reasons.get(name)
        yield {**about, "statistic": name, "value": value, "reason": reason}
