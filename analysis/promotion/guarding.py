"""The guards on one pair's counts, compiled: what `guards` says in polars, for a pair at a time."""

from typing import NamedTuple

import numba

from analysis.promotion.rule import PromotionRule

HOLD, MAJORITY = 0, 1
"""The places of these in `cells.CONTRADICTIONS`."""
_ENOUGH = 2
"""From so many lengths or topics on they tell something."""


class How(NamedTuple):
    """What of a rule the compiled passes read, beside the values of the grid."""

    skips: bool
    explained: bool
    same_topic: bool
    later_wins: bool
    short: int
    long: int
    ratio: float


class Counted(NamedTuple):
    """What a pair's live rows come to; `said` is the row of its last generalisation, or -1."""

    n: int
    sessions: int
    said: int
    lengths: int
    shortest: int
    longest: int
    with_topic: int
    topics: int


def how(rule: PromotionRule) -> How:
    """The rule as the compiled passes read it."""
    return How(
        skips=rule.generalising_skips_contradiction,
        explained=rule.explained_by_output,
        same_topic=rule.same_topic,
        later_wins=rule.later_generalisation_wins,
        short=rule.short_output_tokens,
        long=rule.long_output_tokens,
        ratio=rule.min_length_ratio,
    )


@numba.njit(cache=True)
def held(rule: How, about: int, mine: Counted, later: int) -> bool:
    """Whether a guard fails that the grid does not vary; `later`: an opposite's `said`."""
    if mine.n == 0:
        return True
    if mine.said >= 0:
        return bool(rule.later_wins and later > mine.said)
    if rule.explained and about:
        varied = mine.lengths >= _ENOUGH and mine.longest >= rule.ratio * mine.shortest
        extreme = mine.shortest <= rule.short if about == 1 else mine.longest >= rule.long
        if not (varied and extreme):
            return True
    return bool(rule.same_topic and mine.with_topic >= _ENOUGH and mine.topics == 1)


@numba.njit(cache=True)
def contradicted(rule: How, contradiction: int, mine: Counted, against: int) -> bool:
    """Whether an opposite with `against` sessions (0: none is live) holds the pair back."""
    if mine.said >= 0 and rule.skips:
        return False
    if contradiction == HOLD:
        return against > 0
    return contradiction == MAJORITY and against > 0 and mine.sessions <= against
