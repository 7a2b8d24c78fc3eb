"""The area under the ROC curve of scores that were made fold by fold, with its interval.

It is the share of pairs (one positive, one negative case of the same fold) that the scores put in
the right order, ties one half; scores of different folds come of different models and are not
compared. Cases of one unit (a user, who is in one fold) go together.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelling.statistics.interval import LEVEL, Interval, Numbers, undefined
from labelling.statistics.shares import FEW, clopper_pearson, wilson
from labelling.statistics.units import numbers, spread

METHOD = "Wilson (Clopper-Pearson near 1) on DeLong's effective size, unit user"
NO_PAIR = "no fold has cases of both kinds"


def auc_interval(
    scores: ArrayLike,
    positive: ArrayLike,
    units: ArrayLike,
    folds: ArrayLike,
    level: float = LEVEL,
) -> Interval:
    """The AUC, one entry a case; its variance is DeLong's, summed by unit (Obuchowski 1997).

    The effective size is the number of cases of the rarer kind that would vary as much: between
    the number of equal-sized units and all of that kind; the number of units where every pair is
    ordered alike. The interval is of these models' scores on another draw of users: what another
    training set would do is not in it.

    >>> found = auc_interval([3, 1, 2, 0], [1, 1, 0, 0], ["a", "b", "c", "d"], [0, 0, 0, 0])
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (0.75, 0.03, 1.0)
    """
    is_positive = np.asarray(positive, dtype=bool)
    right, pairs = _ordered(numbers(scores), is_positive, np.asarray(folds))
    total = float(pairs[is_positive].sum())
    if not total:
        return undefined(METHOD, NO_PAIR)
    value = float(right[is_positive].sum()) / total
    _, place = np.unique(np.asarray(units), return_inverse=True)
    influence = numbers(np.bincount(place, (right - value * pairs) / total))
    sizes = numbers(np.bincount(place, pairs > 0))
    rarer = float(min((is_positive & (pairs > 0)).sum(), (~is_positive & (pairs > 0)).sum()))
    effective = _effective(value, rarer, influence[sizes > 0], sizes[sizes > 0], level)
    exact = min(value, 1 - value) * effective < FEW
    low, high = (clopper_pearson if exact else wilson)(value, effective, level)
    return Interval(
        value, min(low, value), max(high, value), METHOD, n=rarer, effective_n=effective
    )


def _ordered(
    scores: Numbers, positive: NDArray[np.bool_], folds: NDArray[np.generic]
) -> tuple[Numbers, Numbers]:
    """Of each case how many pairs it is in, and how many of them are in the right order."""
    from scipy.stats import rankdata  # a second's import, which other commands need not wait for

    right, pairs = np.zeros(len(scores)), np.zeros(len(scores))
    for fold in np.unique(folds):
        here = np.flatnonzero(folds == fold)
        ups, downs = here[positive[here]], here[~positive[here]]
        everywhere = dict(zip(here, rankdata(scores[here]), strict=True))
        for own, other, sign in ((ups, downs, 1), (downs, ups, -1)):
            # a rank among all, less that among one's own, counts the others below
            below = np.array([everywhere[i] for i in own]) - rankdata(scores[own])
            right[own] = below if sign > 0 else len(other) - below
            pairs[own] = len(other)
    return right, pairs


def _effective(p: float, rarer: float, influence: Numbers, sizes: Numbers, level: float) -> float:
    between = spread(influence, sizes, level)
    least = min(between.units, rarer)
    if p in (0.0, 1.0) or between.units == 1:
        return max(least, 1.0)
    if between.variance == 0:
        return least
    return float(np.clip(p * (1 - p) / between.variance, least, rarer))
