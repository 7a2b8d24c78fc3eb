"""Answers behind the door are counts: how many units got which answers.

Ratings are equally long sequences, one per annotator, one place per unit (a candidate); None is
missing. A unit's answers are a tuple, one place per annotator.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelling.tables import InputError

Answer = Hashable
Answers = Sequence[Answer | None]
Unit = tuple[Answer | None, ...]
Counts = Mapping[Unit, int]
"""The answers to a unit, one per annotator -> how many units got just these."""


@dataclass(frozen=True)
class Answered:
    """So many `units` whose answers are these: `given` counts each of the `m` of a unit."""

    given: Counter[Any]
    m: int
    units: int

    @property
    def equal_pairs(self) -> float:
        """The share of a unit's pairs of answers that are equal; m is at least 2."""
        return sum(n * (n - 1) for n in self.given.values()) / (self.m * (self.m - 1))


def counts_of(ratings: Mapping[str, Answers]) -> Counts:
    """Raises InputError for annotators of unequal lengths."""
    lengths = {name: len(answers) for name, answers in ratings.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"the annotators have unequal numbers of answers ({lengths})",
            expected="one answer or None for each unit",
        )
    return Counter(zip(*ratings.values(), strict=True))


def answered(units: Counts, *, at_least: int) -> list[Answered]:
    """The units with at least so many answers."""
    given = ((Counter(x for x in unit if x is not None), n) for unit, n in units.items())
    several = (Answered(answers, answers.total(), n) for answers, n in given)
    return [unit for unit in several if unit.m >= at_least]


def answers_of(
    units: Iterable[Iterable[Answer | None]], offered: Iterable[Answer] | None
) -> tuple[Answer, ...]:
    """The answers offered, or those seen; raises InputError for one seen that was not offered."""
    # a dict, not a set: sums over the answers come out the same to the last bit in every run
    seen = dict.fromkeys(answer for unit in units for answer in unit if answer is not None)
    answers = dict.fromkeys(seen if offered is None else offered)
    strange = [repr(answer) for answer in seen if answer not in answers]
    if strange:
        expected = f"one of: {', '.join(map(repr, answers))}"
        raise InputError(f"the answer {strange[0]} was not offered", expected=expected)
    return tuple(answers)
