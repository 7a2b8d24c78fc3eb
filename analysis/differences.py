"""Two gates on the same users: what differs, how surely, and what the step between them buys.

A row is a pair of gates and a measure; a difference is after - before, precision and recall in
shares, wrong records per 1,000 turns. Both gates are cut to the sessions that both covered. Of many
comparisons the p-values are Holm's. (Holm 1979)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np
import polars as pl

from analysis import intervals
from analysis.figures import LEAST_P, MINUS
from analysis.ordering import draws_of
from analysis.points import point
from analysis.slices import Slice, paired
from labelling.statistics import (
    LEVEL,
    Interval,
    difference_interval,
    percentile_interval,
    ratio,
)

MEASURES = ("precision", "recall", "wrong_per_1000_turns")
LEAST = LEAST_P
"""The smallest p-value that is told apart: intervals were tried at 95 %, not that far out."""
FEWEST = 4
"""Users below which a difference has no p-value: its intervals were not found to hold."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Trade:
    """What a step costs and buys: points (0-100) of recall and precision, and the rate of exchange.

    `avoided_per_fact` is wrong records avoided per fact lost, both on balance (lost less won); null
    with a reason where no fact is lost.
    """

    recall_points: float | None
    precision_points: float | None
    avoided_per_fact: float | None
    reason: str | None = None


def differences(slices: Sequence[Slice]) -> pl.DataFrame:
    """before, after, measure, value, ci_low, ci_high, p, reason, p_holm: a row a pair, measure."""
    rows = [
        {"before": a.name, "after": b.name, "measure": measure, **_row(a, b, measure)}
        for a, b in (paired(pair) for pair in combinations(slices, 2))
        for measure in MEASURES
    ]
    table = pl.DataFrame(rows, schema=_SCHEMA)
    return table.with_columns(pl.Series("p_holm", holm(table["p"].to_list()), pl.Float64))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in the order given; null stays null and does not count.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, i) in enumerate(known):
        least = max(least, min(1.0, p * (len(known) - rank)))
        adjusted[i] = least
    return adjusted


def p_value(interval_at: Callable[[float], Interval]) -> float | None:
    """1 - the level of the widest interval that leaves 0 out; null where there is no interval.

    Found to a thousandth of itself; LEAST stands for anything smaller. Few users may have an
    interval at 95 % and none at a higher level.
    """
    low, high = log(LEAST), 0.0
    if interval_at(LEVEL).low is None:
        return None
    if _leaves_out_0(interval_at(1 - LEAST)):
        return LEAST
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if _leaves_out_0(interval_at(1 - exp(middle))) else (middle, high)
    return exp(high)


def trade(before: Row, after: Row) -> Trade:
    """What the step from one row of `operating_points` to another costs and buys (chapter 3).

    Facts are counted by weight: facts lost = the fall in recall x the reference's weight; wrong
    records avoided = the fall in wrong records per 1,000 turns x turns / 1,000.
    """
    recall = _fall(before["recall"], after["recall"])
    precision = _fall(after["precision"], before["precision"])
    wrong = _fall(before["wrong_per_1000_turns"], after["wrong_per_1000_turns"])
    bought = (_points(recall), _points(precision))
    if recall is None or wrong is None:
        return Trade(*bought, None, "recall or wrong records are undefined")
    if recall <= 0:
        return Trade(*bought, None, "on balance no fact is lost")
    avoided = wrong * before["assistant_turns"] / 1000
    return Trade(*bought, ratio(avoided, recall * before["reference_weight"]))


def step(before: Slice, after: Slice, seed: int = 7) -> str:
    """The step between two gates as a sentence, as the chapter reads its table, with intervals."""
    first, second = paired([before, after])
    made = trade(point(first), point(second))
    recall, precision = (_maker(first, second, m)(LEVEL) for m in ("recall", "precision"))
    exchange = avoided_interval(first, second, value=made.avoided_per_fact, seed=seed)
    return (
        f"From {before.name} to {after.name} "
        f"{_side(made.recall_points, 'costs', 'wins', 'recall', _turned(recall))} and "
        f"{_side(made.precision_points, 'buys', 'gives up', 'precision', precision)}; "
        + _exchange(made, exchange)
    )


