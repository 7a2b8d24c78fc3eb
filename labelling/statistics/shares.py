"""Intervals of a share whose cases come in clusters: Wilson, or Clopper-Pearson near the ends.

Both are computed on the effective sample size, the number of independent cases that would vary as
much as the units do. Arrays hold one number a unit.
"""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from labelling.statistics.arithmetic import ratio
from labelling.statistics.interval import LEVEL, Interval, undefined
from labelling.statistics.units import Spread, numbers, spread, z_quantile

WILSON = "Wilson on the effective sample size"
EXACT = "Clopper-Pearson on the effective sample size"
FEW = 10
"""Fewer cases than this on one side: the exact interval."""

Ends = tuple[float, float]


def wilson(p: float, n: float, level: float = LEVEL) -> Ends:
    """Wilson's score interval of a share p of n > 0 cases; n need not be whole. (Wilson 1927)"""
    z2 = z_quantile(level) ** 2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def clopper_pearson(p: float, n: float, level: float = LEVEL) -> Ends:
    """The exact interval of a share p of n > 0 cases; neither p n nor n need be whole. (1934)"""
    right, wrong, tail = p * n, (1 - p) * n, (1 - level) / 2
    low = float(special.betaincinv(right, wrong + 1, tail)) if p > 0 else 0.0
    high = float(special.betaincinv(right + 1, wrong, 1 - tail)) if p < 1 else 1.0
    return low, high


def share_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    level: float = LEVEL,
    *,
    n: float | None = None,
) -> Interval:
    """The interval of sum(numerators) / sum(denominators), with one entry a unit.

    `n` is the number of cases where the denominators are weights. The effective sample size lies
    between the number of equal-sized units (cases of a unit all alike) and n (all independent); n
    where all or none are right, 1 where one unit holds them all.

    >>> found = share_interval([9, 8, 10, 7], [10, 10, 10, 10])
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (0.85, 0.53, 0.99)
    """
    right, cases = numbers(numerators), numbers(denominators)
    total = float(cases.sum())
    p = ratio(float(right.sum()), total)
    if p is None:
        return undefined(WILSON, "nothing in the denominator")
    p, n = min(p, 1.0), total if n is None else n
    influence = (right - p * cases) / total
    effective = _effective(p, n, spread(influence, cases, level))
    exact = min(p, 1 - p) * n < FEW - 1e-9
    low, high = (clopper_pearson if exact else wilson)(p, effective, level)
    return Interval(
        p,
        min(low, p),
        max(high, p),
        EXACT if exact else WILSON,
        n=n,
        effective_n=effective,
        design_effect=n / effective,
        influence=influence,
    )


def _effective(p: float, n: float, between: Spread) -> float:
    """Independent cases that vary as the units do; one where one unit holds them all."""
    if between.units == 1:
        return min(n, 1.0)
    if p in (0.0, 1.0):
        return n
    independent = n if between.variance == 0 else p * (1 - p) / between.variance
    return float(np.clip(independent, min(between.units, n), n))
