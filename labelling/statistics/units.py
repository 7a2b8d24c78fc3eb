"""Units: whose answers are independent of each other, and how far their estimates spread.

A unit is a user, or a session where users do not come back. What one user says in several sessions
is alike, so sessions are no independent units as soon as users recur. Counts are one number a unit.
"""

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import special

from labelling.statistics.interval import Numbers

Unit = Literal["user", "session"]

NEARLY_ONE = 1.05
"""Equal-sized units below which one unit holds all but a fortieth: nothing is known of others."""


def unit(sessions: pl.DataFrame) -> Unit:
    """The unit of a study: the user; the session where there is only one user.

    `sessions` has a row a session with `user_id`. Taking sessions where fewer than 30 users recur
    covers 72-92 % instead of 95 (docs/intervals.md), so there is no such threshold.
    """
    return "user" if sessions["user_id"].n_unique() > 1 else "session"


def per_unit(units: pl.Series, rows: pl.Series, amounts: pl.Series | None = None) -> Numbers:
    """How many rows (or how much of `amounts`) each unit has, in the order of `units`.

    `units`: the distinct units; `rows`: the unit of each row.

    >>> per_unit(pl.Series(["a", "b"]), pl.Series(["b", "b"])).tolist()
    [0.0, 2.0]
    """
    place = {name: i for i, name in enumerate(units)}
    places = np.array([place[name] for name in rows], dtype=np.int64)
    weights = None if amounts is None else amounts.to_numpy()
    return np.bincount(places, weights, len(place)).astype(np.float64)


@dataclass(frozen=True)
class Spread:
    """How an estimate varies between units.

    `variance` is widened by what few units leave unknown, infinite where one unit holds all;
    `units` is how many units of equal size would say as much: 1 / sum of squared shares.
    """

    variance: float
    units: float


def spread(influence: Numbers, sizes: Numbers, level: float) -> Spread:
    """The linearised between-unit variance, for use with a normal quantile.

    Each unit's square is multiplied by 1 / (1 - its share of the size), which is m / (m - 1) for m
    equal units (Bell & McCaffrey 2002), and the whole by (t / z)^2 with the degrees of freedom of
    the equal-sized units (Korn & Graubard 1998).
    """
    shares = sizes / sizes.sum()
    units = 1 / float(shares @ shares)
    if units < NEARLY_ONE:
        return Spread(inf, 1.0)
    widened = (t_quantile(level, units - 1) / z_quantile(level)) ** 2
    return Spread(float(influence**2 @ (1 / (1 - shares))) * widened, units)


def z_quantile(level: float) -> float:
    """1.96 for .95."""
    return float(special.ndtri(0.5 + level / 2))


def t_quantile(level: float, freedom: float) -> float:
    """Student's two-sided quantile."""
    return float(special.stdtrit(freedom, 0.5 + level / 2))


def numbers(values: ArrayLike) -> Numbers:
    """Values as an array of floats."""
    return np.asarray(values, dtype=np.float64)
