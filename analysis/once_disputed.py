"""Precision among the once-disputed: of a gate's disputed records, what judges made of them.

The headline leaves disputed records out, and they are the hard ones; after adjudication their
precision stands beside it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from analysis import captions
from analysis.figures import share, span
from analysis.intervals import units_of
from analysis.printed import aligned
from analysis.slices import Slice
from labelling.statistics import share_interval

Row = Mapping[str, Any]


def once_disputed(before: Sequence[Slice], after: Sequence[Slice]) -> list[dict[str, Any]]:
    """A row a gate: its disputed records, how many of them are settled and right, the precision.

    `before`: slices of the headline; `after`: the same of variant `adjudicated`. The interval is by
    user; without a settled record precision is null with its reason.
    """
    return [_row(*pair) for pair in zip(before, after, strict=True)]


def lines(rows: Sequence[Row]) -> list[str]:
    """A line a gate with disputed records, for a terminal, and how it is to be read."""
    told = [row for row in rows if row["disputed_records"]]
    if not told:
        return ["No gate has a record that was disputed and settled since."]
    titles = ["gate", "precision among the once-disputed", "right", "settled", "disputed records"]
    counts = ("correct_records", "settled_records", "disputed_records")
    table = (
        [
            captions.short(captions.plain(row["gate"])),
            _with_ends(row),
            *(f"{row[c]:,}" for c in counts),
        ]
        for row in told
    )
    return [
        *aligned(titles, table),
        "",
        "There as judges settled them; the figures above leave disputed records out.",
    ]


def _row(before: Slice, after: Slice) -> dict[str, Any]:
    split = before.records().filter(pl.col("status") == "disputed").select("proposal_id")
    now = after.records().join(split, on="proposal_id", how="semi")
    right = now.filter(pl.col("status") == "correct")
    decided = now.filter(pl.col("status").is_in(["correct", "wrong"]))
    units = units_of(before.ground.sessions)
    found = share_interval(units.count(right), units.count(decided))
    return {
        "gate": before.name,
        "disputed_records": split.height,
        "settled_records": decided.height,
        "correct_records": right.height,
        "precision": found.value,
        "precision_ci_low": found.low,
        "precision_ci_high": found.high,
        "reason": found.reason if decided.height else "no disputed record is settled",
    }


def _with_ends(row: Row) -> str:
    if row["precision_ci_low"] is None:
        return share(row["precision"])
    ends = span(row["precision_ci_low"], row["precision_ci_high"])
    return f"{share(row['precision'])} ({ends})"
