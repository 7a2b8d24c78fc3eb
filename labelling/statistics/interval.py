"""What an interval is: a value, its two ends, and all that it rests on."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
"""One number a unit, in one order of units throughout."""

LEVEL = 0.95

ONE_UNIT = "nearly all is of one user or session, which says nothing about others"


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval at the level asked for; low and high are inclusive.

    Null ends come with a `reason`. `n` is what was counted (records, facts, events), `effective_n`
    how many independent ones it is worth, `design_effect` = n / effective_n. `influence` is what
    each unit adds to the estimate's error: with it two estimates on the same units are compared.
    `undefined_draws` and `seed` are of a bootstrap.
    """

    value: float | None
    low: float | None
    high: float | None
    method: str
    reason: str | None = None
    n: float = 0.0
    effective_n: float | None = None
    design_effect: float | None = None
    undefined_draws: int = 0
    seed: int | None = None
    influence: Numbers | None = field(default=None, repr=False, compare=False)


def undefined(method: str, reason: str, value: float | None = None, n: float = 0.0) -> Interval:
    """No interval, and why."""
    return Interval(value, None, None, method, reason, n)
