"""How fast a team answers, and when it will be done if it goes on like that.

Days are those of UTC. The pace is that of the last week's days, days without an answer included and
today as far as it has come; its interval (`labelling.statistics.rate_interval`, a day is a unit) is
turned into the first and the last day on which the rest would be done. That says what days that
differ as much leave open, and nothing about a holiday.
"""

from datetime import datetime, timedelta
from typing import Any

import polars as pl

from labelling.console import amount
from labelling.statistics import rate_interval, ratio

WEEK = 7
LEAST_DAYS = 2
"""Days with answers without which nothing is foretold."""
HORIZON = 3650
"""Days; what lies farther ahead is not dated."""

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def pace(answers: pl.DataFrame, left: int, now: datetime) -> dict[str, Any]:
    """Answers in the last hour and day, a day's answers, the work left, and when it is done.

    `answers`: one submitted answer a row, with annotator, at, seconds; `left`: how many are
    missing. hours_left = left x the median seconds; done_from and done_to are days, inclusive. What
    is undefined is None with its reason.
    """
    median = answers["seconds"].median()
    told: dict[str, Any] = {
        "answers_left": left,
        "last_hour": _since(answers, now - HOUR),
        "last_24_hours": _since(answers, now - DAY),
        "median_seconds": median,
        "hours_left": None if median is None else left * float(median) / 3600,  # type: ignore[arg-type]
        **dict.fromkeys(("per_day", "per_day_low", "per_day_high", "done_from", "done_to")),
        "days": 0,
    }
    reasons = {} if median is not None else {"hours_left": "nobody's seconds are known"}
    why = _silent(answers, left)
    return (
        {**told, "reasons": {**reasons, "done_from": why}}
        if why
        else _foretold(told, reasons, *_days(answers, now), now)
    )


def _silent(answers: pl.DataFrame, left: int) -> str:
    """Why nothing can be foretold, "" where it can."""
    if not left:
        return "nothing is left"
    if answers["annotator"].n_unique() < 2:
        return "fewer than two people have answered, and a second answer needs a second person"
    days = answers["at"].drop_nulls().dt.date().n_unique()
    if days < LEAST_DAYS:
        return f"there are answers of {amount(days, 'day')}, and {LEAST_DAYS} are needed"
    return ""


def _days(answers: pl.DataFrame, now: datetime) -> tuple[list[int], list[float]]:
    """Answers of each day, and how much of each day there was."""
    on = answers["at"].drop_nulls().dt.date()
    today, first = now.date(), min(on)
    back = min(WEEK, (today - first).days + 1)
    days = [today - timedelta(days=n) for n in reversed(range(back))]
    passed = (now - now.replace(hour=0, minute=0, second=0, microsecond=0)) / DAY
    return [int((on == day).sum()) for day in days], [1.0] * (back - 1) + [max(passed, 1 / 24)]


def _foretold(
    told: dict[str, Any],
    reasons: dict[str, str],
    counts: list[int],
    days: list[float],
    now: datetime,
) -> dict[str, Any]:
    found = rate_interval(counts, days)
    told = {**told, "per_day": found.value, "per_day_low": found.low, "per_day_high": found.high}
    told["days"] = len(days)
    if not sum(counts):
        return {**told, "reasons": {**reasons, "done_from": f"no answer in {len(days)} days"}}
    first, last = (_done(told["answers_left"], rate, now) for rate in (found.high, found.low))
    late = {} if last else {"done_to": "the days differ too much to say"}
    return {**told, "done_from": first, "done_to": last, "reasons": {**reasons, **late}}


def _done(left: int, a_day: float | None, now: datetime) -> str | None:
    needed = None if a_day is None else ratio(left, a_day)
    if needed is None or needed > HORIZON:
        return None
    return (now + timedelta(days=needed)).date().isoformat()


def _since(answers: pl.DataFrame, when: datetime) -> int:
    return int((answers["at"] > when).sum())
