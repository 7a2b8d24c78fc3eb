"""Stretches of days are what the definitions, written out, say of each day."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from hypothesis import given, settings

from analysis.promotion import PromotionRule, history
from labelling.tables import InputError
from tests.analysis.promotion import plain
from tests.analysis.promotion.logs import FIRST, LOGS, RULES

START, END = FIRST + timedelta(3), FIRST + timedelta(30)
VALUES = {
    "min_observations": (2, 1),
    "min_sessions": (1, 2),
    "window_days": (5, 0, 10),
    "contradiction": ("hold", "majority", "ignore"),
}
EVERY_DAY = [FIRST + timedelta(n) for n in range(-1, 45)]


def by_day(log, rule):
    """(the four values, user, claim) -> the days promoted, over the whole log."""
    days = {}
    for values in product(*VALUES.values()):
        one = replace(rule, **dict(zip(VALUES, values, strict=True)))
        for day in EVERY_DAY:
            for owner, (guard, *_) in plain.promote(log, one, day).items():
                if guard is None:
                    days.setdefault((*values, *owner), []).append(day)
    return days


def check(log, rule):
    found = {}
    firsts = {}
    for *key, begin, end, first in history(
        log, **VALUES, start=START, end=END, rule=rule
    ).iter_rows():
        days = [begin + timedelta(n) for n in range((end - begin).days + 1)]
        found.setdefault(tuple(key), []).extend(days)
        firsts[tuple(key)] = first
    wanted = by_day(log, rule)
    cut = {key: [day for day in days if START <= day <= END] for key, days in wanted.items()}
    assert found == {key: days for key, days in cut.items() if days}
    assert firsts == {key: wanted[key][0] for key in firsts}


@settings(max_examples=4)
@given(LOGS, RULES)
def test_the_days_of_the_stretches_are_those_promoted(log, rule):
    check(log, rule)


@pytest.mark.long
@settings(max_examples=400)
@given(LOGS, RULES)
def test_the_days_of_the_stretches_are_those_promoted_in_many_logs(log, rule):
    check(log, rule)


def said(claim, session, day):
    at = f"{FIRST + timedelta(day)}T10:00:00Z"
    return {"obs": claim, "session": session, "turn": 0, "quote": "shorter", "at": at}


def test_a_promotion_begins_when_the_contradiction_expires():
    log = [said("wants_verbose", "s0", 0)]
    log += [said("wants_concise", f"s{n}", n) for n in (4, 5, 6)]
    row = {name: (getattr(PromotionRule(), name),) for name in VALUES}
    found = history(
        log, **(row | {"window_days": (5,)}), start=FIRST, end=END, rule=PromotionRule()
    ).row(0, named=True)
    # said on day 0, the opposite is live to day 5; the third is of day 6, so day 6 is the first,
    # and the row of day 4 has left on day 10
    assert found["promoted_from"] == found["first_promoted_on"] == FIRST + timedelta(6)
    assert found["promoted_to"] == FIRST + timedelta(9)


def test_an_end_before_the_start_is_refused():
    with pytest.raises(InputError, match="before start"):
        history([], **VALUES, start=END, end=START)
