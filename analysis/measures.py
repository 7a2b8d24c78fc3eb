"""Counts -> the ratios of `operating_points` and `recall_by_form`.

Precision counts *records*, recall counts *facts*: several records may capture one fact. Counts come
first, the one guarded `ratio()` divides last, and what is undefined is None with its reason. Shares
are 0-1; rates are per assistant turn. Definitions: DESIGN section 5; chapter 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from labelling.statistics import ratio

Rows = pl.DataFrame | Sequence[Mapping[str, Any]]

NO_RECORDS = "no records"
NO_JUDGED = "no judged records"
NO_TURNS = "no assistant turns"
NO_FACTS = "no reference facts"
NO_WEIGHT = "no reference fact has a weight"
NOT_AGREED = "not agreed"
"""Evidence form of the facts whose form the annotators did not agree on."""


@dataclass(frozen=True)
class OperatingPoint:
    """The counts and ratios of one gate at one setting; `reasons` says why a ratio is None."""

    assistant_turns: int
    records: int
    correct_records: int
    wrong_records: int
    disputed_records: int
    unjudged_records: int
    reference_facts: int
    captured_facts: int
    reference_weight: float
    captured_weight: float
    write_rate: float | None
    writing_turn_share: float | None
    precision: float | None
    precision_label_low: float | None
    precision_label_high: float | None
    precision_outer_low: float | None
    precision_outer_high: float | None
    fact_precision: float | None
    recall: float | None
    recall_unweighted: float | None
    recall_low: float | None
    recall_high: float | None
    duplicates_per_fact: float | None
    wrong_per_1000_turns: float | None
    base_rate: float | None
    reasons: dict[str, str] = field(default_factory=dict)


def operating_point(
    reference_facts: Rows, captures: Rows, *, assistant_turns: int, disputed: Rows = ()
) -> OperatingPoint:
    """Score the records of one gate against a reference set.

    `reference_facts`: rows {fact_id, weight}; `captures`: one row a record {proposal_id, status,
    fact_id}, with `claim_id` where wrong records may repeat one claim and `session_id`, `turn`
    where the writing turns are to be counted; `disputed`: rows {fact_id (= candidate_id), weight}.
    A fact without weight counts in the unweighted columns only. Raises ValueError for a negative
    `assistant_turns`.

    >>> facts = [{"fact_id": "f1", "weight": 1}, {"fact_id": "f2", "weight": 1}]
    >>> records = [{"proposal_id": "r1", "status": "correct", "fact_id": "f1"}]
    >>> point = operating_point(facts, records, assistant_turns=10)
    >>> point.precision, point.recall, point.write_rate
    (1.0, 0.5, 0.1)
    """
    if assistant_turns < 0:
        raise ValueError(f"assistant_turns is {assistant_turns}; expected 0 or more")
    records = _frame(captures, ("proposal_id", "status", "fact_id"))
    status = {s: records.filter(pl.col("status") == s) for s in _STATUSES}
    right, wrong, split, open_ = (status[s].height for s in _STATUSES)
    facts, doubts = (_frame(rows, ("fact_id", "weight")) for rows in (reference_facts, disputed))
    found = facts.filter(pl.col("fact_id").is_in(status["correct"]["fact_id"].implode()))
    doubt_found = doubts.filter(pl.col("fact_id").is_in(status["disputed"]["fact_id"].implode()))
    reference_weight, captured_weight = _weight(facts), _weight(found)
    doubted_captured = _weight(doubt_found)
    doubted_missed = _weight(doubts) - doubted_captured
    judged, n = right + wrong, records.height
    wrong_claims = _claims(status["wrong"])
    ratios = {
        "write_rate": ratio(n, assistant_turns),
        "writing_turn_share": _writing_turn_share(records, assistant_turns),
        "precision": ratio(right, judged),
        "precision_label_low": ratio(right, judged + split),
        "precision_label_high": ratio(right + split, judged + split),
        "precision_outer_low": ratio(right, n),
        "precision_outer_high": ratio(right + split + open_, n),
        "fact_precision": ratio(found.height, found.height + wrong_claims),
        "recall": ratio(captured_weight, reference_weight),
        "recall_unweighted": ratio(found.height, facts.height),
        "recall_low": ratio(captured_weight, reference_weight + doubted_missed),
        "recall_high": ratio(
            captured_weight + doubted_captured, reference_weight + doubted_captured
        ),
        "duplicates_per_fact": ratio(right, found.height),
        "wrong_per_1000_turns": _wrong_per_1000(n, wrong, judged, assistant_turns),
        "base_rate": ratio(reference_weight, assistant_turns),
    }
    return OperatingPoint(
        assistant_turns=assistant_turns,
        records=n,
        correct_records=right,
        wrong_records=wrong,
        disputed_records=split,
        unjudged_records=open_,
        reference_facts=facts.height,
        captured_facts=found.height,
        reference_weight=reference_weight,
        captured_weight=captured_weight,
        **ratios,
        reasons=_reasons(ratios, records, facts),
    )


def recall_by_form(reference_facts: pl.DataFrame, captured: Iterable[str]) -> pl.DataFrame:
    """evidence_form, reference_facts, captured_facts, recall: a row a form that has facts.

    Facts whose form the annotators did not agree on stand under NOT_AGREED.
    """
    rows = reference_facts.with_columns(
        pl.col("evidence_form").fill_null(NOT_AGREED),
        found=pl.col("fact_id").is_in(list(captured)),
    )
    counts = rows.group_by("evidence_form").agg(
        reference_facts=pl.len().cast(pl.Int64), captured_facts=pl.col("found").sum().cast(pl.Int64)
    )
    counted = counts.sort("evidence_form").to_dicts()
    recalls = [ratio(row["captured_facts"], row["reference_facts"]) for row in counted]
    return counts.sort("evidence_form").with_columns(pl.Series("recall", recalls, pl.Float64))


_STATUSES = ("correct", "wrong", "disputed", "unjudged")


def _frame(rows: Rows, needed: tuple[str, ...]) -> pl.DataFrame:
    if isinstance(rows, pl.DataFrame):
        table = rows
    else:
        table = pl.DataFrame([dict(row) for row in rows], infer_schema_length=None, strict=False)
    if table.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(needed, pl.String) | {"weight": pl.Float64})
    missing = set(needed) - set(table.columns)
    if missing:
        raise ValueError(f"rows lack {', '.join(sorted(missing))}; expected {', '.join(needed)}")
    return table.with_columns(pl.col("fact_id").cast(pl.String))


def _weight(facts: pl.DataFrame) -> float:
    return float(facts["weight"].sum() or 0)


def _claims(wrong: pl.DataFrame) -> int:
    column = "claim_id" if "claim_id" in wrong.columns else "proposal_id"
    return wrong[column].n_unique() if wrong.height else 0


def _writing_turn_share(records: pl.DataFrame, assistant_turns: int) -> float | None:
    if records.is_empty():
        return ratio(0, assistant_turns)
    if not {"session_id", "turn"} <= set(records.columns):
        return None
    return ratio(records.select("session_id", "turn").n_unique(), assistant_turns)


def _wrong_per_1000(records: int, wrong: int, judged: int, turns: int) -> float | None:
    """1000 x write_rate x (1 - precision); 0 where nothing was written."""
    if records == 0:
        return ratio(0, turns)
    return ratio(1000 * records * wrong, turns * judged)


def _reasons(
    ratios: Mapping[str, float | None], records: pl.DataFrame, facts: pl.DataFrame
) -> dict[str, str]:
    why = {
        "write_rate": NO_TURNS,
        "writing_turn_share": "the records' turns are not known" if records.height else NO_TURNS,
        "precision": NO_JUDGED if records.height else NO_RECORDS,
        "precision_label_low": "no judged or disputed records",
        "precision_label_high": "no judged or disputed records",
        "precision_outer_low": NO_RECORDS,
        "precision_outer_high": NO_RECORDS,
        "fact_precision": "no captured fact and no wrong record",
        "recall": NO_WEIGHT if facts.height else NO_FACTS,
        "recall_unweighted": NO_FACTS,
        "recall_low": "no reference fact and no disputed candidate has a weight",
        "recall_high": "no reference fact and no disputed candidate has a weight",
        "duplicates_per_fact": "no captured fact",
        "wrong_per_1000_turns": NO_JUDGED if records.height else NO_TURNS,
        "base_rate": NO_TURNS,
    }
    return {column: why[column] for column, value in ratios.items() if value is None}
