"""The interval of the difference of two estimates made on the same units.

Each side's distance to its own ends is combined, less what the two share (MOVER, Zou & Donner 2008;
for shares Newcombe's hybrid score). So the difference inherits ends that hold with few records,
where resampling the units finds no spread at all.
"""

from math import sqrt

import numpy as np

from labelling.statistics.interval import Interval, Numbers, undefined

METHOD = "difference of intervals on the same units (MOVER)"


def difference_interval(first: Interval, second: Interval) -> Interval:
    """The interval of first - second; both made on the same units in the same order."""
    missing = next((one for one in (first, second) if one.low is None), None)
    if missing is not None:
        return undefined(METHOD, missing.reason or "one of the two has no interval")
    a, b, (a_low, a_high), (b_low, b_high) = *_values(first, second), _ends(first), _ends(second)
    shared = _correlation(first.influence, second.influence)
    down = _distance(a - a_low, b_high - b, shared)
    up = _distance(a_high - a, b - b_low, shared)
    return Interval(
        a - b,
        a - b - down,
        a - b + up,
        METHOD,
        n=min(first.n, second.n),
        effective_n=min(first.effective_n or 0.0, second.effective_n or 0.0),
        influence=_difference(first.influence, second.influence),
    )


def _values(first: Interval, second: Interval) -> tuple[float, float]:
    assert first.value is not None
    assert second.value is not None
    return first.value, second.value


def _ends(one: Interval) -> tuple[float, float]:
    assert one.low is not None
    assert one.high is not None
    return one.low, one.high


def _distance(one: float, other: float, shared: float) -> float:
    return sqrt(max(one**2 + other**2 - 2 * shared * one * other, 0.0))


def _correlation(first: Numbers | None, second: Numbers | None) -> float:
    """Of what each unit adds to the two errors; 0 where it cannot be known."""
    if first is None or second is None:
        return 0.0
    size = sqrt(float(first @ first) * float(second @ second))
    return float(np.clip(first @ second / size, -1, 1)) if size > 0 else 0.0


def _difference(first: Numbers | None, second: Numbers | None) -> Numbers | None:
    return None if first is None or second is None else first - second
