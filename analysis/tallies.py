"""Counts beside the measures: what is wrong with wrong records, what was asked, what is hard.

A row is a gate at one setting, on the part of the study that is reported. Shares are 0-1 of what
the column before them counts; where nothing was counted they are null.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from analysis import points
from analysis.ratios import guarded
from analysis.slices import Slice
from labelling.statistics import ratio

GATE = ("gate", "setting")
HARD = ("oblique", "multi_turn")
ASKED = ("confirm", "admit")
"""Verdicts of a statement that the user was asked about: offered, and accepted."""


def error_kinds(slices: Iterable[Slice]) -> pl.DataFrame:
    """gate, setting, wrong_records, then `<kind>` and `<kind>_share` for each kind there is.

    The most frequent kind of all gates together comes first.
    """
    found = pl.DataFrame(
        [row for one in slices for row in points.error_kinds(one)],
        schema={**dict.fromkeys((*GATE, "error_kind"), pl.String), "records": pl.Int64},
    )
    most = found.group_by("error_kind").agg(pl.col("records").sum())
    kinds = most.sort(["records", "error_kind"], descending=[True, False])["error_kind"].to_list()
    counted = found.group_by(GATE, maintain_order=True).agg(
        pl.col("records").sum().alias("wrong_records"),
        *(pl.col("records").filter(error_kind=kind).sum().alias(kind) for kind in kinds),
    )
    whole = pl.col("wrong_records")
    shares = (guarded(pl.col(kind), whole).alias(f"{kind}_share") for kind in kinds)
    return counted.with_columns(*shares)


def confirmations(slices: Iterable[Slice]) -> pl.DataFrame:
    """gate, setting, assistant_turns, offers, accepted and their shares, of gates that ask.

    An offer is a statement that the user was asked about, at most one a turn.
    """
    rows = [_asked(one) for one in slices if _asks(one)]
    schema = {
        **dict.fromkeys(GATE, pl.String),
        **dict.fromkeys(("assistant_turns", "offers", "accepted"), pl.Int64),
        **dict.fromkeys(("offer_share", "accepted_share", "write_rate"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema)


def hard_facts(forms: pl.DataFrame) -> pl.DataFrame:
    """gate, setting, captured_facts, reference_facts, recall: facts that no pattern states.

    `forms` is `recall_by_form`; hard are facts told obliquely or over several turns.
    """
    counted = (
        forms.filter(pl.col("evidence_form").is_in(HARD))
        .group_by(GATE, maintain_order=True)
        .agg(pl.col("captured_facts", "reference_facts").sum())
    )
    recalls = [ratio(*row) for row in counted.select("captured_facts", "reference_facts").rows()]
    return counted.with_columns(recall=pl.Series(recalls, dtype=pl.Float64))


def latencies(slices: Iterable[Slice]) -> pl.DataFrame:
    """gate, setting, on_path, runs, failures, latency_p50_ms, latency_p95_ms: a row a path."""
    schema = {
        **dict.fromkeys(GATE, pl.String),
        "on_path": pl.Boolean,
        **dict.fromkeys(("runs", "failures"), pl.Int64),
        **dict.fromkeys(("latency_p50_ms", "latency_p95_ms"), pl.Float64),
    }
    return pl.DataFrame([row for one in slices for row in points.latencies(one)], schema=schema)


def agreed_and_dropped(slices: Sequence[Slice]) -> str:
    """How many facts the gates are held against, and how many candidates are in no measure."""
    if not slices:
        return "No gate was scored."
    facts, split = (max(len(of) for of in ids) for ids in zip(*map(_facts, slices), strict=True))
    who = "People agreed on" if slices[0].kind == "own" else "The corpus itself names"
    return (
        f"{who} {facts:,} facts that should be written. On {split:,} candidates people split: "
        "those were dropped, not decided, and are in no precision and no recall."
    )


def _facts(one: Slice) -> tuple[pl.Series, pl.Series]:
    return one.facts["fact_id"], one.disputed["fact_id"]


def _asks(one: Slice) -> bool:
    return one.ground.gate == "confirm" or "confirm" in one.ground.proposals["verdict"]


def _asked(one: Slice) -> dict[str, Any]:
    asked = one.ground.proposals.filter(pl.col("verdict").is_in(ASKED))
    accepted, turns = asked.filter(verdict="admit").height, one.ground.turns.height
    return {
        "gate": one.ground.gate,
        "setting": one.ground.setting,
        "assistant_turns": turns,
        "offers": asked.height,
        "accepted": accepted,
        "offer_share": ratio(asked.height, turns),
        "accepted_share": ratio(accepted, asked.height),
        "write_rate": ratio(accepted, turns),
    }