def avoided_interval(
    before: Slice, after: Slice, *, value: float | None, seed: int = 7
) -> Interval:
    """Of wrong records avoided per fact lost, by joint draws of users of the same sessions.

    A draw in which no fact is lost is undefined: the ratio runs through infinity there, so there is
    no interval where such draws are more than a few.
    """
    drawn = draws_of([before, after], seed)
    lost = drawn.captured[:, 0] - drawn.captured[:, 1]
    avoided = drawn.wrong[:, 0] - drawn.wrong[:, 1]
    exchange = np.divide(avoided, lost, out=np.full(lost.shape, np.nan), where=lost > 0)
    return percentile_interval(value, exchange, units=drawn.units, seed=seed)


_SCHEMA = {
    **dict.fromkeys(("before", "after", "measure"), pl.String),
    **dict.fromkeys(("value", "ci_low", "ci_high", "p"), pl.Float64),
    "reason": pl.String,
}


def _row(before: Slice, after: Slice, measure: str) -> dict[str, Any]:
    made = _maker(before, after, measure)
    found, why = made(LEVEL), _no_p(before, after)
    return {
        "value": found.value,
        "ci_low": found.low,
        "ci_high": found.high,
        "p": None if why else p_value(made),
        "reason": found.reason or why,
    }


def _no_p(before: Slice, after: Slice) -> str | None:
    """Why a difference cannot have a p-value."""
    users = before.ground.sessions["user_id"].n_unique()
    if users < FEWEST:
        return f"no p-value from fewer than {FEWEST} users"
    doubtful = next((one for one in (before, after) if one.mostly_in_doubt), None)
    return (
        f"most records of {doubtful.name} are in doubt: decide the pairs first"
        if doubtful
        else None
    )


def _maker(before: Slice, after: Slice, measure: str) -> Callable[[float], Interval]:
    """The interval of after - before at any level."""
    units = intervals.units_of(before.ground.sessions)
    counts = [
        intervals.counts_of(
            units,
            one.ground.turns,
            one.records(),
            one.facts,
            one.again(),
            pooled=one.ground.pooled,
        )
        for one in (after, before)
    ]
    heaviest = before.ground.part.heaviest

    def at(level: float) -> Interval:
        first, second = (intervals.measured(one, heaviest, level)[measure] for one in counts)
        return difference_interval(first, second)

    return at


def _leaves_out_0(found: Interval) -> bool:
    """Whether it does; no interval leaves nothing out."""
    return found.low is not None and found.high is not None and (found.low > 0 or found.high < 0)


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _fall(high: float | None, low: float | None) -> float | None:
    return None if high is None or low is None else high - low


def _turned(found: Interval) -> Interval:
    """The interval of before - after."""
    low, high = (None if end is None else -end for end in (found.high, found.low))
    return replace(found, low=low, high=high)


def _side(points: float | None, more: str, less: str, measure: str, found: Interval) -> str:
    """One side of the trade in words; both ends of its interval in the direction of the words."""
    if points is None:
        return f"{more} an unknown share of {measure}"
    down = points < 0
    ends = _turned(found) if down else found
    words = f"{less if down else more} {abs(points):.1f} points of {measure}"
    if ends.low is None or ends.high is None:
        return words
    return words + _span(100 * ends.low, 100 * ends.high, 1)


def _exchange(made: Trade, found: Interval) -> str:
    if made.avoided_per_fact is None:
        return f"{made.reason}."
    if made.avoided_per_fact < 0:
        return f"{-made.avoided_per_fact:.2f} wrong records more for each fact lost, on balance."
    ends = (
        "" if found.low is None else f" ({found.low:.2f} to {found.high:.2f})".replace("-", MINUS)
    )
    return f"{made.avoided_per_fact:.2f} wrong records avoided per fact lost{ends}, on balance."


def _span(low: float, high: float, decimals: int) -> str:
    return f" ({low:.{decimals}f} to {high:.{decimals}f})".replace("-", MINUS)
