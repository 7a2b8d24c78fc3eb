"""Our own JSON Lines: a line in, a turn, an event or a reject out."""

import json
from datetime import UTC, datetime

import pytest

from labelling.transcripts import read

TURN = {"session_id": "s", "role": "user", "text": "We use BigQuery."}


@pytest.fixture
def take(tmp_path):
    """Read lines (objects, or bytes as they are) as a file chat.jsonl."""

    def take(*lines):
        path = tmp_path / "chat.jsonl"
        raw = [x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines]
        path.write_bytes(b"\n".join(raw))
        return read(path, "jsonl")

    return take


def test_three_fields_are_enough(take):
    found = take(TURN)
    assert found.sessions.row(0, named=True) == {
        "session_id": "s",
        "user_id": "s",
        "started_at": None,
        "partner": "assistant",
        "split": "dev",  # sha256("s") begins 043a718774, and 0x043a7187 is odd
        "licence": None,
        "source_format": "jsonl",
        "source_ref": "chat.jsonl#1",
    }
    assert found.turns.row(0, named=True) == {
        **{**TURN, "turn": 0, "speaker": "user", "at": None, "tokens": None, "hidden": False},
        **{"injected_spans": [], "source_ref": "chat.jsonl#1"},
    }


def test_every_column_is_kept(take):
    span = {"start": 0, "end": 2}
    about = {"user_id": "u", "partner": "agent", "licence": "CC0", "started_at": "2026-01-01"}
    turn = {"speaker": "Ann", "at": "2026-01-01T10:00:00+02:00", "tokens": 7, "hidden": True}
    found = take({**TURN, **about, **turn, "injected_spans": [span]})
    session, row = found.sessions.row(0, named=True), found.turns.row(0, named=True)
    assert {**session, **about, "started_at": datetime(2026, 1, 1, tzinfo=UTC)} == session
    at = datetime(2026, 1, 1, 8, tzinfo=UTC)
    assert {**row, **turn, "at": at, "injected_spans": [span]} == row


def test_bad_lines_are_rejects_with_their_numbers_and_good_ones_go_through(take):
    found = take(
        b"\xef\xbb\xbf" + json.dumps(TURN).encode(),
        b"",
        b'{"text": "caf\xe9"}',
        b"{not json",
        [1],
        {**TURN, "role": "robot"},
        {"session_id": "s", "text": "x"},
        {**TURN, "text": 3},
        {**TURN, "session_id": "  "},
        {**TURN, "injected_spans": [{"start": 3, "end": 999}]},
        {**TURN, "text": "Last."},
    )
    assert found.turns["text"].to_list() == ["We use BigQuery.", "Last."]
    assert {reject.line: reject.reason.split(",")[0] for reject in found.rejects} == {
        3: "not UTF-8 at byte 14",
        4: "not JSON: Expecting property name enclosed in double quotes at column 2",
        5: "not a JSON object",
        6: "role is 'robot'",
        7: "role is missing",
        8: "text is a number",
        9: "session_id is empty",
        10: "injected_spans holds {'start': 3",
    }


def test_turn_numbers_give_the_order_and_are_renumbered(take):
    def line(text, **more):
        return {**TURN, "text": text, **more}

    found = take(
        line("third", turn=30), line("fourth"), line("first", turn=10), line("second", turn=20)
    )
    assert found.turns["text"].to_list() == ["first", "second", "third", "fourth"]
    assert found.turns["turn"].to_list() == [0, 1, 2, 3]
    assert found.turns["source_ref"][2] == "chat.jsonl#1;turn=30"


def test_a_number_used_twice_or_another_user_is_a_reject(take):
    first = {**TURN, "turn": 1, "user_id": "u"}
    found = take(first, {**TURN, "turn": 1}, {**TURN, "turn": 2, "user_id": "v"})
    assert [reject.reason for reject in found.rejects] == [
        "turn 1 of the session is already there",
        "user_id differs from an earlier line of the session",
    ]
    assert found.turns.height == 1


def test_events_belong_to_their_turn_or_to_the_last_one_before(take):
    press = {"session_id": "s", "event": "remember_pressed"}
    found = take(
        press,
        {**TURN, "turn": 5},
        {**press, "statement": "Uses BigQuery."},
        {**TURN, "turn": 2},
        {**press, "turn": 2},
        {**press, "turn": 9},
        {**press, "turn": 2},
        {**press, "text": "both"},
        {**press, "event": "sneezed"},
    )
    rows = found.events.select("turn", "event", "statement").rows()
    assert rows == [(1, "remember_pressed", "Uses BigQuery."), (0, "remember_pressed", None)]
    assert [reject.line for reject in found.rejects] == [1, 6, 7, 8, 9]


def test_a_time_that_cannot_be_read_is_said_and_the_turn_kept(take):
    found = take({**TURN, "at": "yesterday"}, {**TURN, "at": "2026-03-01T08:00:00"})
    assert found.turns["at"].to_list() == [None, datetime(2026, 3, 1, 8, tzinfo=UTC)]
    (reject,) = found.rejects
    assert (reject.line, reject.path, reject.text) == (1, "$.at", "yesterday")


def test_what_utf8_or_a_database_cannot_hold_is_replaced_one_for_one(take):
    found = take({**TURN, "text": "a\ud800b\x00c"}, {**TURN, "session_id": "s\x00"})
    assert found.turns["text"].to_list() == ["a\ufffdb\ufffdc"]
    assert [reject.line for reject in found.rejects] == [2]
