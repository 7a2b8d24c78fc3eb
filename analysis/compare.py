"""`gates compare`: gates side by side on the same users, and how far to trust the comparison.

Reads what `gates score` reads and writes nothing but the count of test scorings.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from analysis import differences, intervals, ordering, printed, stability
from analysis.about import no_evidence
from analysis.captions import plain
from analysis.figures import share
from analysis.points import point
from analysis.score import Scored, count_scoring, evaluated, tables_of
from analysis.slices import Slice, paired
from analysis.truth import HEADLINE
from labelling.console import Outcome
from labelling.tables import InputError, frame, writing
from labelling.tables.marks import judged_whole
from labelling.tables.schemas import BASELINE_GATES


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
    read = pl.Series(judged_whole(tables["labels"], tables["candidates"]), dtype=pl.String)
    pool = stability.without_own(paired(slices), tables["candidates"], tables["proposals"], read)
    times = count_scoring(study, split)
    return Outcome(
        f"compared {', '.join(one.name for one in slices)} on {_users(split)}",
        read={name: tables[name].height for name in ("proposals", "labels", "reference_facts")},
        text="\n".join(
            [*_text(table, steps, order, truths, changes, pool), *printed.beware(study)]
        ),
        then=f"open notebooks/3_precision_recall.ipynb in JupyterLab with STUDY = {study!r}",
        details={
            "split": split,
            "warning": no_evidence(study),
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
    """The named gates' slices, in the order of the names: `gate`, or `gate/setting`.

    Where none is named all but yardsticks and simulated gates, those that write most first.
    """
    every = list(scored.slices())
    found = [_named(every, name) for name in names] if names else _all(every)
    slices = list({one.name: one for one in found}.values())
    if len(slices) < 2:
        there = ", ".join(one.name for one in every) or "none yet"
        told = slices[0].name if slices else "no gate"
        raise InputError(f"{told} cannot be compared alone", expected=f"two or more of: {there}")
    for one in slices:
        if intervals.simulated(one.ground.runs):
            raise InputError(
                f"gate {one.name} is simulated: its precision and recall were put in",
                expected="gates that were replayed or recorded",
            )
    return slices


def _all(every: Sequence[Slice]) -> list[Slice]:
    real = (
        one
        for one in every
        if one.ground.gate not in BASELINE_GATES and not intervals.simulated(one.ground.runs)
    )
    return sorted(real, key=lambda one: -one.records().height)


def _users(split: str) -> str:
    return "all users" if split == "all" else f"the {split} users"


def _named(slices: Sequence[Slice], name: str) -> Slice:
    fits = [one for one in slices if name in (one.ground.gate, one.name)]
    if len(fits) != 1:
        problem = f"gate {name!r} has several settings" if fits else f"there is no gate {name!r}"
        there = ", ".join(one.name for one in fits or slices) or "none yet"
        raise InputError(problem, expected=f"one of: {there}")
    return fits[0]


def _points(scored: Scored, names: Sequence[str]) -> pl.DataFrame:
    """Operating points under every truth, on the sessions that all of the gates covered."""
    rows = [
        point(one)
        for view in scored.views
        for one in paired([one for one in scored.slices(view) if one.name in names])
    ]
    return frame("operating_points", rows)


def _text(
    table: pl.DataFrame,
    steps: Sequence[str],
    order: ordering.Ordering,
    truths: pl.DataFrame,
    changes: Sequence[str],
    pool: pl.DataFrame,
) -> list[str]:
    lines = [
        "",
        "Differences, after - before, on the users that both covered (95 % intervals, each for "
        f"itself; p adjusted by Holm, tests: {table['p'].count()}):",
        *printed.differences(table.iter_rows(named=True)),
        "",
        *steps,
        "",
        ordering.sentence(order),
        "",
        "As scored, and the range under other truths (each annotator alone, either, a judge's):",
        *printed.truths(truths.to_dicts(), HEADLINE),
        *([f"  {change}" for change in changes] or ["  no rank changes"]),
    ]
    lines += ["", *_without_own(pool.to_dicts())]
    return [plain(line) for line in lines]


def _without_own(pool: Sequence[dict[str, Any]]) -> list[str]:
    moved = [row for row in pool if row["own_facts"]]
    if not moved:
        return ["No recall rests on facts that only the gate itself brought into the pool."]
    return ["Recall without the facts that only the gate itself brought into the pool:"] + [
        f"  {printed.name(row)}: {share(row['recall'])} -> {share(row['recall_without_own'])} "
        f"({row['own_facts']} of its facts left out)"
        for row in moved
    ]
