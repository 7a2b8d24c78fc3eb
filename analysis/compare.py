"""`gates compare`: gates side by side on the same users, and how far to trust the comparison.

Reads what `gates score` reads and writes nothing but the count of test scorings.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from analysis import captions, differences, intervals, ordering, stability
from analysis.points import point
from analysis.score import Scored, count_scoring, evaluated, tables_of
from analysis.slices import Slice
from labelling.console import Outcome
from labelling.tables import InputError, frame, simulated, writing


@writing
def compare(study: str, gates: Sequence[str], *, split: str = "test") -> Outcome:
    """Paired differences of two or more gates, the step between them, the order, its stability.

    Raises InputError for an unknown gate, for fewer than two, and for simulated ones.
    """
    tables = tables_of(study, split)
    scored = evaluated(tables, split)
    slices = chosen(scored, gates)
    table = differences.differences(slices)
    steps = [differences.step(before, after) for before, after in pairwise(slices)]
    order = ordering.ordering(slices)
    truths = stability.by_truth(_points(scored, [one.name for one in slices]))
    changes = stability.rank_changes(truths)
    pool = stability.without_own(slices, tables["candidates"], tables["proposals"])
    times = count_scoring(study, split)
    return Outcome(
        f"compared {', '.join(one.name for one in slices)} on the {split} users",
        read={name: tables[name].height for name in ("proposals", "labels", "reference_facts")},
        text="\n".join(_text(table, steps, order, truths, changes, pool) + _warning(study)),
        then=f"open notebooks/3_precision_recall.ipynb in JupyterLab with STUDY = {study!r}",
        details={
            "split": split,
            "test_scorings": times,
            "differences": table.to_dicts(),
            "steps": steps,
            "ordering": vars(order),
            "by_truth": truths.to_dicts(),
            "rank_changes": changes,
            "without_own": pool.to_dicts(),
        },
    )


def chosen(scored: Scored, names: Sequence[str]) -> list[Slice]:
    """The named gates' slices, in the order of the names: `gate`, or `gate/setting`."""
    if len(set(names)) < 2:
        raise InputError(f"{len(set(names))} gates were named", expected="two or more to compare")
    every = list(scored.slices())
    found = [_named(every, name) for name in dict.fromkeys(names)]
    for one in found:
        if intervals.simulated(one.ground.runs):
            raise InputError(
                f"gate {one.name} is simulated: its precision and recall were put in",
                expected="gates that were replayed or recorded",
            )
    return found


def _named(slices: Sequence[Slice], name: str) -> Slice:
    fits = [one for one in slices if name in (one.ground.gate, one.name)]
    if len(fits) != 1:
        problem = f"gate {name!r} has several settings" if fits else f"there is no gate {name!r}"
        there = ", ".join(one.name for one in fits or slices) or "none yet"
        raise InputError(problem, expected=f"one of: {there}")
    return fits[0]


def _points(scored: Scored, names: Sequence[str]) -> pl.DataFrame:
    rows = [point(one) for view in scored.views for one in scored.slices(view) if one.name in names]
    return frame("operating_points", rows)


def _text(
    table: pl.DataFrame,
    steps: Sequence[str],
    order: ordering.Ordering,
    truths: pl.DataFrame,
    changes: Sequence[str],
    pool: pl.DataFrame,
) -> list[str]:
    lines = ["", "Differences, paired by user (95 % intervals; p by Holm over all rows):"]
    lines += [_difference(row) for row in table.iter_rows(named=True)]
    lines += ["", *steps, "", ordering.sentence(order), "", "Under other truths:"]
    lines += [_truth(row) for row in truths.iter_rows(named=True)]
    lines += [f"  {change}" for change in changes] or ["  no rank changes"]
    lines += ["", "Recall without what only the gate itself brought into the pool:"]
    return lines + [
        f"  {row['gate']}/{row['setting']}: {_shown(row['recall'])} -> "
        f"{_shown(row['recall_without_own'])} ({row['own_facts']} facts left out)"
        for row in pool.iter_rows(named=True)
    ]


def _warning(study: str) -> list[str]:
    """That the study says nothing about gates, where it does not."""
    known = {"sample": captions.SAMPLE}.get(study) or (captions.WORLD if simulated(study) else "")
    return ["", f"Beware: {known}."] if known else []


def _difference(row: dict[str, Any]) -> str:
    what = f"  {row['before']} -> {row['after']}, {row['measure']}:"
    if row["ci_low"] is None:
        return f"{what} {row['reason']}"
    ends = f"({row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
    return f"{what} {row['value']:+.3f} {ends}, p {_small(row['p_holm'])}"


def _small(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else "< 0.0001"


def _truth(row: dict[str, Any]) -> str:
    return (
        f"  {row['variant']}, {row['gate']}/{row['setting']}: precision "
        f"{_shown(row['precision'])} ({row['precision_rank'] or '–'}), recall "
        f"{_shown(row['recall'])} ({row['recall_rank'] or '–'})"
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
