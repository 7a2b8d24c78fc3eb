"""Pi, kappa and AC1 of a tally as numbers that know how they vary from cluster to cluster.

The values are those of pairs.py and several.py, which count exactly; here it is the first-order
error that is wanted. With every unit a cluster of its own, kappa's is the standard error of Fleiss,
Cohen & Everitt 1969.
"""

from functools import partial
from itertools import combinations
from operator import eq

from labelling.agreement.amounts import Amount, answers, chosen, equal, pairs
from labelling.agreement.counts import Answer, Unit
from labelling.agreement.linear import Linear, total
from labelling.agreement.parts import mentions
from labelling.agreement.tally import Tally

Offered = tuple[Answer, ...]


def pi(tally: Tally, offered: Offered, weight: Amount) -> Linear:
    """Pi over all pairs of answers; where every answer counts once, alpha of endless units."""
    everything = mentions(tally, lambda _: True, weight)
    split = total(tally.per_cluster(lambda unit: 2 * weight(unit) * (pairs(unit) - equal(unit))))
    chance = _constant(0.0, split)
    for k in offered:
        p = mentions(tally, partial(eq, k), weight) / everything
        chance = chance + p * p
    return 1.0 - (split / everything) / (1.0 - chance)


def kappa(tally: Tally, offered: Offered) -> Linear:
    """1 - disagreements / those that chance would make, over all pairs of annotators."""
    split = total(tally.per_cluster(lambda unit: pairs(unit) - equal(unit)))
    expected = _constant(0.0, split)
    for i, j in combinations(range(len(tally.patterns[0])), 2):
        expected = expected + _expected(tally, offered, i, j)
    return 1.0 - split / expected


def _expected(tally: Tally, offered: Offered, i: int, j: int) -> Linear:
    """The disagreements that chance would make between the annotators at places i and j."""

    def met(unit: Unit) -> bool:
        return unit[i] is not None and unit[j] is not None

    def giving(place: int, answer: Answer) -> Linear:
        return total(tally.per_cluster(lambda unit: met(unit) and unit[place] == answer))

    together = total(tally.per_cluster(met))
    if not together.value:
        return together
    expected = together
    for answer in offered:
        expected = expected + giving(i, answer) * giving(j, answer) / together * -1.0
    return expected


def disagreement(tally: Tally) -> Linear:
    """The share of split pairs, averaged over units."""
    split = tally.per_cluster(lambda unit: 1 - equal(unit) / pairs(unit))
    return total(split) / _units(tally)


def room(tally: Tally, offered: Offered) -> Linear:
    """1 - the agreement that AC1 expects of chance; AC1 = 1 - disagreement / room."""
    left = _constant(1.0, _units(tally))
    for answer in offered:
        p = total(tally.per_cluster(partial(_share_of, answer))) / _units(tally)
        left = left + p * (1.0 - p) * (-1 / (len(offered) - 1))
    return left


def _units(tally: Tally) -> Linear:
    return total(tally.per_cluster(lambda _: 1.0))


def _share_of(answer: Answer, unit: Unit) -> float:
    return chosen(unit, partial(eq, answer)) / answers(unit)


def _constant(value: float, like: Linear) -> Linear:
    return Linear(value, 0.0 * like.influence)
