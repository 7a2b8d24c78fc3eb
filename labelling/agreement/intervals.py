"""Intervals of agreement: how far another draw of users (or sessions) would move a statistic.

Percent agreement and PABAK are shares, specific agreement comes of one (parts.py). Pi of two
answers is positive + negative agreement - 1; of more answers it is the mean of what each one
against all others has. So pi, kappa and alpha get the ends of specific agreement (MOVER, Zou &
Donner 2008), stretched by how they themselves vary to first order; AC1 those of percent agreement.
How often they hold: docs/agreement.md.
"""

from collections.abc import Callable
from functools import partial
from operator import eq, ne

from labelling.agreement.amounts import (
    Amount,
    both,
    by_answers,
    equal,
    once,
    pairs,
)
from labelling.agreement.coefficients import Offered, disagreement, kappa, pi, room
from labelling.agreement.counts import Answer
from labelling.agreement.linear import Linear
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
    coefficients: dict[str, tuple[Callable[[], Linear], Amount]] = {
        "scott_pi": (lambda: pi(paired, offered, once), once),
        "krippendorff_alpha_nominal": (lambda: pi(paired, offered, by_answers), by_answers),
        "cohen_kappa": (lambda: kappa(paired, offered), once),
    }
    for name, (varies, weight) in coefficients.items():
        value = getattr(found, name)
        if value is not None:
            made[name] = _coefficient(value, varies(), _parts(paired, offered, weight))
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


def _coefficient(value: float, varies: Linear, parts: Part) -> Interval:
    """The ends of the parts, stretched as far as the coefficient varies more or less than they."""
    stretch = varies.size / parts.linear.size if parts.linear.size and varies.size else 1.0
    low, high = value - stretch * parts.down, value + stretch * parts.up
    return Interval(value, max(low, -1.0), min(high, 1.0), FROM_SPECIFIC)


def _ac1(tally: Tally, value: float, offered: Offered) -> Interval:
    """The ends of agreement over units, stretched as far as AC1 varies more or less than it."""
    agreed = share(tally, lambda unit: equal(unit) / pairs(unit), lambda _: 1.0)
    split, left = disagreement(tally), room(tally, offered)
    stretch = (split / left).size / split.size if split.size else 1 / left.value
    down, up = (stretch * step for step in distances(agreed))
    return Interval(value, max(value - down, -1.0), min(value + up, 1.0), FROM_PERCENT)
