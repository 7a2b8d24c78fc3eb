"""Operating points in records per 1,000 assistant turns, and lines of equal work a day.

A row is an operating point, as it ran or at a threshold. On these axes everybody who has so many
wrong records to correct in a day stands on one straight line. What is undefined is null.
"""

from collections.abc import Mapping
from math import floor, log10
from typing import Any

import polars as pl

from labelling.statistics import ratio
from labelling.tables import InputError

COLUMNS = (
    "captured_per_1000_turns",
    "captured_ci_low",
    "captured_ci_high",
    "wrong_label_low",
    "wrong_label_high",
    "wrong_outer_low",
    "wrong_outer_high",
)
WIDEST = ("wrong_per_1000_turns", "wrong_outer_high", "wrong_per_1000_turns_ci_high")
MOST_LINES = 8
ROUND = (1, 2, 5, 10)


def per_1000_turns(points: pl.DataFrame) -> pl.DataFrame:
    """The points with facts captured per 1,000 turns, and both bands of wrong records per 1,000.

    Captured is the captured weight, an estimate of facts: 1000 x recall x base rate. Its interval
    is recall's, at the study's own base rate. `wrong_label_low` ... `high`: disputed records right
    ... wrong; `wrong_outer_*`: the unjudged too.
    """
    rows = [_rates(row) for row in points.to_dicts()]
    return points.with_columns(
        pl.Series(column, [row[column] for row in rows], pl.Float64) for column in COLUMNS
    )


def per_day(points: pl.DataFrame, turns_a_day: float) -> pl.DataFrame:
    """The points of `per_1000_turns` with wrong records a day, interval and both bands.

    `wrong_a_day`, `wrong_a_day_<ci|label|outer>_<low|high>`: per 1,000 turns x the traffic.
    """
    _refuse_standstill(turns_a_day)
    return points.with_columns(
        (pl.col(column) * turns_a_day / 1000).alias(name) for column, name in _A_DAY.items()
    )


def workload(points: pl.DataFrame, turns_a_day: float) -> pl.DataFrame:
    """wrong_records_a_day (round numbers), wrong_per_1000_turns, label: at most 8 lines.

    They span the wrong records of the points of `per_1000_turns`, bands and intervals included.
    Raises InputError unless there are turns.
    """
    _refuse_standstill(turns_a_day)
    most = points.select(pl.max_horizontal(WIDEST).max()).item()
    days = _round_numbers((most or 0.0) * turns_a_day / 1000)
    lines = {
        "wrong_records_a_day": days,
        "wrong_per_1000_turns": [1000 * d / turns_a_day for d in days],
    }
    return pl.DataFrame(lines, schema=dict.fromkeys(lines, pl.Float64)).with_columns(
        label=pl.Series([f"{day:,.6g} a day" for day in days], dtype=pl.String)
    )


_A_DAY = {
    "wrong_per_1000_turns": "wrong_a_day",
    **{
        f"{column}_{end}": f"wrong_a_day_{name}_{end}"
        for column, name in (
            ("wrong_per_1000_turns_ci", "ci"),
            ("wrong_label", "label"),
            ("wrong_outer", "outer"),
        )
        for end in ("low", "high")
    },
}


def _refuse_standstill(turns_a_day: float) -> None:
    if not turns_a_day > 0:
        raise InputError(f"there are {turns_a_day} turns a day", expected="a number above 0")


def _rates(row: Mapping[str, Any]) -> dict[str, float | None]:
    base = ratio(1000 * row["reference_weight"], row["assistant_turns"])
    captured = ratio(1000 * row["captured_weight"], row["assistant_turns"])
    bands = {
        f"wrong_{band}_{end}": _wrong(row["write_rate"], row[f"precision_{band}_{other}"])
        for band in ("label", "outer")
        for end, other in (("low", "high"), ("high", "low"))
    }
    ends = {f"captured_ci_{end}": _times(base, row[f"recall_ci_{end}"]) for end in ("low", "high")}
    return {"captured_per_1000_turns": captured, **ends, **bands}


def _wrong(write_rate: float | None, precision: float | None) -> float | None:
    return _times(write_rate, None if precision is None else 1000 * (1 - precision))


def _times(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a * b


def _round_numbers(most: float) -> list[float]:
    """Multiples of 1, 2 or 5 x 10^k up to `most`: as many as there may be lines, at most."""
    if most <= 0:
        return []
    least = most / MOST_LINES
    scale = 10.0 ** floor(log10(least))
    step = next(scale * n for n in ROUND if scale * n >= least)
    return [step * n for n in range(1, floor(most / step) + 1)]
