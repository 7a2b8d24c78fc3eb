"""Intervals of a rate whose events come in clusters: Garwood's exact Poisson, rescaled.

The interval is that of the effective number of events, the number of independent events that would
vary as much as the units do, divided by it and multiplied by the rate. Arrays hold one number a
unit; rates are per unit of exposure.
"""

from math import isinf

from numpy.typing import ArrayLike
from scipy import special

from labelling.statistics.arithmetic import ratio
from labelling.statistics.interval import LEVEL, ONE_UNIT, Interval, Numbers, undefined
from labelling.statistics.units import numbers, spread

METHOD = "Garwood on the effective number of events"

LEAST = 0.001
"""Effective events below which the interval would run over a thousand times the rate."""

Ends = tuple[float, float]


def garwood(events: float, level: float = LEVEL) -> Ends:
    """The exact interval of a Poisson mean; events need not be whole. (Garwood 1936)

    >>> [round(end, 2) for end in garwood(10)]
    [4.8, 18.39]
    """
    tail = (1 - level) / 2
    low = float(special.gammaincinv(events, tail)) if events > 0 else 0.0
    return low, float(special.gammaincinv(events + 1, 1 - tail))


def rate_interval(events: ArrayLike, exposure: ArrayLike, level: float = LEVEL) -> Interval:
    """The interval of sum(events) / sum(exposure), with one entry a unit.

    >>> found = rate_interval([1, 2, 1, 0], [10, 10, 10, 10])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.1, 0.015, 0.337)
    """
    counts, sizes = numbers(events), numbers(exposure)
    total = float(sizes.sum())
    rate = ratio(float(counts.sum()), total)
    if rate is None:
        return undefined(METHOD, "no exposure")
    influence = (counts - rate * sizes) / total
    return _interval(rate, float(counts.sum()), total, influence, sizes, level)


def wrong_rate_interval(
    records: ArrayLike, judged: ArrayLike, wrong: ArrayLike, turns: ArrayLike, level: float = LEVEL
) -> Interval:
    """Wrong records a turn: records / turns x wrong / judged, where not every record is judged.

    Its influence is that of the product of the two ratios, so what the unjudged leave unknown is in
    the interval; the events are the wrong records among the judged. 0 where there are no records.
    """
    r, j, w, t = map(numbers, (records, judged, wrong, turns))
    n_records, n_judged, n_wrong, n_turns = (float(a.sum()) for a in (r, j, w, t))
    if not n_turns or not n_records:
        return rate_interval(w, t, level)
    if not n_judged:
        return undefined(METHOD, "no judged records")
    rate = n_records * n_wrong / (n_judged * n_turns)
    influence = rate * (r / n_records - j / n_judged - t / n_turns)
    influence = influence + (rate * w / n_wrong if n_wrong else 0.0)
    return _interval(rate, n_wrong, n_turns * n_judged / n_records, influence, t, level)


def _interval(
    rate: float, events: float, exposure: float, influence: Numbers, sizes: Numbers, level: float
) -> Interval:
    variance = spread(influence, sizes, level).variance
    if isinf(variance):
        return undefined(METHOD, ONE_UNIT, rate, events)
    if not events:
        high = garwood(0, level)[1] / exposure
        return Interval(0.0, 0.0, high, METHOD, effective_n=0.0, influence=influence)
    effective = min(rate**2 / variance, events) if variance else events
    if effective < LEAST:
        return undefined(METHOD, ONE_UNIT, rate, events)
    low, high = garwood(effective, level)
    return Interval(
        rate,
        rate * low / effective,
        rate * high / effective,
        METHOD,
        n=events,
        effective_n=effective,
        design_effect=events / effective,
        influence=influence,
    )
