"""Joint cluster bootstrap: the same draws of units for every gate, threshold and measure.

Draw once how often each unit comes (`draw_weights`, draws x units), then every statistic of counts
is one matrix product (`ratios`). It shows what moves together (orders of gates, whole curves); for
the interval of a single share it covers too seldom where records or units are few, see
docs/intervals.md.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from labelling.statistics.interval import LEVEL, Interval, Numbers, undefined
from labelling.statistics.units import numbers, t_quantile, z_quantile

METHOD = "joint cluster bootstrap, expanded percentiles"
DRAWS = 2000
MOST_UNDEFINED = 0.05
"""Share of undefined draws (0/0) above which there is no interval."""

Draws = NDArray[np.float32]


def draw_weights(
    units: int, seed: int, *, draws: int = DRAWS, strata: Sequence[int] | None = None
) -> Draws:
    """How often each draw takes each unit: draws x units, each row a sample with replacement.

    `strata`: the stratum of each unit, where their sizes were fixed beforehand (two corpora, two
    parts of the users); each is drawn from apart. Sentences and sessions drawn by their own hash
    are no strata: a unit comes with all it has.
    """
    random = np.random.default_rng(seed)
    labels = np.zeros(units, dtype=np.int64) if strata is None else np.asarray(strata)
    weights = np.zeros((draws, units), dtype=np.float32)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        weights[:, members] = _drawn(random, len(members), draws)
    return weights


def _drawn(random: np.random.Generator, units: int, draws: int) -> Draws:
    # one count over all draws at once; a multinomial per draw is many times slower
    picked = random.integers(0, units, size=(draws, units), dtype=np.int32)
    picked += (np.arange(draws, dtype=np.int32) * units)[:, None]
    counted = np.bincount(picked.ravel(), minlength=draws * units)
    return counted.reshape(draws, units).astype(np.float32)


def ratios(numerators: ArrayLike, denominators: ArrayLike, weights: Draws) -> Numbers:
    """Each draw's sum(numerators) / sum(denominators); NaN marks 0/0.

    `numerators`, `denominators`: units, or units x columns. Sums are exact up to 2^24.
    """
    above, below = (weights @ np.asarray(x, dtype=np.float32) for x in (numerators, denominators))
    found = np.full(above.shape, np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def percentile_interval(
    value: float | None, drawn: ArrayLike, *, units: int, seed: int, level: float = LEVEL
) -> Interval:
    """Expanded percentiles of one statistic's draws; undefined draws are left out and counted.

    The tail is Phi(-t sqrt(m / (m - 1))) for m units, which undoes what resampling few units loses.
    (Hesterberg 2015)
    """
    found = numbers(drawn)
    defined = found[np.isfinite(found)]
    lost = found.size - defined.size
    if value is None:
        return undefined(METHOD, "the value itself is undefined")
    if units < 2:
        return undefined(METHOD, "a single user or session cannot be resampled", value)
    if lost > MOST_UNDEFINED * found.size:
        return undefined(METHOD, f"{lost} of {found.size} draws are undefined", value)
    low, high = np.quantile(defined, _tails(units, level))
    return Interval(
        value,
        min(float(low), value),
        max(float(high), value),
        METHOD,
        n=units,
        undefined_draws=lost,
        seed=seed,
    )


def _tails(units: int, level: float) -> tuple[float, float]:
    wide = t_quantile(level, units - 1) * np.sqrt(units / (units - 1))
    tail = float(special.ndtr(-max(wide, z_quantile(level))))
    return tail, 1 - tail
