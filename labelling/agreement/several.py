"""Krippendorff's alpha and Gwet's AC1 of any number of annotators, with gaps.

Both run to 1 (perfect) and are 0 at what chance alone would give, each by its own idea of chance.
Undefined is None. Sources: Krippendorff 2011 (alpha); Gwet 2008 (AC1).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, combinations
from typing import Any

from labelling.agreement.counts import (
    Answer,
    Answers,
    Counts,
    answered,
    answers_of,
    counts_of,
)
from labelling.statistics import ratio
from labelling.tables import InputError

LEVELS = ("nominal", "ordinal", "interval")
"""What answers are to each other: names, ranks, or numbers."""


def krippendorff_alpha(ratings: Mapping[str, Answers], level: str = "nominal") -> float | None:
    """Krippendorff's alpha for any number of annotators (name -> answers) with gaps.

    `level` is nominal, ordinal (answers that sort) or interval (numbers). Units with fewer than
    two answers do not count; None where fewer than two different answers are left.
    """
    return alpha_of_counts(counts_of(ratings), level)


def alpha_of_counts(units: Counts, level: str = "nominal") -> float | None:
    """`krippendorff_alpha`, where units that got the same answers are counted."""
    if level not in LEVELS:
        raise InputError(f"there is no level {level!r}", expected=f"one of: {', '.join(LEVELS)}")
    paired = answered(units, at_least=2)
    totals: Counter[Any] = Counter()
    for unit in paired:
        totals.update({answer: unit.units * n for answer, n in unit.given.items()})
    distance = _distance(level, totals)
    observed = sum(
        2 * unit.units * unit.given[c] * unit.given[k] * distance(c, k) / (unit.m - 1)
        for unit in paired
        for c, k in combinations(unit.given, 2)
    )
    expected = sum(2 * totals[c] * totals[k] * distance(c, k) for c, k in combinations(totals, 2))
    share = ratio((totals.total() - 1) * observed, expected)
    return None if share is None else 1 - share


def gwet_ac1(
    ratings: Mapping[str, Answers], offered: Iterable[Answer] | None = None
) -> float | None:
    """Gwet's AC1 for any number of annotators (name -> answers) with gaps.

    Agreement is averaged over units with at least two answers, the answers' shares over units with
    at least one. None where no unit has two answers or fewer than two answers were offered.
    """
    return ac1_of_counts(counts_of(ratings), offered)


def ac1_of_counts(units: Counts, offered: Iterable[Answer] | None = None) -> float | None:
    """`gwet_ac1`, where units that got the same answers are counted."""
    answers = answers_of(units, offered)
    given = answered(units, at_least=1)
    paired = [unit for unit in given if unit.m >= 2]
    if not paired or len(answers) < 2:
        return None
    equal = sum(unit.units * unit.equal_pairs for unit in paired)
    agreed = equal / sum(unit.units for unit in paired)
    n = sum(unit.units for unit in given)
    shares = [sum(u.units * u.given[k] / u.m for u in given) / n for k in answers]
    chance = sum(share * (1 - share) for share in shares) / (len(answers) - 1)
    return ratio(agreed - chance, 1 - chance)


def _distance(level: str, totals: Counter[Any]) -> Callable[[Any, Any], float]:
    """The squared difference of two answers; ordinal ones differ by their middle ranks."""
    if level == "nominal":
        return lambda _c, _k: 1.0
    try:
        if level == "interval":
            place = {value: float(value) for value in totals}
        else:
            order = sorted(totals)
            ends = accumulate(totals[value] for value in order)
            place = {v: end - totals[v] / 2 for v, end in zip(order, ends, strict=True)}
    except (TypeError, ValueError) as error:
        expected = "numbers" if level == "interval" else "answers that can be put in order"
        raise InputError(f"the answers have no {level} level", expected=expected) from error
    return lambda c, k: (place[c] - place[k]) ** 2
