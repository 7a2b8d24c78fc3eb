"""Drift: do annotators agree less than they did? A signal that may be looked at every day.

A row is a day (UTC) with its pairs: candidates whose second answer came on it, each counted once,
by its first two answers, equal or split. The split share is held against a baseline: a stated
share, or what the first pairs showed. The evidence is an e-process (labelling.statistics): as long
as splits are no more frequent than the baseline, it ever reaches the alarm's line with probability
5 % at most, however often one looks. How fast a drift is found: docs/agreement.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from labelling.agreement.said import said
from labelling.statistics import LEVEL, clopper_pearson, ratio
from labelling.statistics.anytime import confidence_sequence, evidence
from labelling.tables import InputError

FIRST = 200
"""Pairs that make the baseline where none is stated; fewer hide all but a large drift."""
RECENT = 7
"""Days of the split share that is drawn beside the evidence."""


@dataclass(frozen=True)
class Drift:
    """The days after the baseline, and when drift was first called.

    `days`: day, pairs, splits (of the day), recent_share (of the last 7 days with pairs),
    split_share (of all days so far) with low and high (a band valid at all days together, if the
    share does not change), evidence, alarm (from the first on). `baseline` is the split share of
    `baseline_pairs` (null: it was stated); `limit` is what the evidence is against: the stated
    share, or the upper end of what the first pairs leave possible; `line` is where it is an alarm.
    """

    days: pl.DataFrame
    baseline: float | None
    baseline_pairs: int | None
    limit: float | None
    line: float
    alarm_on: date | None
    reasons: Mapping[str, str] = field(default_factory=dict)


def split_days(
    labels: pl.DataFrame,
    candidates: pl.DataFrame,
    *,
    question: str = "write",
    pair: tuple[str, str] | None = None,
) -> pl.DataFrame:
    """day, pairs, splits: candidates by the day of their second answer, and those it split.

    Of the first two answers of all annotators, or of a `pair`; those without a time are left out.
    """
    answers = said(labels, candidates).filter(question=question).drop_nulls("at")
    if pair is not None:
        answers = answers.filter(pl.col("annotator").is_in(list(pair)))
    first_two = (
        answers.sort("at", "annotator").group_by("candidate_id").agg(pl.col("at", "answer").head(2))
    )
    pairs = first_two.filter(pl.col("at").list.len() == 2).select(
        day=pl.col("at").list.last().dt.date(), split=pl.col("answer").list.n_unique() > 1
    )
    counts = {"pairs": pl.len(), "splits": pl.col("split").sum()}
    return pairs.group_by("day").agg(**{k: v.cast(pl.Int64) for k, v in counts.items()}).sort("day")


def drift(
    days: pl.DataFrame, *, baseline: float | None = None, first: int = FIRST, level: float = LEVEL
) -> Drift:
    """Evidence against "splits are no more frequent than the baseline", day by day.

    `days` as `split_days` makes them. Without a stated `baseline` (between 0 and 1) the days up to
    the one that completes `first` pairs are it, and half the room for false alarms goes to not
    knowing it exactly. Raises InputError for a baseline that is not between 0 and 1.
    """
    if baseline is None:
        return _since_first(days, first, level)
    if not 0 < baseline < 1:
        raise InputError(f"the baseline is {baseline}", expected="a share between 0 and 1")
    return _against(days, 1 / (1 - level), limit=baseline, baseline=baseline)


def _since_first(days: pl.DataFrame, first: int, level: float) -> Drift:
    """The baseline's upper end is one-sided at half of 1 - level, and so is the evidence."""
    reached = days["pairs"].cum_sum().shift(1, fill_value=0) < first
    before, line = days.filter(reached), 2 / (1 - level)
    pairs = int(before["pairs"].sum())
    share = ratio(int(before["splits"].sum()), pairs)
    if share is None or pairs < first:
        why = f"{pairs} pairs have two answers with a time; the baseline needs {first}"
        return _silent(days[:0], share, pairs, line, why)
    if share == 1:
        why = "every pair of the baseline is split: there is nothing to get worse"
        return _silent(days.filter(~reached), share, pairs, line, why)
    limit = clopper_pearson(share, pairs, level)[1]
    return _against(days.filter(~reached), line, limit=limit, baseline=share, pairs=pairs)


def _against(
    days: pl.DataFrame, line: float, *, limit: float, baseline: float, pairs: int | None = None
) -> Drift:
    found = evidence(days["splits"].to_numpy(), days["pairs"].to_numpy(), limit)
    signal = _shares(days).with_columns(
        evidence=pl.Series(found, dtype=pl.Float64),
        alarm=pl.Series(found, dtype=pl.Float64).cum_max() >= line,
    )
    alarms = signal.filter("alarm")["day"]
    return Drift(signal, baseline, pairs, limit, line, alarms[0] if len(alarms) else None)


def _silent(days: pl.DataFrame, baseline: float | None, pairs: int, line: float, why: str) -> Drift:
    """Nothing can be called, and why."""
    nothing = _shares(days).with_columns(evidence=pl.lit(None, pl.Float64), alarm=pl.lit(False))
    return Drift(nothing, baseline, pairs, None, line, None, {"evidence": why})


def _shares(days: pl.DataFrame) -> pl.DataFrame:
    band = confidence_sequence(days["splits"].to_numpy(), days["pairs"].to_numpy())
    splits, pairs = (
        pl.col(name).rolling_sum(RECENT, min_samples=1) for name in ("splits", "pairs")
    )
    return days.with_columns(
        recent_share=splits / pairs,  # a day has a pair at least
        split_share=pl.col("splits").cum_sum() / pl.col("pairs").cum_sum(),
        low=pl.Series(band.low, dtype=pl.Float64),
        high=pl.Series(band.high, dtype=pl.Float64),
    )
