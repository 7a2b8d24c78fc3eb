"""Rows by hand: operating points, curves and recall by form, small enough to know every number."""

from typing import Any

import polars as pl

from analysis import traffic
from labelling.tables import frame

COUNTS = {
    "assistant_turns": 10,
    "records": 6,
    "correct_records": 3,
    "wrong_records": 1,
    "disputed_records": 1,
    "unjudged_records": 1,
    "reference_facts": 4,
    "captured_facts": 2,
    "reference_weight": 7.0,
    "captured_weight": 2.0,
    "failures": 0,
}
SHARES = {
    "write_rate": 0.6,
    "precision": 0.75,
    "precision_label_low": 0.6,
    "precision_label_high": 0.8,
    "precision_outer_low": 0.5,
    "precision_outer_high": 0.83,
    "recall": 2 / 7,
    "recall_low": 2 / 7,
    "recall_high": 0.375,
    "wrong_per_1000_turns": 150.0,
}
IDENTITY = {
    "gate": "heuristic",
    "setting": "default",
    "split": "test",
    "variant": "headline",
    "basis": "recorded",
    "reference_kind": "own",
    "partner": "assistant",
    "reasons": [{"column": "latency_p50_ms", "reason": "not timed"}],
}
SILENT = {
    "gate": "nothing",
    "records": 0,
    "correct_records": 0,
    "wrong_records": 0,
    "disputed_records": 0,
    "unjudged_records": 0,
    "captured_facts": 0,
    "captured_weight": 0.0,
    "write_rate": 0.0,
    "precision": None,
    "precision_label_low": None,
    "precision_label_high": None,
    "precision_outer_low": None,
    "precision_outer_high": None,
    "recall": 0.0,
    "recall_low": 0.0,
    "recall_high": 0.0,
    "wrong_per_1000_turns": 0.0,
    "reasons": [{"column": "precision", "reason": "no judged record"}],
}


def point(**changes: Any) -> dict[str, Any]:
    """An operating point: gate x of the golden study, but for the changes."""
    return {**IDENTITY, **COUNTS, **SHARES, **changes}


def points(*rows: dict[str, Any]) -> pl.DataFrame:
    """An operating_points table; without rows, the two gates of the small study."""
    return frame("operating_points", rows or (point(), point(**SILENT)))


def forms(*rows: dict[str, Any]) -> pl.DataFrame:
    """A recall_by_form table; without rows, that of the two gates."""
    return frame("recall_by_form", rows or [form(g, f) for g in GATES for f in FORMS])


def steps(**changes: Any) -> pl.DataFrame:
    """A curve of one gate: three thresholds, the highest without precision."""
    levels = ((0.2, 0.5, 0.8, 200.0), (0.5, 0.75, 2 / 7, 150.0), (0.8, None, 0.2, None))
    return frame("curve", [point(**_step(*level), **changes) for level in levels])


def _step(
    threshold: float, precision: float | None, recall: float, wrong: float | None
) -> dict[str, Any]:
    shares = {"precision": precision, "recall": recall, "wrong_per_1000_turns": wrong}
    return {"threshold": threshold, **shares}


def rates(points: pl.DataFrame, curve: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """What the chart of facts captured and wrong records takes, at 10,000 turns a day."""
    both = traffic.per_1000_turns(points), traffic.per_1000_turns(curve)
    return *both, traffic.workload(pl.concat(both), 10_000)


GATES = ("heuristic", "nothing")
FORMS = ("stated", "oblique", "multi_turn")


def form(gate: str, evidence_form: str) -> dict[str, Any]:
    """A row of recall_by_form: the heuristic gate finds both stated facts and nothing else."""
    facts = {"stated": 2, "oblique": 2, "multi_turn": 0}[evidence_form]
    captured = facts if (gate, evidence_form) == ("heuristic", "stated") else 0
    return {
        "gate": gate,
        "setting": "default",
        "evidence_form": evidence_form,
        "reference_facts": facts,
        "captured_facts": captured,
        "recall": captured / facts if facts else None,
    }


HOSTILE = "<img src=x onerror=alert(1)>"
