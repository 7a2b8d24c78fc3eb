"""Which rules a grid has: every combination of the four values that people move.

A cell is one combination; cells are in the order of `itertools.product` over observations,
sessions, windows and contradictions, each value once, as given.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.promotion.rule import Contradiction, PromotionRule
from labelling.tables import InputError

CONTRADICTIONS: tuple[Contradiction, ...] = ("hold", "majority", "ignore")
"""Their numbers in the compiled passes are their places."""


_FOR_EVER = 4_000_000


@dataclass(frozen=True)
class Cells:
    """The values of a grid; each is a tuple without doubles."""

    min_observations: tuple[int, ...]
    min_sessions: tuple[int, ...]
    window_days: tuple[int, ...]
    contradiction: tuple[Contradiction, ...]

    def frame(self) -> pl.DataFrame:
        """A row for each cell, in order."""
        rows = product(*self._values())
        return pl.DataFrame(list(rows), schema=self._schema(), orient="row")

    def at(self, places: NDArray[np.int32]) -> dict[str, pl.Series]:
        """The values of cells; their places within the four tuples are the first four columns."""
        return {
            name: pl.Series(name, values, dtype=kind).gather(places[:, column])
            for column, ((name, kind), values) in enumerate(
                zip(self._schema().items(), self._values(), strict=True)
            )
        }

    def reached(self, name: str, most: int) -> NDArray[np.bool_]:
        """Whether a count (row, from 0) reaches each least number; no count is above `most`.

        The last row but one stands for all counts above it, the last for pairs that no least
        number holds back.
        """
        values = np.array(getattr(self, name))
        counts = np.arange(min(int(values.max()), most) + 1)
        return np.vstack([values[None, :] <= counts[:, None], np.ones_like(values, dtype=bool)])

    def windows(self) -> NDArray[np.int64]:
        """Days; more than ten thousand years are as many, so that sums of days fit."""
        return np.minimum(np.array(self.window_days, dtype=np.int64), _FOR_EVER)

    def contradictions(self) -> NDArray[np.int32]:
        """The numbers of the contradictions."""
        return np.array([CONTRADICTIONS.index(one) for one in self.contradiction], dtype=np.int32)

    def _values(self) -> tuple[tuple[int | str, ...], ...]:
        return self.min_observations, self.min_sessions, self.window_days, self.contradiction

    def _schema(self) -> dict[str, type[pl.DataType]]:
        whole = dict.fromkeys(("min_observations", "min_sessions", "window_days"), pl.Int32)
        return {**whole, "contradiction": pl.String}


def cells(
    rule: PromotionRule,
    *,
    min_observations: Iterable[int],
    min_sessions: Iterable[int],
    window_days: Iterable[int],
    contradiction: Iterable[Contradiction],
) -> Cells:
    """The grid of these values; raises InputError where `rule` could not have one of them."""
    values = {
        "min_observations": tuple(dict.fromkeys(min_observations)),
        "min_sessions": tuple(dict.fromkeys(min_sessions)),
        "window_days": tuple(dict.fromkeys(window_days)),
        "contradiction": tuple(dict.fromkeys(contradiction)),
    }
    for name, given in values.items():
        if not given:
            raise InputError(f"the grid has no {name}", expected="one value or more")
        for value in given:
            replace(rule, **{name: value})  # type: ignore[arg-type]
    return Cells(**values)  # type: ignore[arg-type]
