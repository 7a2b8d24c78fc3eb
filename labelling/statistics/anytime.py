"""Evidence and intervals that stay valid however often one looks, and whenever one stops.

A look (a day, a week) brings `trials` and, among them, `events`; arrays hold one whole number a
look, in the order of time. The evidence against "the share of events is at most `limit`" is an
e-process: if that is so at every look, whatever else changes, it ever reaches 1 / (1 - level) with
probability 1 - level at most (Ville 1939), so an alarm there is a false one once in 20 histories
of any length, not once in 20 looks. The band is a confidence sequence: it holds a constant share at
all looks together.

Both are ratios of likelihoods, mixed over shares by Beta(1/2, 1/2); for the evidence, over those
above the limit (Robbins 1970; Ramdas, Grünwald, Vovk & Shafer 2023).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from labelling.statistics.interval import LEVEL, Numbers
from labelling.statistics.units import numbers

_PRIOR = 0.5
_SHARES = 50
_HALVINGS = 60
_MOST = 700.0
"""Log of the largest evidence that is told apart."""


@dataclass(frozen=True)
class Band:
    """The two ends after each look; 0 and 1 before the first trial."""

    low: Numbers
    high: Numbers


def evidence(events: ArrayLike, trials: ArrayLike, limit: float) -> Numbers:
    """The evidence after each look that the share of events rose above `limit` (0 < limit < 1).

    Mixed over the look since which it may have, the k-th with weight 1 / (k (k + 1)): good looks
    before a rise do not hide it. Raises ValueError for a limit that nothing can rise above.

    >>> evidence([1, 9, 9], [20, 20, 20], limit=0.1).round(1).tolist()
    [0.5, 127.5, 299181.9]
    """
    if not 0 < limit < 1:
        raise ValueError(f"limit is {limit}; expected a share between 0 and 1")
    higher = _shares_above(limit)
    per_event, per_miss = np.log(higher / limit), np.log((1 - higher) / (1 - limit))
    hits, misses = numbers(events), numbers(trials) - numbers(events)
    found, started = np.empty(len(hits)), np.full(_SHARES, -np.inf)
    for k in range(1, len(hits) + 1):
        seen = hits[k - 1] * per_event + misses[k - 1] * per_miss
        started = np.logaddexp(started, -np.log(k * (k + 1))) + seen
        # looks after the k-th together weigh 1 / (k + 1): a rise that may come yet
        found[k - 1] = np.exp(np.minimum(started, _MOST)).mean() + 1 / (k + 1)
    return found


def _shares_above(limit: float) -> Numbers:
    """Equally likely shares above the limit: those of Beta(1/2, 1/2)."""
    below = special.betainc(_PRIOR, _PRIOR, limit)
    at = below + (1 - below) * (np.arange(_SHARES) + 0.5) / _SHARES
    return numbers(special.betaincinv(_PRIOR, _PRIOR, at))


def confidence_sequence(events: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> Band:
    """The band of the share of events after each look, of all looks so far together.

    >>> band = confidence_sequence([5, 5], [50, 50])
    >>> band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.02, 0.03], [0.29, 0.23])
    """
    hits = np.cumsum(numbers(events))
    misses = np.cumsum(numbers(trials)) - hits
    mixed = special.betaln(hits + _PRIOR, misses + _PRIOR) - special.betaln(_PRIOR, _PRIOR)
    least = mixed + np.log(1 - level)

    def inside(share: Numbers) -> NDArray[np.bool_]:
        likelihood = special.xlogy(hits, share) + special.xlog1py(misses, -share)
        return np.asarray(likelihood > least)

    middle = np.divide(hits, hits + misses, out=np.full(len(hits), 0.5), where=hits + misses > 0)
    low, high = np.zeros(len(hits)), np.ones(len(hits))
    low_in, high_in = middle.copy(), middle.copy()
    for _ in range(_HALVINGS):
        for outer, inner in ((low, low_in), (high, high_in)):
            half = (outer + inner) / 2
            held = inside(half)
            inner[held], outer[~held] = half[held], half[~held]
    return Band(np.where(inside(low), 0.0, low), np.where(inside(high), 1.0, high))
