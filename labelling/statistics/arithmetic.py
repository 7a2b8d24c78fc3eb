"""Division that knows when it is undefined, and quantiles. What is undefined is None."""

import math
from collections.abc import Sequence

NOT_COMPUTED = "not computed"
"""The reason of a column that this version leaves null."""


def ratio(numerator: float, denominator: float) -> float | None:
    """numerator / denominator, or None where the denominator is 0: the one place that divides.

    >>> ratio(3, 4)
    0.75
    >>> ratio(0, 0) is None
    True
    """
    return numerator / denominator if denominator else None


def nearest_rank(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank quantile: the smallest value with at least `share` of them at or below it.

    >>> nearest_rank([15, 20, 35, 40, 50], 0.5)
    35
    """
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1] if ordered else None
