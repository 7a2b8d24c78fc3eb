"""What a live gate wrote, taken in line by line."""

import io
import json
from pathlib import Path

import pytest

from analysis.gates.records import read_records
from analysis.gates.run import conversations
from analysis.replay import import_records
from labelling.tables import InputError, check, read
from tests.studies import own_data, rows, said, save, talk  # noqa: F401

TEXTS = ("We use BigQuery.", "Snowflake is nice.", "Ok.", "Noted.")
GOOD = {"session_id": "s1", "turn": 0, "statement": "Uses BigQuery."}


@pytest.fixture
def sessions():
    turns = [*talk(*TEXTS), *talk("Hi", "Yes?", session_id="s2"), *talk("x", "y", session_id="7")]
    turns[5]["hidden"] = True
    people = rows("sessions", *({"session_id": s} for s in ("s1", "s2", "7")))
    events = rows("events", {"turn": 1, "statement": "Likes Snowflake."})
    return list(conversations(people, rows("turns", *turns), events))


@pytest.fixture
def take(tmp_path, sessions):
    def taken(*lines, covered=None):
        file = tmp_path / "live.jsonl"
        as_bytes = (
            line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
        )
        file.write_bytes(b"\n".join(as_bytes))
        listed = tmp_path / "sessions.txt" if covered is not None else None
        if listed:
            listed.write_text("\n".join(covered))
        return read_records(file, "live", sessions, listed)

    return taken


def test_a_record_is_admitted_as_it_was_written(take):
    given = {
        **GOOD,
        "quote": "We use BigQuery",
        "kind": "fact",
        "scope": "project:x",
        "slot": "warehouse",
        "value": "BigQuery",
        "polarity": True,
        "expires_at": "2027-01-31",
        "score": 0.5,
        "setting": "v2",
    }
    (found,) = take(given).proposals.to_dicts()
    assert {name: found[name] for name in given if name != "expires_at"} == {
        name: value for name, value in given.items() if name != "expires_at"
    }
    assert found["expires_at"].isoformat() == "2027-01-31T00:00:00+00:00"
    assert found["evidence"] == said(0, TEXTS[0], "We use BigQuery")
    assert (found["verdict"], found["basis"], found["gate"]) == ("admit", "recorded", "live")
    assert found["score_kind"] == "as recorded"


def test_what_little_is_required(take):
    (found,) = take(GOOD).proposals.to_dicts()
    assert (found["quote"], found["evidence"], found["setting"]) == (None, [], "as recorded")
    assert (found["score"], found["score_kind"]) == (None, None)
    assert take({**GOOD, "session_id": 7}).proposals["session_id"].to_list() == ["7"]


@pytest.mark.parametrize("quote", ["Snowflake is nice", "never said"])
def test_a_record_on_nothing_stays_a_record(take, quote):
    (found,) = take({**GOOD, "turn": 2, "quote": quote}).proposals.to_dicts()
    assert (found["verdict"], found["reject_reason"]) == ("admit", None)
    assert {e["role"] for e in found["evidence"]} == ({"assistant"} if "nice" in quote else set())


UNFIT = {
    b"{": "not JSON",
    b'"text"': "str instead of a JSON object",
    b"\xff\xfe": "not UTF-8",
    b"[" * 100_000: "not JSON",
    b'{"session_id": "s1"}': "turn is missing",
    b'{"turn": 0, "statement": "x"}': "session_id is missing",
    b'{"session_id": "s9", "turn": 0, "statement": "x"}': "session 's9' is not among the covered",
}
CHANGES = [
    ({"turn": 99}, "turn 99 is not a visible turn of s1"),
    ({"turn": True}, "turn is true or false, expected a whole number"),
    ({"turn": "0"}, "turn is a text, expected a whole number"),
    ({"turn": 10**99}, f"turn 1{'0' * 59}… is not a visible turn"),
    ({"session_id": "s2", "turn": 1}, "turn 1 is not a visible turn of s2"),
    ({"statement": " "}, "statement is ' '; expected text"),
    ({"statement": None}, "statement is None; expected text"),
    ({"quote": 5}, "quote is 5; expected text"),
    ({"kind": "opinion"}, "kind is 'opinion'; expected fact or preference"),
    ({"scope": "here"}, "scope is 'here'; expected global or <what>:<name>"),
    ({"polarity": "yes"}, "polarity is 'yes'; expected true or false"),
    ({"score": "high"}, "score is 'high'; expected a finite number"),
    ({"score": float("inf")}, "score is inf; expected a finite number"),
    ({"score": True}, "score is True; expected a finite number"),
    ({"latency_ms": -1}, "latency_ms is -1; expected a finite number from 0"),
    ({"expires_at": "soon"}, "expires_at is 'soon'; expected such as 2027-01-31"),
]


@pytest.mark.parametrize(
    ("line", "reason"), [*UNFIT.items(), *(({**GOOD, **change}, why) for change, why in CHANGES)]
)
def test_a_line_that_fits_nothing_is_a_reject_with_its_line(take, line, reason):
    taken = take(GOOD, b"", line, {**GOOD, "turn": 2})
    assert taken.proposals.height == 2
    (reject,) = taken.rejects
    assert (reject["file"], reject["line"]) == ("live.jsonl", 3)
    assert reason in reject["reason"]
    assert json.dumps(reject)


