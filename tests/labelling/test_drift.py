"""Drift of agreement: days, baseline, evidence and the alarm."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from labelling.drift import drift, split_days
from labelling.tables import InputError
from tests.labelling.answered import candidates, labels

START = date(2026, 3, 2)


def year(*shares, pairs=20):
    """Days of so many pairs, of which these shares are split."""
    return pl.DataFrame(
        {
            "day": [START + timedelta(days=i) for i in range(len(shares))],
            "pairs": [pairs] * len(shares),
            "splits": [round(share * pairs) for share in shares],
        }
    )


def test_a_candidate_counts_once_on_the_day_of_its_second_answer():
    def at(day, hour):
        return datetime(2026, 3, day, hour, tzinfo=UTC)

    given = [("c1", "ann", "yes", at(2, 9)), ("c1", "bob", "no", at(3, 9))]
    given += [("c1", "cleo", "yes", at(4, 9)), ("c3", "ann", "yes", at(3, 7))]
    given += [("c2", "cleo", "no", at(3, 8)), ("c2", "ann", "no", at(3, 7))]
    given += [("c4", "ann", "no", at(3, 7)), ("c4", "bob", "no", None)]
    pool = candidates(c1="added", c2="added", c3="added", c4="added")
    days = split_days(labels(given), pool)
    assert days.rows() == [(date(2026, 3, 3), 2, 1)]
    pair = split_days(labels(given), pool, pair=("ann", "cleo"))
    assert pair.rows() == [(date(2026, 3, 3), 1, 0), (date(2026, 3, 4), 1, 0)]
    assert split_days(labels([]), pool).is_empty()


def test_steady_answers_call_nothing_and_a_rise_is_called_soon():
    steady = drift(year(*[0.1] * 100))
    assert steady.alarm_on is None
    assert (steady.baseline, steady.baseline_pairs) == (0.1, 200)
    assert steady.days.height == 90  # ten days made the baseline
    worse = drift(year(*[0.1] * 60, *[0.3] * 30))
    assert START + timedelta(days=60) < worse.alarm_on < START + timedelta(days=75)
    since = pl.col("day") >= worse.alarm_on
    assert worse.days.filter("alarm").equals(worse.days.filter(since))


def test_a_stated_baseline_needs_no_first_pairs():
    found = drift(year(0.1, 0.6, 0.4), baseline=0.1)
    assert (found.limit, found.baseline_pairs, found.line) == (0.1, None, pytest.approx(20))
    assert found.alarm_on == START + timedelta(days=1)


def test_the_band_and_shares_are_of_the_days_so_far():
    days = drift(year(0.1, 0.3, *[0.2] * 8), baseline=0.5).days
    assert days["split_share"][1] == pytest.approx(0.2)
    assert days["recent_share"][9] == pytest.approx(0.2)
    inside = (pl.col("low") < pl.col("split_share")) & (pl.col("split_share") < pl.col("high"))
    assert days.select(inside.all()).item()


def test_later_days_change_no_earlier_one():
    days = year(*[0.1] * 20, *[0.3] * 10)
    assert drift(days).days[:10].equals(drift(days[:20]).days)


def test_what_cannot_be_called_says_why():
    assert drift(year(0.1)).reasons["evidence"].startswith("20 pairs have two answers")
    nothing_worse = drift(year(*[1.0] * 12))
    assert nothing_worse.reasons["evidence"].startswith("every pair of the baseline is split")
    assert nothing_worse.days["evidence"].null_count() == 2
    with pytest.raises(InputError, match="the baseline is 0"):
        drift(year(0.1), baseline=0.0)
