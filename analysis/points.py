"""A slice -> its row of `operating_points`, its rows of `recall_by_form`, its latencies and errors.

A row is a gate at one setting in one variant, as it ran (threshold null).
"""

from typing import Any

import polars as pl

from analysis import intervals, measures
from analysis.ratios import COUNTS, with_ratios
from analysis.slices import Slice
from labelling.statistics import nearest_rank, ratio
from labelling.tables import columns

USERS = "users_with_wrong_share"
NO_USERS = "no users"
NOT_SAID = "not said"
"""Error kind of the wrong records whose kind the annotators did not agree on."""

Row = dict[str, Any]
Reasons = dict[str, str]


def point(found: Slice, threshold: float | None = None) -> Row:
    """The row of `operating_points`: as the gate ran, or at a threshold (inclusive)."""
    counted = counts(found, threshold)
    row = with_ratios(pl.DataFrame([counted], schema=COUNTS)).to_dicts()[0]
    undefined = {one["column"]: one["reason"] for one in row["reasons"]}
    ends, unknown = _intervals(found, threshold, undefined)
    same, why = constants(found)
    users, nobody = users_with_wrong(found, threshold)
    reasons = undefined | unknown | why | nobody
    return {
        **{name: value for name, value in row.items() if name in columns("operating_points")},
        **ends,
        **same,
        **users,
        "threshold": threshold,
        "reasons": [{"column": c, "reason": r} for c, r in sorted(reasons.items())],
    }


def counts(found: Slice, threshold: float | None = None) -> Row:
    """COUNTS of the slice."""
    return measures.counts(
        found.facts,
        found.records(threshold),
        assistant_turns=found.ground.turns.height,
        disputed=found.disputed,
        known=found.again(threshold),
    )


def constants(found: Slice) -> tuple[Row, Reasons]:
    """The columns that are the same at every threshold."""
    runs = found.ground.runs
    timed, why_time = _latency(runs)
    cost, why_cost = _cost(runs, found.ground.turns.height)
    bases = runs["basis"].unique().to_list()
    row = {
        "gate": found.ground.gate,
        "setting": found.ground.setting,
        "split": found.ground.part.split,
        "variant": found.variant,
        "basis": bases[0] if len(bases) == 1 else "mixed",
        "reference_kind": found.kind,
        "partner": found.ground.part.partner,
        "failures": runs["failure"].drop_nulls().len(),
    }
    return row | timed | cost, why_time | why_cost


def users_with_wrong(found: Slice, threshold: float | None = None) -> tuple[Row, Reasons]:
    """The share of the users with a record that is wrong."""
    users = found.ground.sessions
    wrong = found.records(threshold).filter(pl.col("status") == "wrong")
    affected = wrong.join(users, on="session_id")["user_id"].n_unique()
    share = ratio(affected, users["user_id"].n_unique())
    return {USERS: share}, {USERS: NO_USERS} if share is None else {}


def forms(found: Slice) -> list[Row]:
    """The rows of `recall_by_form`: how the gate finds facts of each evidence form."""
    records = found.records().filter(pl.col("status") == "correct")["fact_id"].drop_nulls()
    captured = pl.concat([records, found.again()])
    counted = measures.recall_by_form(found.facts, captured)
    if not intervals.simulated(found.ground.runs):
        sessions = found.ground.sessions
        counted = intervals.with_form_intervals(counted, sessions, found.facts, captured)
    gate = {"gate": found.ground.gate, "setting": found.ground.setting}
    return [gate | row for row in counted.to_dicts()]


def error_kinds(found: Slice) -> list[Row]:
    """gate, setting, error_kind, records: the wrong records by what is wrong, most first."""
    wrong = found.records().filter(pl.col("status") == "wrong")
    kinds = wrong.group_by(pl.col("error_kind").fill_null(NOT_SAID)).len("records")
    gate = {"gate": found.ground.gate, "setting": found.ground.setting}
    ordered = kinds.sort(["records", "error_kind"], descending=[True, False])
    return [gate | row for row in ordered.to_dicts()]


def decided_by(found: Slice) -> list[Row]:
    """gate, setting, how, records, share: which rule decided the gate's records, most first."""
    total = found.records().height
    rules = found.records().group_by("how").len("records")
    gate = {"gate": found.ground.gate, "setting": found.ground.setting}
    return [
        gate | {"how": how, "records": n, "share": ratio(n, total)}
        for how, n in rules.sort(["records", "how"], descending=[True, False]).iter_rows()
    ]


def latencies(found: Slice) -> list[Row]:
    """gate, setting, on_path, runs, failures, p50, p95 (ms): failed runs are in both."""
    return [
        {
            "gate": found.ground.gate,
            "setting": found.ground.setting,
            "on_path": on_path,
            "runs": rows.height,
            "failures": rows["failure"].drop_nulls().len(),
            **_quantiles(rows),
        }
        for on_path in (True, False)
        if (rows := found.ground.runs.filter(pl.col("on_path") == on_path)).height
    ]


def _intervals(
    found: Slice, threshold: float | None, undefined: Reasons
) -> tuple[intervals.Columns, Reasons]:
    if intervals.simulated(found.ground.runs):
        return intervals.none_of_simulated()
    units = intervals.units_of(found.ground.sessions)
    rows = (found.ground.turns, found.records(threshold), found.facts, found.again(threshold))
    heaviest = found.ground.part.heaviest
    counted = intervals.counts_of(units, *rows, pooled=found.ground.pooled)
    return intervals.columns(counted, units.kind, undefined, heaviest)


def _latency(runs: pl.DataFrame) -> tuple[Row, Reasons]:
    """p50 and p95 by nearest rank over the runs on the path (all runs of a gate off the path)."""
    on_path = runs.filter("on_path")
    found = _quantiles(runs if on_path.is_empty() else on_path)
    if found["latency_p50_ms"] is None:
        return found, dict.fromkeys(found, "no latency was recorded")
    return found, dict.fromkeys(found, "off the path: all runs") if on_path.is_empty() else {}


def _quantiles(runs: pl.DataFrame) -> Row:
    values = runs["latency_ms"].drop_nulls().to_list()
    return {f"latency_p{p}_ms": nearest_rank(values, p / 100) for p in (50, 95)}


def _cost(runs: pl.DataFrame, turns: int) -> tuple[Row, Reasons]:
    name = "cost_per_1000_turns"
    if runs["cost"].null_count():
        return {name: None}, {name: "a run has no cost recorded"}
    value = ratio(1000 * float(runs["cost"].sum()), turns)
    return {name: value}, {name: "no assistant turns"} if value is None else {}
