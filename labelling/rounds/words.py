"""One look at a study (`labelling.rounds.progress.look`) in words, to fit one screen."""

from typing import Any

from labelling.monitor import drift_in_words, statistic_in_words
from labelling.rounds.held import CANDIDATES

MOST_PEOPLE = 12
"""Lines of people on one screen."""


def look_in_words(told: dict[str, Any]) -> list[str]:
    """The lines of one look."""
    return [
        *_rounds_in_words(told["rounds"]),
        *_people_in_words(told["people"]),
        *_pace_in_words(told["pace"]),
        f"  what to write, all candidates, {max((r['n'] for r in told['agreement']), default=0):,} "
        "pairs of answers",
        *map(statistic_in_words, told["agreement"]),
        drift_in_words(told["drift"]),
    ]


def sentences(told: dict[str, Any]) -> list[str]:
    """What a look says beside its tables: pace, end, agreement, drift."""
    lines = [*_pace_in_words(told["pace"]), drift_in_words(told["drift"])]
    return [" ".join(line.split()) for line in lines]


def _rounds_in_words(rows: list[dict[str, Any]]) -> list[str]:
    head = f"  {'task':<18}{'records':>9}{'no answer':>11}{'one':>11}{'two or more':>18}"
    return [
        head,
        *(
            f"  {_named(row):<18}{row['records']:>9,}{row['none']:>11,}{row['one']:>11,}"
            f"{row['two']:>18,}"
            for row in rows
        ),
    ]


def _named(row: dict[str, Any]) -> str:
    return f"{row['task']}-r{row['round']}" if row["task"] == CANDIDATES else str(row["task"])


def _people_in_words(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return ["  nobody has answered yet"]
    head = f"  {'person':<18}{'submitted':>9}{'draft':>11}{'discarded':>11}{'median seconds':>18}"
    more = len(rows) - MOST_PEOPLE
    rest = [f"  and {more} more (--json lists all)"] if more > 0 else []
    return [head, *map(_person, rows[:MOST_PEOPLE]), *rest]


def _person(row: dict[str, Any]) -> str:
    seconds = "–" if row["median_seconds"] is None else f"{row['median_seconds']:.0f}"
    aside = [
        f"{row[what]} {what.replace('_', ' ')}" for what in ("pilot", "shown_again") if row[what]
    ]
    more = f"  and {', '.join(aside)}" if aside else ""
    return (
        f"  {row['person']:<18}{row['submitted']:>9,}{row['draft']:>11,}{row['discarded']:>11,}"
        f"{seconds:>18}{more}"
    )


def _pace_in_words(told: dict[str, Any]) -> list[str]:
    work = "" if told["hours_left"] is None else f", some {told['hours_left']:.1f} hours of work"
    return [
        f"  {told['answers_left']:,} answers are left{work}; {told['last_hour']:,} came in the "
        f"last hour, {told['last_24_hours']:,} in the last 24",
        f"  {_end_in_words(told)}",
    ]


def _end_in_words(told: dict[str, Any]) -> str:
    if told["done_from"] is None:
        return f"no day can be given: {told['reasons']['done_from']}"
    rate = (
        f"{told['per_day']:.0f} answers a day [{told['per_day_low']:.0f}, "
        f"{told['per_day_high']:.0f}] over {told['days']} days"
    )
    if told["done_to"] is None:
        return f"done {told['done_from']} at the earliest, {told['reasons']['done_to']}; {rate}"
    return f"done between {told['done_from']} and {told['done_to']} if that goes on: {rate}"
