"""The interval of the quotient of two estimates that were made on different samples.

On the log scale each side's distance to its own ends is combined (MOVER, Zou & Donner 2008), so the
quotient inherits ends that hold with few cases. What the two samples share is taken for nothing.
"""

from math import exp, log, sqrt

from labelling.statistics.arithmetic import ratio
from labelling.statistics.interval import Interval, undefined

METHOD = "quotient of intervals on different samples (MOVER on logs)"


def quotient_interval(
    first: Interval, second: Interval, *, nothing: str = "nothing to divide by"
) -> Interval:
    """The interval of first / second, both 0 or more; null where the second is 0.

    The reason is then `nothing`, with the least that both intervals leave possible. Where the first
    is 0 so is the low end; the high end is then that of the two ends.
    """
    missing = next((one for one in (first, second) if one.low is None), None)
    if missing is not None:
        value = ratio(first.value or 0.0, second.value or 0.0) if first.value is not None else None
        return undefined(METHOD, missing.reason or "one of the two has no interval", value)
    (a, low, high), (b, b_low, b_high) = _known(first), _known(second)
    if not b or not b_low:
        least = f"; at least {low / b_high:.3g} by the ends of both intervals" if low else ""
        return undefined(METHOD, f"{nothing}{least}")
    down = exp(-_length(log(a / low), log(b_high / b))) if low else 0.0
    top = exp(_length(log(high / a), log(b / b_low))) * a / b if a else high / b_low
    return Interval(a / b, down * a / b, top, METHOD, n=min(first.n, second.n))


def _known(one: Interval) -> tuple[float, float, float]:
    assert one.value is not None
    assert one.low is not None
    assert one.high is not None
    return one.value, one.low, one.high


def _length(one: float, other: float) -> float:
    return sqrt(one**2 + other**2)
