"""Files merged into a study."""

import io
import json

import pytest

from analysis.cli import main
from analysis.doctor import what_next
from analysis.replay import replay
from labelling import tables
from labelling.tables import InputError, store
from labelling.transcripts.ingest import ingest

STUDY = "s"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the studies are."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "studies"))
    return tmp_path / "studies" / STUDY


@pytest.fixture
def write(tmp_path):
    """Write a file of our own format, a turn for each (session, text), and give its path."""

    def write(name, *turns, then=""):
        lines = [{"session_id": s, "role": "user", "text": text} for s, text in turns]
        path = tmp_path / name
        path.write_text("\n".join([*map(json.dumps, lines), then]))
        return path

    return write


def texts():
    turns = tables.read(STUDY, "turns")
    return {session: part["text"].to_list() for (session,), part in turns.group_by("session_id")}


def rejects(folder):
    lines = (folder / "rejects.jsonl").read_text().splitlines()
    return [(row["file"], row["line"], row["reason"][:20]) for row in map(json.loads, lines)]


def all_bytes(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def test_the_outcome_says_what_came_of_it(write, folder):
    press = json.dumps({"session_id": "a", "event": "remember_pressed"})
    outcome = ingest(STUDY, [write("x.jsonl", ("a", "Hi"), ("b", "Ho"), then=press + "\n{")])
    assert outcome.wrote == {"sessions": 2, "turns": 2, "events": 1}
    # sha256("a") begins ca978112 (even, test), sha256("b") begins 3e23e816 (even, test)
    assert outcome.details["users"] == {"dev": 0, "test": 2}
    assert outcome.details["rejects"] == 1
    assert rejects(folder) == [("x.jsonl", 4, "not JSON: Expecting ")]
    assert "jsonl: its objects have session_id" in outcome.text
    assert "x.jsonl, line 4: not JSON" in outcome.text
    assert outcome.then == "gates replay --study s"


def test_the_same_file_again_replaces_itself_alone(write, folder):
    ingest(STUDY, [write("x.jsonl", ("a", "Hi"), ("b", "Ho"), then="{")])
    ingest(STUDY, [write("y.jsonl", ("c", "Hey"), then="{")])
    ingest(STUDY, [write("x.jsonl", ("a", "Hello"))])
    assert texts() == {"a": ["Hello"], "c": ["Hey"]}
    assert rejects(folder) == [("y.jsonl", 2, "not JSON: Expecting ")]


def test_the_order_of_the_runs_changes_no_byte(write, folder):
    files = [write("x.jsonl", ("b", "Hi"), ("a", "Ho")), write("y.jsonl", ("c", "Hey"))]
    ingest(STUDY, files)
    before = all_bytes(folder)
    ingest(STUDY, files[:1])
    assert all_bytes(folder) == before


def test_a_session_of_another_file_is_a_reject(write, folder):
    ingest(STUDY, [write("x.jsonl", ("a", "Hi"))])
    outcome = ingest(STUDY, [write("y.jsonl", ("a", "mine"), ("c", "Hey"))])
    assert texts() == {"a": ["Hi"], "c": ["Hey"]}
    assert outcome.details["rejects"] == 1
    assert rejects(folder) == [("y.jsonl", None, "this session id is a")]


def test_a_killed_run_is_repaired_by_running_it_again(write, folder):
    first, second = write("x.jsonl", ("a", "Hi")), write("y.jsonl", ("c", "Hey"))
    ingest(STUDY, [first])
    sessions = (folder / "sessions.parquet").read_bytes()
    ingest(STUDY, [second])
    whole = all_bytes(folder)
    (folder / "sessions.parquet").write_bytes(sessions)  # as if killed before the last table
    ingest(STUDY, [second])
    assert all_bytes(folder) == whole


@pytest.mark.parametrize("written", [1, 2])  # turns; turns and events
def test_a_run_that_ended_between_the_tables_shows(write, folder, monkeypatch, written):
    press = json.dumps({"session_id": "c", "event": "remember_pressed"})
    ingest(STUDY, [write("x.jsonl", ("a", "Hi"))])
    assert tables.stale(STUDY, "sessions") == []
    second = write("y.jsonl", ("c", "Hey"), then=press)
    left = iter(range(written))
    with monkeypatch.context() as patch:  # StopIteration stands for the end of the process
        patch.setattr(tables, "write", lambda *a, **b: (next(left), store.write(*a, **b))[1])
        with pytest.raises(StopIteration):
            ingest(STUDY, [second])
    assert tables.stale(STUDY, "sessions") == ["turns", "events"][:written]
    assert what_next(STUDY).then == "gates ingest FILE --study s"
    assert main(["doctor", "--study", STUDY, "--json"]) == 0
    with pytest.raises(InputError, match=r"half of .* run `gates ingest FILE --study s` again"):
        replay(STUDY, ["everything"])
    ingest(STUDY, [second])
    assert tables.stale(STUDY, "sessions") == []
    replay(STUDY, ["everything"])


def chats(path, *openings, ids=None):
    """OpenAI chats: the same system prompt, then what the user says."""
    rows = [
        {"messages": [{"role": "system", "content": "Help."}, {"role": "user", "content": said}]}
        | ({"id": ids[n]} if ids else {})
        for n, said in enumerate(openings)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


STRANGERS = {
    "other ids": ("ab", "cd", False),
    "one id in common": ("ab", "ca", True),
    "counted, with other words": (None, None, False),
    "counted, but for one": (["x-0", "x-one"], ["x-0", "x-one"], True),
}


@pytest.mark.parametrize(("before", "now", "same"), STRANGERS.values(), ids=STRANGERS)
def test_another_file_of_the_same_name_is_refused(tmp_path, folder, before, now, same):
    ingest(STUDY, [chats(tmp_path / "x.jsonl", "One", "Two", ids=before)])
    kept = all_bytes(folder)
    other = chats(tmp_path / "x.jsonl", "Three", "Four", ids=now)
    if not same:
        with pytest.raises(InputError, match=r"2 sessions before, and none .* now; .*--replace"):
            ingest(STUDY, [other])
        assert all_bytes(folder) == kept
    outcome = ingest(STUDY, [other], replace=not same)
    assert {text for said in texts().values() for text in said} == {"Help.", "Three", "Four"}
    assert "x.jsonl was there before: replaced 2 sessions (" in outcome.text


def test_counted_sessions_with_the_same_opening_are_the_same_file(tmp_path):
    ingest(STUDY, [chats(tmp_path / "x.jsonl", "One", "Two")])
    outcome = ingest(STUDY, [chats(tmp_path / "x.jsonl", "One")])
    assert "replaced 2 sessions (" in outcome.text
    assert "; 1 of them not in it any more" in outcome.text


def test_standard_input_is_a_name_like_any_other(monkeypatch, folder):
    for session in ("a", "b"):
        line = json.dumps({"session_id": session, "role": "user", "text": "Hi"})
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
        if session == "a":
            ingest(STUDY, ["-"])
    with pytest.raises(InputError, match="stdin gave this study 1 sessions before"):
        ingest(STUDY, ["-"])


def test_folders_patterns_and_defaults(write, tmp_path):
    write("x.jsonl", ("a", "Hi"))
    write("y.jsonl", ("b", "Ho"))
    write("z.txt", then="name,text")
    outcome = ingest(STUDY, [str(tmp_path / "*.jsonl")], licence="CC0", partner="agent")
    assert outcome.details["rejects"] == 0
    rows = tables.read(STUDY, "sessions").select("session_id", "licence", "partner").rows()
    assert rows == [("a", "CC0", "agent"), ("b", "CC0", "agent")]
    assert ingest(STUDY, [tmp_path]).details["rejects"] == 1  # z.txt, in a sentence


def test_nothing_good_leaves_the_study_as_it_was(write, folder):
    good, bad = write("x.jsonl", ("a", "Hi")), write("y.jsonl", then='{"session_id": 1, "text": 1}')
    with pytest.raises(InputError, match=r"line 1: role is missing|text is a number"):
        ingest(STUDY, [bad])
    assert not folder.exists()
    ingest(STUDY, [good])
    before = all_bytes(folder)
    with pytest.raises(InputError, match="the study is as it was"):
        ingest(STUDY, [bad, write("z.jsonl")])
    with pytest.raises(InputError, match=r"already there from x\.jsonl"):
        ingest(STUDY, [write("y.jsonl", ("a", "Hi"))])
    assert all_bytes(folder) == before


def test_what_cannot_be_told_apart_or_found_is_said(write, tmp_path):
    (tmp_path / "other").mkdir()
    x, other = write("x.jsonl", ("a", "Hi")), write("other/x.jsonl", ("b", "Ho"))
    (tmp_path / "empty").mkdir()
    calls = {
        "have the same name": [x, other],
        "there is no file": [tmp_path / "none.jsonl"],
        "there are no files in": [tmp_path / "empty"],
        "no file was named": [],
    }
    for sentence, paths in calls.items():
        with pytest.raises(InputError, match=sentence):
            ingest(STUDY, paths)


def test_a_table_that_cannot_be_read_says_the_way_out(write, folder):
    ingest(STUDY, [write("x.jsonl", ("a", "Hi"))])
    (folder / "turns.parquet").write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"move .* away and ingest all its files again"):
        ingest(STUDY, [write("x.jsonl", ("a", "Hi"))])
