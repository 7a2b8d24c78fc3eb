"""Arithmetic that everybody shares: guarded division, quantiles, and intervals.

Shares are 0-1, rates are per unit of exposure. What is undefined is None with a reason, never 0, 1
or NaN. How far the intervals hold was measured on generated corpora: docs/intervals.md.
"""

from labelling.statistics.anytime import Band, confidence_sequence, evidence
from labelling.statistics.arithmetic import NOT_COMPUTED, nearest_rank, ratio
from labelling.statistics.auc import auc_interval
from labelling.statistics.bootstrap import draw_weights, percentile_interval, ratios
from labelling.statistics.differences import difference_interval
from labelling.statistics.interval import LEVEL, Interval
from labelling.statistics.quotients import quotient_interval
from labelling.statistics.rates import garwood, rate_interval, wrong_rate_interval
from labelling.statistics.recall import recall_interval
from labelling.statistics.shares import clopper_pearson, share_interval, wilson
from labelling.statistics.units import per_unit, unit
from labelling.statistics.unseen import unseen

__all__ = [
    "LEVEL",
    "NOT_COMPUTED",
    "Band",
    "Interval",
    "auc_interval",
    "clopper_pearson",
    "confidence_sequence",
    "difference_interval",
    "draw_weights",
    "evidence",
    "garwood",
    "nearest_rank",
    "per_unit",
    "percentile_interval",
    "quotient_interval",
    "rate_interval",
    "ratio",
    "ratios",
    "recall_interval",
    "share_interval",
    "unit",
    "unseen",
    "wilson",
    "wrong_rate_interval",
]
