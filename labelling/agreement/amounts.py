"""Amounts of one unit's answers: how many, which, in how many pairs. None is no answer."""

from collections.abc import Callable
from functools import partial
from operator import eq

from labelling.agreement.counts import Answer, Unit

Amount = Callable[[Unit], float]
Chosen = Callable[[Answer], bool]


def answers(unit: Unit) -> int:
    """How many answers there are.

    >>> answers(("yes", None, "no"))
    2
    """
    return len(unit) - unit.count(None)


def pairs(unit: Unit) -> float:
    """How many pairs of answers there are."""
    return answers(unit) * (answers(unit) - 1) / 2


def chosen(unit: Unit, which: Chosen) -> int:
    """How many gave such an answer."""
    return sum(1 for answer in unit if answer is not None and which(answer))


def both(unit: Unit, which: Chosen) -> float:
    """Pairs in which both gave such an answer."""
    return chosen(unit, which) * (chosen(unit, which) - 1) / 2


def somebody(unit: Unit, which: Chosen) -> float:
    """Pairs in which at least one gave such an answer."""
    return pairs(unit) - both(unit, lambda answer: not which(answer))


def equal(unit: Unit) -> float:
    """Pairs of equal answers."""
    given = [answer for answer in dict.fromkeys(unit) if answer is not None]
    return sum(both(unit, partial(eq, answer)) for answer in given)


def once(_: Unit) -> float:
    """The weight of a pair where every pair counts once."""
    return 1.0


def by_answers(unit: Unit) -> float:
    """The weight of a pair where every answer counts once, as in alpha."""
    return 1 / (answers(unit) - 1)