def test_what_cannot_be_stored_is_replaced(take):
    taken = take(b'\xef\xbb\xbf{"session_id": "s1", "turn": 0, "statement": "a\\ud800b\\u0000"}')
    assert taken.proposals["statement"].to_list() == ["a\ufffdb\ufffd"]


def test_nothing_that_fits_is_one_sentence(take, tmp_path, sessions):
    with pytest.raises(InputError, match=r"live.jsonl has no record .*: it is empty; expected"):
        take()
    with pytest.raises(InputError, match=r"no record that fits the study: line 1: not JSON"):
        take(b"{")
    with pytest.raises(InputError, match=r"there is no file .*gone.jsonl; check the path"):
        read_records(tmp_path / "gone.jsonl", "live", sessions)


def test_a_device_is_no_file_of_records(sessions):
    with pytest.raises(InputError, match=r"/dev/zero is no regular file; expected one; or pipe it"):
        read_records(Path("/dev/zero"), "live", sessions)


def test_a_dash_is_standard_input(sessions, monkeypatch):
    piped = json.dumps(GOOD).encode() + b"\n{"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped)))
    taken = read_records(Path("-"), "live", sessions)
    assert (taken.name, taken.proposals.height) == ("stdin", 1)
    assert [r["file"] for r in taken.rejects] == ["stdin"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "is no name for a gate"),
        ("a\nb", "is no name for a gate"),
        ("everything", "choose another --gate, such as everything-live"),
        ("random", "is a gate of the project; expected a name of its own"),
    ],
)
def test_a_live_gate_has_a_name_of_its_own(name, told, sessions, tmp_path):
    with pytest.raises(InputError, match=told):
        read_records(tmp_path / "live.jsonl", name, sessions)


def test_quotes_of_nothing_are_counted(take):
    found = [{**GOOD, "quote": quote} for quote in ("We use", "never said", "Snowflake")]
    assert take(GOOD, *found).lost_quotes == 2  # Snowflake is said later


def test_a_run_stands_for_every_user_turn_covered_and_every_record(take):
    def runs(*lines, **more):
        found = take(*lines, **more).gate_turns
        assert check("gate_turns", found).bad.is_empty()
        return found.select("session_id", "turn", "proposals").rows()

    assert runs(GOOD, {**GOOD, "turn": 1}, GOOD) == [
        ("7", 0, 0),
        ("s1", 0, 2),
        ("s1", 1, 1),
        ("s1", 2, 0),
        ("s2", 0, 0),
    ]
    assert runs(GOOD, covered=["s1", ""]) == [("s1", 0, 1), ("s1", 2, 0)]


def test_sessions_are_listed_as_they_are_called(tmp_path):
    people = rows("sessions", *({"session_id": s} for s in ("s1", " s1 ")))
    turns = rows("turns", *talk("Hi"), *talk("Hi", session_id=" s1 "))
    talked = list(conversations(people, turns, rows("events")))
    (tmp_path / "live.jsonl").write_text(json.dumps({**GOOD, "session_id": " s1 "}))
    (tmp_path / "sessions.txt").write_text(" s1 \n")
    taken = read_records(tmp_path / "live.jsonl", "live", talked, tmp_path / "sessions.txt")
    assert taken.gate_turns["session_id"].to_list() == [" s1 "]


def test_records_outside_the_covered_sessions_are_rejects(take):
    taken = take(GOOD, {**GOOD, "session_id": "s2"}, covered=["s1"])
    assert [r["line"] for r in taken.rejects] == [2]
    with pytest.raises(InputError, match=r"lists unknown session s9; expected one session id"):
        take(GOOD, covered=["s1", "s9"])
    with pytest.raises(InputError, match="lists no session"):
        take(GOOD, covered=[])


def test_the_latency_of_a_turn_is_its_slowest_record_s(take):
    lines = [{**GOOD, "latency_ms": ms} for ms in (5, 9.5, None)]
    found = take(*lines, {**GOOD, "turn": 2}).gate_turns.filter(session_id="s1")
    assert found["latency_ms"].to_list() == [9.5, None]
    (at_once,) = (
        take({**GOOD, "latency_ms": 0}, covered=["s1"]).gate_turns.filter(turn=0).to_dicts()
    )
    assert at_once["latency_ms"] == 0
    assert found["on_path"].all()


def test_ids_do_not_hang_on_the_place_in_the_file(take):
    other = {**GOOD, "statement": "Other."}
    one, two = take(GOOD, GOOD, other).proposals, take(other, GOOD, GOOD).proposals
    assert one["proposal_id"].n_unique() == 3
    assert set(one["proposal_id"]) == set(two["proposal_id"])


def test_an_import_keeps_its_rejects_and_replaces_itself(data, tmp_path, capsys):
    save(sessions=[{}], turns=talk(*TEXTS), events=[])
    file = tmp_path / "live.jsonl"
    file.write_text(json.dumps({**GOOD, "quote": "never said"}) + "\n{\n")
    outcome = import_records("study", file, gate="live")
    assert (outcome.read, outcome.details["rejected"]) == ({"live.jsonl": 2}, 1)
    assert outcome.details["quotes_not_found"] == 1
    assert "1 lines refused; 1 quotes were said nowhere up to their turn" in outcome.did
    (line,) = (data / "study" / "replay-rejects.jsonl").read_text().splitlines()
    assert json.loads(line)["line"] == 2
    file.write_text(json.dumps({**GOOD, "statement": "New."}))
    import_records("study", file, gate="live")
    assert read("study", "proposals")["statement"].to_list() == ["New."]
