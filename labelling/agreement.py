"""`labels` -> `agreement`: how far annotators agree on what to write, and on each question.

A row is one statistic of one question (`write` is the derived decision), one stratum (`proposed` or
`all` candidates) and one pair of annotators, or of all of them. No number has a verdict word. The
statistics themselves (`statistics`, `krippendorff_alpha`, `gwet_ac1`) are offered here, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import polars as pl

from labelling.coefficients import STATISTICS, Agreement, gwet_ac1, krippendorff_alpha, statistics
from labelling.tables import frame
from labelling.tables.decisions import REQUIRED, annotator_decisions, counted

__all__ = ["Agreement", "agreement_rows", "gwet_ac1", "krippendorff_alpha", "statistics"]

Ratings = dict[str, list[str | None]]
"""Annotator -> answers, a place for each candidate; None where there is no answer."""

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
            for row in _rows(_ratings(answers, question, ids), _OFFERED.get(question, _YES_NO))
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


def _ratings(answers: pl.DataFrame, question: str, ids: pl.Series) -> Ratings:
    """Annotator -> answers, a place for each candidate that anybody answered."""
    asked = answers.filter(
        pl.col("question") == question, pl.col("candidate_id").is_in(ids.implode())
    )
    units = {unit: place for place, unit in enumerate(asked["candidate_id"].unique().sort())}
    ratings: Ratings = {}
    for unit, annotator, answer in asked.select("candidate_id", "annotator", "answer").iter_rows():
        ratings.setdefault(annotator, [None] * len(units))[units[unit]] = answer
    return dict(sorted(ratings.items()))


def _rows(ratings: Ratings, offered: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """A row a statistic: over all pairs, then for each pair of annotators."""
    yield from _statistic_rows(None, None, _over_all_pairs(ratings, offered))
    for a, b in combinations(ratings, 2):
        units = [u for u in zip(ratings[a], ratings[b], strict=True) if u != (None, None)]
        yield from _statistic_rows(a, b, _of(units, offered))


def _over_all_pairs(ratings: Ratings, offered: tuple[str, ...]) -> Agreement:
    units = list(zip(*ratings.values(), strict=True))
    pairs = [pair for unit in units for pair in combinations(unit, 2) if None not in pair]
    single = sum(len(unit) - unit.count(None) == 1 for unit in units)
    several = [unit for unit in units if len(unit) - unit.count(None) >= 2]
    together = {name: [unit[i] for unit in several] for i, name in enumerate(ratings)}
    return replace(
        _of(pairs, offered),
        krippendorff_alpha_nominal=krippendorff_alpha(together),
        gwet_ac1=gwet_ac1(together, offered),
        excluded=single,
    )


def _of(pairs: Sequence[tuple[str | None, ...]], offered: tuple[str, ...]) -> Agreement:
    return statistics([a for a, _ in pairs], [b for _, b in pairs], offered)


def _statistic_rows(a: str | None, b: str | None, found: Agreement) -> Iterator[dict[str, Any]]:
    about = {"annotator_a": a, "annotator_b": b, "n": found.n, "excluded": found.excluded}
    for name in STATISTICS:
        value, reason = getattr(found, name), found.reasons.get(name)
        yield {**about, "statistic": name, "value": value, "reason": reason}
