"""The ordering claim: of gates in the order of falling recall, precision rises.

A draw is the study's users (of a single user the sessions) drawn again with replacement, the same
draw for every gate. The share of draws in which the whole order holds says how far this corpus
supports it; it is no p-value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis import intervals
from analysis.slices import Slice, paired
from labelling.statistics import draw_weights, ratio, ratios

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """draws x gates; NaN is 0/0. `captured` is weight, `wrong` records."""

    precision: Numbers
    recall: Numbers
    captured: Numbers
    wrong: Numbers
    units: int


@dataclass(frozen=True)
class Ordering:
    """`order`: gates by falling recall. `holds`: whether precision rises along it as observed.

    `share`: of the draws in which all precisions are defined, those in which recall falls and
    precision rises along the order, strictly; null with a reason where there are none, or a
    single `unit` (user or session) that every draw would repeat.
    """

    order: tuple[str, ...]
    holds: bool
    share: float | None
    draws: int
    undefined_draws: int
    seed: int
    unit: str
    reason: str | None = None


def ordering(slices: Sequence[Slice], *, seed: int = 7, draws: int = 2000) -> Ordering:
    """How surely the order of recall is the reverse order of precision; slices of two or more."""
    cut = paired(slices)
    units = _units(cut)
    once = _measured(cut, np.ones((1, len(units.names)), dtype=np.float32))
    places = np.argsort(-np.nan_to_num(once.recall[0], nan=-1.0), kind="stable")
    drawn = draws_of(cut, seed, draws=draws)
    precision, recall = drawn.precision[:, places], drawn.recall[:, places]
    defined = np.isfinite(precision).all(axis=1) & np.isfinite(recall).all(axis=1)
    held = _in_order(precision[defined], recall[defined])
    why = _undrawable(units, bool(defined.any()))
    return Ordering(
        tuple(slices[i].name for i in places),
        bool(_in_order(once.precision[:, places], once.recall[:, places])[0]),
        None if why else ratio(int(held.sum()), int(defined.sum())),
        draws,
        int(draws - defined.sum()),
        seed,
        units.kind,
        why,
    )


def _undrawable(units: intervals.Units, defined: bool) -> str | None:
    """Why draws say nothing."""
    if not defined:
        return "in no draw are all precisions and recalls defined"
    return f"a single {units.kind} cannot be drawn in two ways" if len(units.names) == 1 else None


def draws_of(slices: Sequence[Slice], seed: int, *, draws: int = 2000) -> Drawn:
    """Joint draws of users of slices that cover the same sessions."""
    units = _units(slices)
    return _measured(slices, draw_weights(units.names.len(), seed, draws=draws))


def _units(slices: Sequence[Slice]) -> intervals.Units:
    return intervals.units_of(slices[0].ground.sessions)


def _measured(slices: Sequence[Slice], weights: NDArray[np.float32]) -> Drawn:
    units = _units(slices)
    columns = [_columns(units, one) for one in slices]
    right, wrong, written, captured, weight = (
        np.stack(c, axis=1) for c in zip(*columns, strict=True)
    )
    share_wrong = ratios(wrong, right + wrong, weights)
    return Drawn(
        ratios(right, right + wrong, weights),
        ratios(captured, weight, weights),
        np.asarray(weights @ captured, dtype=np.float64),
        # the unjudged are wrong as often as the judged; nothing written, nothing wrong
        np.where((weights @ written) > 0, (weights @ written) * share_wrong, 0.0),
        len(units.names),
    )


def _columns(units: intervals.Units, one: Slice) -> list[Numbers]:
    """Right, wrong, all records, captured weight and weight of each unit."""
    counts = intervals.counts_of(units, one.ground.turns, one.records(), one.facts, one.again())
    n = len(units.names)
    captured, weight = (
        np.bincount(counts.facts, amounts, n).astype(np.float64)
        for amounts in (counts.weights * counts.hits, counts.weights)
    )
    return [counts.right, counts.wrong, counts.written, captured, weight]


def _in_order(precision: Numbers, recall: Numbers) -> NDArray[np.bool_]:
    rises = (np.diff(precision, axis=1) > 0).all(axis=1)
    falls = (np.diff(recall, axis=1) < 0).all(axis=1)
    return np.asarray(rises & falls)


def sentence(found: Ordering) -> str:
    """The claim in words, with how far the draws support it."""
    if found.undefined_draws == found.draws:
        return f"The order of recall and precision is undefined: {found.reason}."
    return (
        f"By falling recall: {', '.join(found.order)}. As observed, precision "
        f"{'rises' if found.holds else 'does not rise'} all along this order; {_support(found)}."
    )


def _support(found: Ordering) -> str:
    if found.share is None:
        return f"how surely is undefined: {found.reason}"
    more = f"; {found.undefined_draws:,} more are undefined" if found.undefined_draws else ""
    return (
        f"both orders hold in {100 * found.share:.1f} % of "
        f"{found.draws - found.undefined_draws:,} draws of {found.unit}s (seed {found.seed}{more})"
    )
