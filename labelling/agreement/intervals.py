"""Intervals of agreement: how far another draw of users (or sessions) would move a statistic.

Percent agreement and PABAK are shares, specific agreement comes of one (parts.py). Pi of two
answers is positive + negative agreement - 1; of more answers it is the mean of what each one
against all others has. So pi, kappa and alpha get the ends of specific agreement (MOVER, Zou &
Donner 2008), stretched by how they themselves vary to first order; AC1 those of percent agreement.
How often they hold: docs/agreement.md.
"""

from functools import partial
from itertools import combinations
from operator import eq, ne

from labelling.agreement.amounts import (
    Amount,
    answers,
    both,
    by_answers,
    chosen,
    equal,
    once,
    pairs,
)
from labelling.agreement.counts import Answer, Unit
from labelling.agreement.linear import Linear, total
from labelling.agreement.pairs import Agreement
from labelling.agreement.parts import (
    Part,
    combined,
    distances,
    mentions,
    share,
    specific,
    specific_interval,
    turned,
)
from labelling.agreement.tally import Tally
from labelling.statistics import Interval, difference_interval

ONLY_ENDS = "a standard error has no interval of its own"
FROM_SPECIFIC = "combined from specific agreement (MOVER)"
FROM_PERCENT = "combined from percent agreement and answers' shares"

Offered = tuple[Answer, ...]


def intervals(
    tally: Tally, found: Agreement, offered: Offered, positive: Answer = "yes"
) -> dict[str, Interval]:
    """Statistic -> interval of those that have one, of two annotators or of all together.

    `found` are the values over the same units. No value, no interval; nor has a standard error one.
    """
    paired = tally.paired()
    if not paired.patterns:
        return {}
    made = _shares(paired, found, offered, positive)
    if found.scott_pi is not None:
        made["scott_pi"] = _coefficient(
            found.scott_pi, _pi(paired, offered, once), _parts(paired, offered, once)
        )
    if found.krippendorff_alpha_nominal is not None:
        made["krippendorff_alpha_nominal"] = _coefficient(
            found.krippendorff_alpha_nominal,
            _pi(paired, offered, by_answers),
            _parts(paired, offered, by_answers),
        )
    if found.cohen_kappa is not None:
        made["cohen_kappa"] = _coefficient(
            found.cohen_kappa, _kappa(paired, offered), _parts(paired, offered, once)
        )
    if found.gwet_ac1 is not None:
        made["gwet_ac1"] = _ac1(paired, found.gwet_ac1, offered)
    return made


def _shares(
    tally: Tally, found: Agreement, offered: Offered, positive: Answer
) -> dict[str, Interval]:
    """Percent agreement, and what there is of two answers only."""
    percent = share(tally, equal, pairs)
    made = {"percent_agreement": percent}
    if found.pabak is None:
        return made
    made["pabak"] = turned(percent, lambda p: 2 * p - 1)
    made["prevalence_index"] = difference_interval(
        share(tally, lambda unit: both(unit, partial(eq, positive)), pairs),
        share(tally, lambda unit: both(unit, partial(ne, positive)), pairs),
    )
    if found.positive_agreement is not None:
        made["positive_agreement"] = specific_interval(tally, partial(eq, positive))
    if found.negative_agreement is not None:
        made["negative_agreement"] = specific_interval(tally, partial(ne, positive))
    if found.bias_index is not None:
        made["bias_index"] = difference_interval(
            share(tally, lambda unit: unit[0] == positive != unit[1], pairs),
            share(tally, lambda unit: unit[1] == positive != unit[0], pairs),
        )
    return made


def _parts(tally: Tally, offered: Offered, weight: Amount) -> Part:
    """Pi as the mean of every answer against all others; two answers were given at least."""
    everything = mentions(tally, lambda _: True, weight).value
    shares = {k: mentions(tally, partial(eq, k), weight).value / everything for k in offered}
    weights = {k: p * (1 - p) for k, p in shares.items() if 0 < p < 1}
    whole = sum(weights.values())
    against_all = [
        combined(
            [1.0, 1.0],
            [specific(tally, partial(eq, k), weight), specific(tally, partial(ne, k), weight)],
            unseen=0.0,
        )
        for k in weights
    ]
    # two answers against each other are one and the same: so what is not seen goes together
    return combined([w / whole for w in weights.values()], against_all, unseen=1.0)


def _pi(tally: Tally, offered: Offered, weight: Amount) -> Linear:
    everything = mentions(tally, lambda _: True, weight)
    split = total(tally.per_cluster(lambda unit: 2 * weight(unit) * (pairs(unit) - equal(unit))))
    chance = _constant(0.0, split)
    for k in offered:
        p = mentions(tally, partial(eq, k), weight) / everything
        chance = chance + p * p
    return 1.0 - (split / everything) / (1.0 - chance)


def _kappa(tally: Tally, offered: Offered) -> Linear:
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


def _coefficient(value: float, varies: Linear, parts: Part) -> Interval:
    """The ends of the parts, stretched as far as the coefficient varies more or less than they."""
    stretch = varies.size / parts.linear.size if parts.linear.size and varies.size else 1.0
    low, high = value - stretch * parts.down, value + stretch * parts.up
    return Interval(value, max(low, -1.0), min(high, 1.0), FROM_SPECIFIC)


def _ac1(tally: Tally, value: float, offered: Offered) -> Interval:
    """The ends of agreement over units, stretched as far as AC1 varies more or less than it."""
    agreed = share(tally, lambda unit: equal(unit) / pairs(unit), lambda _: 1.0)
    units = total(tally.per_cluster(lambda _: 1.0))
    split = total(tally.per_cluster(lambda unit: 1 - equal(unit) / pairs(unit))) / units
    room = _constant(1.0, split)
    for k in offered:
        p = total(tally.per_cluster(partial(_share_of, k))) / units
        room = room + p * (1.0 - p) * (-1 / (len(offered) - 1))
    stretch = (split / room).size / split.size * room.value if split.size else 1.0
    down, up = (stretch / room.value * step for step in distances(agreed))
    return Interval(value, max(value - down, -1.0), min(value + up, 1.0), FROM_PERCENT)


def _share_of(answer: Answer, unit: Unit) -> float:
    return chosen(unit, partial(eq, answer)) / answers(unit)


def _constant(value: float, like: Linear) -> Linear:
    return Linear(value, 0.0 * like.influence)
