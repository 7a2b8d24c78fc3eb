"""What the log's reader takes, and what it refuses."""

from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.observations import as_log, distinct, generalises
from labelling.tables import SCHEMAS, InputError

ROW = {"obs": "wants_concise", "session": "s1", "turn": 1, "quote": "shorter", "at": "2026-02-04"}
MIDNIGHT = datetime(2026, 2, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "at",
    [
        "2026-02-04",
        "2026-02-04T00:00:00Z",
        "2026-02-04T01:00:00+01:00",
        date(2026, 2, 4),
        datetime(2026, 2, 4),
        MIDNIGHT,
    ],
)
def test_a_missing_user_is_user_and_a_date_is_midnight_utc(at):
    log = SCHEMAS["observations"].validate(as_log([{**ROW, "at": at}]))
    assert log.select("user_id", "at").rows() == [("user", MIDNIGHT)]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({key: value for key, value in ROW.items() if key != "at"}, "no column at"),
        ({**ROW, "turn": "two"}, "cannot be read"),
        ({**ROW, "at": "4.2.2026"}, "at is '4.2.2026'"),
        ({**ROW, "at": 1770163200}, "at is 1770163200"),
        ({**ROW, "at": None}, "has no at"),
        ({**ROW, "quote": None}, "row 0 of the log has no quote"),
    ],
)
def test_what_is_no_log_is_refused(row, told):
    with pytest.raises(InputError, match=told):
        as_log([row])


def test_of_equal_rows_the_earliest_counts_then_the_first():
    rows = [
        {**ROW, "at": "2026-02-05", "quote": "late"},
        {**ROW, "quote": "first"},
        {**ROW, "quote": "second"},
    ]
    assert distinct(as_log(rows))["quote"].to_list() == ["first"]


@given(st.lists(st.text(), max_size=8), st.lists(st.text(min_size=1, max_size=3), max_size=3))
def test_a_phrase_is_looked_for_as_python_lowers(quotes, phrases):
    found = generalises(pl.Series("quote", quotes, dtype=pl.String), phrases)
    assert found.to_list() == [any(p in q.lower() for p in phrases) for q in quotes]
