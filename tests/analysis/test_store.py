"""What is wrong with the stores that a gate leaves behind."""

from datetime import UTC, datetime

from analysis.store import store_check
from labelling.tables import check, frame
from tests.scored import slices

USERS = [
    {"session_id": "s1", "user_id": "ann", "started_at": datetime(2026, 3, 1, tzinfo=UTC)},
    {"session_id": "s2", "user_id": "ann", "started_at": datetime(2026, 5, 1, tzinfo=UTC)},
    {"session_id": "s3", "user_id": "ben"},
]
BIG = {"card": None, "slot": "warehouse", "value": "BigQuery"}


def cases(*records, cards=(), sessions=USERS):
    """Check -> cases and users affected."""
    (found,) = slices(cards, list(records), sessions)
    rows = store_check(found)
    assert check("store_check", frame("store_check", rows)).bad.is_empty()
    return {row["check"]: (row.get("cases"), row.get("users_affected")) for row in rows}


def test_one_slot_with_two_values():
    other = {**BIG, "value": "Snowflake", "session_id": "s2"}
    assert cases(BIG, {**BIG, "value": "bigquery."})["two_values"] == (0, 0)
    assert cases(BIG, other)["two_values"] == (1, 1)
    apart = ({"session_id": "s3"}, {"scope": "repo:x"}, {"polarity": False}, {"verdict": "reject"})
    for change in apart:
        assert cases(BIG, {**other, **change})["two_values"] == (0, 0)


def test_two_scopes_for_one_claim():
    there = {**BIG, "scope": "repo:x", "statement": "Other words."}
    assert cases(BIG, there)["two_scopes"] == (1, 1)
    assert cases(BIG, {**there, "scope": None})["two_scopes"] == (0, 0)
    assert cases(BIG, {**there, "session_id": "s3"})["two_scopes"] == (0, 0)
    assert cases({"card": None}, {"card": None, "scope": "a:b"})["two_scopes"] == (0, 0)


def test_expired_at_the_last_time_known_of_the_user():
    april = {**BIG, "expires_at": datetime(2026, 4, 1, tzinfo=UTC)}
    june = {**BIG, "expires_at": datetime(2026, 6, 1, tzinfo=UTC)}
    assert cases(april, june, BIG)["expired"] == (1, 1)
    assert cases({**april, "session_id": "s3"})["expired"] == (None, None)  # no time is known


def test_wrong_records_and_the_users_who_have_any():
    cards = [{"decision": "rejected"}, {"decision": "accepted", "session_id": "s3"}]
    found = cases({"card": 0}, {"card": 0}, {"card": 1}, cards=cards)
    assert found["wrong"] == (2, 1)
