"""Judged records and facts -> the counts and ratios of one gate at one setting.

Precision counts *records*, recall counts *facts*: several records may capture one fact. What is
undefined is None with its reason. Shares are 0-1; rates are per assistant turn. The ratios
themselves are in `ratios`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import polars as pl

from analysis.ratios import COUNTS, STATUSES, guarded, with_ratios

Rows = pl.DataFrame | Sequence[Mapping[str, Any]]

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
    reference_facts: Rows,
    captures: Rows,
    *,
    assistant_turns: int,
    disputed: Rows = (),
    known: Iterable[str] = (),
) -> OperatingPoint:
    """Score the records of one gate against a reference set.

    `reference_facts`: rows {fact_id, weight}; `captures`: one row a record {proposal_id, status,
    fact_id}, with `claim_id` where wrong records may repeat one claim and `session_id`, `turn`
    where the writing turns are to be counted; `disputed`: rows {fact_id (= candidate_id), weight};
    `known`: facts that the gate offered again and had written before: captured, in no precision.
    A fact without weight counts in the unweighted columns only. Raises ValueError for a negative
    `assistant_turns`, an unknown status, and a weight that is no positive number.

    >>> facts = [{"fact_id": "f1", "weight": 1}, {"fact_id": "f2", "weight": 1}]
    >>> records = [{"proposal_id": "r1", "status": "correct", "fact_id": "f1"}]
    >>> point = operating_point(facts, records, assistant_turns=10)
    >>> point.precision, point.recall, point.write_rate
    (1.0, 0.5, 0.1)
    """
    counted = counts(
        reference_facts, captures, assistant_turns=assistant_turns, disputed=disputed, known=known
    )
    row = with_ratios(pl.DataFrame([counted], schema=COUNTS)).to_dicts()[0]
    reasons = {one["column"]: one["reason"] for one in row.pop("reasons")}
    names = {column.name for column in fields(OperatingPoint)} - {"reasons"}
    return OperatingPoint(**{name: row[name] for name in names}, reasons=reasons)


def counts(
    reference_facts: Rows,
    captures: Rows,
    *,
    assistant_turns: int,
    disputed: Rows = (),
    known: Iterable[str] = (),
) -> dict[str, float | None]:
    """COUNTS of one gate, from what `operating_point` takes."""
    if isinstance(assistant_turns, bool) or assistant_turns != int(assistant_turns):
        raise ValueError(f"assistant_turns is {assistant_turns}; expected a whole number")
    if assistant_turns < 0:
        raise ValueError(f"assistant_turns is {assistant_turns}; expected 0 or more")
    records = _frame(captures, ("proposal_id", "status", "fact_id"))
    facts, doubts = (_weighted(rows) for rows in (reference_facts, disputed))
    unknown = set(records["status"]) - set(STATUSES)
    if unknown:
        raise ValueError(f"status is {min(map(repr, unknown))}; expected {', '.join(STATUSES)}")
    status = {s: records.filter(pl.col("status") == s) for s in STATUSES}
    captured = {*status["correct"]["fact_id"].drop_nulls(), *known}
    found = facts.filter(pl.col("fact_id").is_in(list(captured)))
    split = pl.col("fact_id").is_in(status["disputed"]["fact_id"].implode())
    return {
        "assistant_turns": assistant_turns,
        "records": records.height,
        **{f"{s}_records": rows.height for s, rows in status.items()},
        "reference_facts": facts.height,
        "captured_facts": found.height,
        "reference_weight": _weight(facts),
        "captured_weight": _weight(found),
        "disputed_captured_weight": _weight(doubts.filter(split)),
        "disputed_missed_weight": _weight(doubts.filter(~split)),
        "wrong_claims": _claims(status["wrong"]),
        "writing_turns": _writing_turns(records),
    }


def recall_by_form(reference_facts: pl.DataFrame, captured: Iterable[str]) -> pl.DataFrame:
    """evidence_form, reference_facts, captured_facts, recall: a row a form that has facts.

    Facts whose form the annotators did not agree on stand under NOT_AGREED.
    """
    rows = reference_facts.with_columns(
        pl.col("evidence_form").fill_null(NOT_AGREED),
        found=pl.col("fact_id").is_in(list(captured)),
    )
    counted = rows.group_by("evidence_form").agg(
        reference_facts=pl.len().cast(pl.Int64), captured_facts=pl.col("found").sum().cast(pl.Int64)
    )
    recall = guarded(pl.col("captured_facts"), pl.col("reference_facts"))
    return counted.sort("evidence_form").with_columns(recall=recall)


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


def _weighted(rows: Rows) -> pl.DataFrame:
    """Facts whose weights, where there are any, are positive numbers."""
    facts = _frame(rows, ("fact_id", "weight"))
    try:
        weights = facts["weight"].cast(pl.Float64)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"weight is no number ({error}); expected 1 or more, or null") from error
    odd = weights.filter(weights.is_nan() | weights.is_infinite() | (weights <= 0))
    if len(odd):
        raise ValueError(f"weight is {odd[0]}; expected a positive number or null")
    return facts.with_columns(weights)


def _weight(facts: pl.DataFrame) -> float:
    return float(facts["weight"].sum() or 0)


def _claims(wrong: pl.DataFrame) -> int:
    column = "claim_id" if "claim_id" in wrong.columns else "proposal_id"
    return wrong[column].n_unique() if wrong.height else 0


def _writing_turns(records: pl.DataFrame) -> int | None:
    if records.is_empty():
        return 0
    known = {"session_id", "turn"} <= set(records.columns)
    return records.select("session_id", "turn").n_unique() if known else None
