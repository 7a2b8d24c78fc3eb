"""Interval columns: counted by user, null with a reason, none where the figures were put in."""

import polars as pl
import pytest

from analysis import intervals
from labelling.statistics import rate_interval, recall_interval, share_interval, wrong_rate_interval

SESSIONS = pl.DataFrame(
    {"session_id": ["s1", "s2", "s3", "s4"], "user_id": ["ann", "ann", "ben", "cleo"]}
)
TURNS = pl.DataFrame({"session_id": ["s1"] * 4 + ["s2"] * 2 + ["s3"] * 5 + ["s4"] * 6})
RECORDS = pl.DataFrame(
    {
        "session_id": ["s1", "s2", "s2", "s3", "s4"],
        "status": ["correct", "wrong", "unjudged", "correct", "wrong"],
        "fact_id": ["f1", None, None, "f2", None],
    }
)
FACTS = pl.DataFrame(
    {
        "session_id": ["s1", "s3", "s3", "s4", "s4"],
        "fact_id": ["f1", "f2", "f3", "f4", "f5"],
        "weight": [1.0, 1.0, 1.0, 4.0, None],
        "evidence_form": ["stated", "stated", "oblique", None, None],
    }
)


def columns(records=RECORDS, undefined=None):
    units = intervals.units_of(SESSIONS)
    counts = intervals.counts_of(units, TURNS, records, FACTS)
    return intervals.columns(counts, units.kind, undefined or {}, 4.0)


def test_counts_are_those_of_users():
    # ann: 6 turns, 3 records, 1 right, 1 wrong, 1 open; ben: 5, 1, 1 right; cleo: 6, 1, 1 wrong
    values, reasons = columns()
    for column, found in {
        "write_rate": rate_interval([3, 1, 1], [6, 5, 6]),
        "precision": share_interval([1, 1, 0], [2, 1, 1]),
        "recall": recall_interval([0, 1, 1, 2], [1, 1, 1, 4], [1, 1, 0, 0], heaviest=4),
        "wrong_per_1000_turns": wrong_rate_interval(
            [3, 1, 1], [2, 1, 1], [1, 0, 1], [0.006, 0.005, 0.006]
        ),
    }.items():
        ends = (values[f"{column}_ci_low"], values[f"{column}_ci_high"])
        assert ends == pytest.approx((found.low, found.high))
    assert "unit user" in values["interval_method"]
    assert reasons == {}


def test_the_order_of_rows_changes_nothing():
    assert columns(RECORDS.reverse()) == columns()


def test_a_null_interval_has_the_reason_of_its_ratio():
    values, reasons = columns(RECORDS.clear(), {"precision": "no records"})
    assert values["precision_ci_low"] is values["precision_ci_high"] is None
    assert reasons == dict.fromkeys(("precision_ci_low", "precision_ci_high"), "no records")
    assert values["wrong_per_1000_turns_ci_low"] == 0


def test_what_was_put_in_has_no_interval():
    assert intervals.simulated(pl.DataFrame({"basis": ["live", "simulated"]}))
    values, reasons = intervals.none_of_simulated()
    assert values.keys() == reasons.keys() == columns()[0].keys()
    assert set(values.values()) == {None}


def test_recall_by_form_has_its_intervals():
    forms = pl.DataFrame({"evidence_form": ["not agreed", "oblique", "stated"]})
    found = intervals.with_form_intervals(forms, SESSIONS, FACTS, pl.Series(["f1", "f2", None]))
    expected = [
        share_interval(hit, n)
        for hit, n in (([0, 0, 0], [0, 0, 2]), ([0, 0, 0], [0, 1, 0]), ([1, 1, 0], [1, 1, 0]))
    ]
    assert found["ci_low"].to_list() == [one.low for one in expected]
    assert found["ci_high"].to_list() == [one.high for one in expected]
