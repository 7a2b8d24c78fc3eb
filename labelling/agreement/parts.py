"""Shares of a tally, and what coefficients are put together from.

Specific agreement on an answer is 2 j / (1 + j), where j is the share of pairs that both gave it
among those where somebody did; so its interval is that of the share j with both ends turned. That
is exact where few gave the answer, which is where a coefficient gets its spread from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from labelling.agreement.amounts import Amount, Chosen, answers, both, chosen, once, somebody
from labelling.agreement.linear import Linear, correlation, total
from labelling.agreement.tally import Tally
from labelling.statistics import Interval, share_interval


@dataclass(frozen=True)
class Part:
    """A value that varies, and its distances to its two ends."""

    linear: Linear
    down: float
    up: float


def share(tally: Tally, right: Amount, of: Amount) -> Interval:
    """The interval of sum(right) / sum(of), which is worth at most one case a unit."""
    cases = float(tally.per_cluster(lambda unit: of(unit) > 0).sum())
    return share_interval(tally.per_cluster(right), tally.per_cluster(of), n=cases)


def turned(interval: Interval, turn: Callable[[float], float]) -> Interval:
    """The interval of a rising function of the value."""
    value, low, high = (
        None if x is None else turn(x) for x in (interval.value, interval.low, interval.high)
    )
    return replace(interval, value=value, low=low, high=high)


def specific_interval(tally: Tally, which: Chosen, weight: Amount = once) -> Interval:
    """The interval of specific agreement on such answers."""
    agreed = share(
        tally,
        lambda unit: weight(unit) * both(unit, which),
        lambda unit: weight(unit) * somebody(unit, which),
    )
    return turned(agreed, lambda j: 2 * j / (1 + j))


def specific(tally: Tally, which: Chosen, weight: Amount) -> Part:
    """Specific agreement on such answers; somebody gave one."""
    agreed = total(tally.per_cluster(lambda unit: 2 * weight(unit) * both(unit, which)))
    linear = agreed / mentions(tally, which, weight)
    return Part(linear, *distances(specific_interval(tally, which, weight)))


def mentions(tally: Tally, which: Chosen, weight: Amount) -> Linear:
    """How often such an answer is in a pair."""
    return total(
        tally.per_cluster(lambda unit: weight(unit) * chosen(unit, which) * (answers(unit) - 1))
    )


def distances(interval: Interval) -> tuple[float, float]:
    """From the value to the lower and to the upper end."""
    assert interval.value is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.value - interval.low, interval.high - interval.value


def combined(weights: Sequence[float], parts: Sequence[Part], *, unseen: float) -> Part:
    """The weighted sum of parts (MOVER); `unseen`: the correlation of what is not seen to vary."""
    linear = parts[0].linear * weights[0]
    for weight, part in zip(weights[1:], parts[1:], strict=True):
        linear = linear + part.linear * weight
    along = [[correlation(a.linear, b.linear, unseen=unseen) for b in parts] for a in parts]
    down = [weight * part.down for weight, part in zip(weights, parts, strict=True)]
    up = [weight * part.up for weight, part in zip(weights, parts, strict=True)]
    return Part(linear, _length(down, along), _length(up, along))


def _length(steps: Sequence[float], along: Sequence[Sequence[float]]) -> float:
    """The length of steps that go together as `along` says; a step goes wholly with itself."""
    squared = sum(step**2 for step in steps) + sum(
        2 * steps[i] * steps[j] * along[i][j] for i in range(len(steps)) for j in range(i)
    )
    return sqrt(max(squared, 0.0))
