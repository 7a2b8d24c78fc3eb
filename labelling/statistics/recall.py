"""The interval of weighted recall: facts found for certain, and facts that a sample found.

A fact weighs 1 / (the probability that somebody was shown it). Certain facts (weight 1) are many;
those of a sample are few and heavy, so the normal arithmetic on the whole misses. Recall is put
together from three parts, each with an interval of its own,

    recall = (certain + odds x sampled) / (1 + odds)

certain = recall among certain facts, sampled = recall among sampled ones, odds = weight of the
sampled / weight of the certain. Its error on each side is the root of the summed squares of what
each part's own end does to it (Zou & Donner 2008).
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from labelling.statistics.interval import LEVEL, Interval, Numbers, undefined
from labelling.statistics.shares import share_interval
from labelling.statistics.units import numbers, spread

METHOD = "combined from certain and sampled facts"

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class _Part:
    value: float
    low: float
    high: float


_NONE = _Part(0.0, 0.0, 0.0)


def recall_interval(
    units: ArrayLike,
    weights: ArrayLike,
    captured: ArrayLike,
    *,
    heaviest: float = 1.0,
    pooled: bool = True,
    level: float = LEVEL,
) -> Interval:
    """The interval of sum(weight of captured facts) / sum(weight); arrays have one entry a fact.

    `units` are whole numbers from 0, the user or session of each fact. `heaviest` is the largest
    weight a fact could have had: where a sample found no fact, it says what may have been missed.
    `pooled`: all that the gate wrote was labelled, so that it can have captured no fact of a sample
    but those it did.
    """
    place, weight = np.asarray(units, dtype=np.int64), numbers(weights)
    hit = np.asarray(captured, dtype=bool)
    if not weight.size:
        return undefined(METHOD, "no reference fact has a weight")
    whole = _share(place, weight, hit, level)
    sampled = weight > 1
    if sampled.all() or (heaviest <= 1 and not sampled.any()):
        return whole
    seen = {
        flag: _share(place[sampled == flag], weight[sampled == flag], hit[sampled == flag], level)
        for flag in (False, True)
    }
    return _combined(
        whole,
        _part(seen[False]),
        _NONE if pooled and not hit[sampled].any() else _sampled(seen[True]),
        _odds(place, weight, sampled, max(heaviest, float(weight.max())), level),
    )


def _share(place: Places, weight: Numbers, hit: Flags, level: float) -> Interval:
    everything = np.bincount(place, weight).astype(np.float64)
    n = float(weight.sum() ** 2 / (weight @ weight)) if weight.size else 0.0
    return share_interval(np.bincount(place, weight * hit), everything, level, n=n)


def _sampled(found: Interval) -> _Part:
    """Recall among sampled facts; where there is none, nothing is known of it."""
    return _part(found) if found.low is not None else _Part(0.0, 0.0, 1.0)


def _part(found: Interval) -> _Part:
    return _Part(found.value or 0.0, found.low or 0.0, found.high or 0.0)


def _odds(place: Places, weight: Numbers, sampled: Flags, heaviest: float, level: float) -> _Part:
    """Sampled weight per certain weight: a sum of few heavy events. (Fay & Feuer 1997, mid-way)"""
    heavy = numbers(np.bincount(place, np.where(sampled, weight, 0.0)))
    light = numbers(np.bincount(place, np.where(sampled, 0.0, weight)))
    total = float(light.sum())
    odds = float(heavy.sum()) / total
    between = spread((heavy - odds * light) / total, heavy + light, level).variance
    within = float((weight[sampled] ** 2).sum()) / total**2
    half = heaviest / total
    mean, variance = odds + half / 2, max(between, within) + half**2 / 2
    if not np.isfinite(variance):
        variance = within + half**2 / 2
    shape, scale = mean**2 / variance, variance / mean
    tail = (1 - level) / 2
    low, high = (float(special.gammaincinv(shape, q)) * scale for q in (tail, 1 - tail))
    return _Part(odds, min(low, odds), max(high, odds))


def _combined(whole: Interval, certain: _Part, sampled: _Part, odds: _Part) -> Interval:
    def recall(c: float, s: float, o: float) -> float:
        return (c + o * s) / (1 + o)

    value = recall(certain.value, sampled.value, odds.value)
    moved = [
        *(recall(c, sampled.value, odds.value) - value for c in (certain.low, certain.high)),
        *(recall(certain.value, s, odds.value) - value for s in (sampled.low, sampled.high)),
        *(recall(certain.value, sampled.value, o) - value for o in (odds.low, odds.high)),
    ]
    down = sqrt(sum(min(step, 0.0) ** 2 for step in moved))
    up = sqrt(sum(max(step, 0.0) ** 2 for step in moved))
    return Interval(
        value,
        max(value - down, 0.0),
        min(value + up, 1.0),
        METHOD,
        n=whole.n,
        effective_n=whole.effective_n,
        design_effect=whole.design_effect,
        influence=whole.influence,
    )
