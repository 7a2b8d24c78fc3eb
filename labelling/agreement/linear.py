"""Numbers that know how they vary: a value, and what each cluster adds to its error.

A total is a sum over clusters (users or sessions); whatever is computed from totals by + - * /
carries its first-order (linearised) error along, so that a coefficient is written once, as its
formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelling.statistics.interval import Numbers

_ROUNDING = 1e-9
"""Below it an influence is what rounding left: a single cluster has none."""


@dataclass(frozen=True)
class Linear:
    """A value and its influence: one number a cluster, whose sum of squares is its variance."""

    value: float
    influence: Numbers

    def __add__(self, other: Linear | float) -> Linear:
        """Sum."""
        x = _linear(other, self)
        return Linear(self.value + x.value, self.influence + x.influence)

    def __mul__(self, other: Linear | float) -> Linear:
        """Product."""
        x = _linear(other, self)
        return Linear(self.value * x.value, self.influence * x.value + self.value * x.influence)

    def __truediv__(self, other: Linear) -> Linear:
        """Quotient; the caller knows that the divisor is not 0."""
        share = self.value / other.value
        return Linear(share, (self.influence - share * other.influence) / other.value)

    def __rsub__(self, other: float) -> Linear:
        """A number less this."""
        return Linear(other - self.value, -self.influence)

    @property
    def size(self) -> float:
        """The length of the influence: the standard error, but for what few clusters add."""
        length = float(np.sqrt(self.influence @ self.influence))
        return length if length > _ROUNDING else 0.0


def total(amounts: Numbers) -> Linear:
    """The sum of one amount a cluster. Only ratios of totals have an error that means anything."""
    return Linear(float(amounts.sum()), amounts)


def correlation(x: Linear, y: Linear, *, unseen: float) -> float:
    """Of two errors; `unseen` where one of them is not seen to vary."""
    size = x.size * y.size
    return float(np.clip(x.influence @ y.influence / size, -1, 1)) if size > 0 else unseen


def _linear(x: Linear | float, like: Linear) -> Linear:
    return x if isinstance(x, Linear) else Linear(x, np.zeros_like(like.influence))
