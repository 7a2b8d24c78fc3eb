"""Replay over a study: whose rows are replaced, what is refused, and what a custom gate may be."""

import json
import sys
from collections import Counter

import polars as pl
import pytest

from analysis.cli import main
from analysis.replay import import_records, replay
from labelling.tables import InputError, exists, read, write
from tests.studies import one_object, own_data, save, talk  # noqa: F401

GATES = """
from analysis.gates import Proposal

def notes(turn, context):
    return [Proposal(turn.text, quote=turn.text, kind="fact", scope="global")]

def careless(turn, context):
    return [
        Proposal("", quote=turn.text),
        Proposal("kept", quote=turn.text),
        Proposal("x", quote=turn.text, scope="everywhere"),
        Proposal("x", quote=turn.text, score=float("nan")),
        Proposal("x", quote=turn.text, verdict="maybe"),
    ]

def unquoted(turn, context):
    return [Proposal(turn.text)]

def failing(turn, context):
    raise RuntimeError("out of order")

def loud(turn, context):
    print("NOISE")
    return []
"""


@pytest.fixture
def study(data, tmp_path, monkeypatch):
    (tmp_path / "ours_replayed.py").write_text(GATES)
    monkeypatch.chdir(tmp_path)
    yield save(sessions=[{}], turns=talk("We use BigQuery.", "I see.", "Call me Sam."), events=[])
    sys.modules.pop("ours_replayed", None)


def of(table, gate):
    return read("study", table).filter(read("study", table)["gate"] == gate)


def test_a_gate_of_one_s_own_is_replayed(study):
    outcome = replay("study", ["ours_replayed:notes"])
    assert outcome.details == {"records": {"ours_replayed:notes": 2}, "failures": 0}
    assert outcome.wrote == {"gate_turns": 2, "proposals": 2}
    found = read("study", "proposals").to_dicts()
    assert [p["evidence"] for p in found] == [
        [{"turn": 0, "role": "user", "start": 0, "end": 16}],
        [{"turn": 2, "role": "user", "start": 0, "end": 12}],
    ]
    assert {p["verdict"] for p in found} == {"admit"}


def test_the_same_again_makes_the_same_proposals(study):
    names = ("heuristic", "everything", "first_person")
    replay("study", names)
    first = read("study", "proposals")
    replay("study", names[::-1])
    assert read("study", "proposals").equals(first)
    assert first.height > 3


def test_one_gate_s_replay_leaves_the_others_rows_as_they_were(study):
    replay("study", ["everything", "first_person"])
    before = of("proposals", "everything"), of("gate_turns", "everything")
    replay("study", ["first_person", "ours_replayed:notes"])
    assert of("proposals", "everything").equals(before[0])
    assert of("gate_turns", "everything").equals(before[1])  # latencies, too


def test_a_gate_named_twice_runs_once(study):
    replay("study", ["nothing", "nothing"])
    assert read("study", "gate_turns").height == 2


def test_rows_that_break_the_schema_are_kept_apart(study, data, capsys):
    outcome = replay("study", ["ours_replayed:careless"])
    assert outcome.wrote["proposals"] == 2
    assert set(read("study", "proposals")["statement"]) == {"kept"}
    lines = (data / "study" / "replay-rejects.jsonl").read_text().splitlines()
    rejects = [json.loads(line) for line in lines]
    assert len(rejects) == 8
    assert {r["verdict"] for r in rejects} == {"admit", "maybe"}
    assert all("scope" in r["reason"] for r in rejects)
    assert "8 rows or lines were left out: see" in capsys.readouterr().err


def test_a_gate_whose_proposals_are_all_refused_is_told_why(study, capsys):
    outcome = replay("study", ["ours_replayed:unquoted"])
    assert outcome.details["records"] == {}
    said = "all 2 proposals of ours_replayed:unquoted were refused, 2 of them: quote_not_found"
    assert said in capsys.readouterr().err


def test_rejects_stay_until_their_gate_comes_again(study, data, tmp_path):
    def listed():
        lines = (data / "study" / "replay-rejects.jsonl").read_text().splitlines()
        return Counter(json.loads(line)["gate"] for line in lines)

    live = tmp_path / "live.jsonl"
    good = json.dumps({"session_id": "s1", "turn": 0, "statement": "x"}) + "\n"
    for name, lines in (("one", good + "{"), ("two", good + "{\n[")):
        live.write_text(lines)
        import_records("study", live, gate=name)
    replay("study", ["ours_replayed:careless"])
    assert listed() == {"one": 1, "two": 2, "ours_replayed:careless": 8}
    replay("study", ["nothing"])
    replay("study", ["ours_replayed:careless"])
    assert listed() == {"one": 1, "two": 2, "ours_replayed:careless": 8}
    live.write_text(good)
    import_records("study", live, gate="two")
    assert listed() == {"one": 1, "ours_replayed:careless": 8}
    (data / "study" / "replay-rejects.jsonl").write_text("junk")
    with pytest.raises(InputError, match=r"rejects.jsonl is not as it was written; move it away"):
        replay("study", ["nothing"])


def test_a_gate_that_fails_is_rows_and_a_warning(study, capsys):
    outcome = replay("study", ["ours_replayed:failing", "nothing"])
    assert outcome.details["failures"] == 2
    assert set(of("gate_turns", "ours_replayed:failing")["failure"]) == {
        "RuntimeError: out of order"
    }
    said = "ours_replayed:failing failed on 2 of 2 turns, the first: RuntimeError"
    assert said in capsys.readouterr().err


def test_a_gate_that_never_comes_through_is_bad_input(study):
    with pytest.raises(InputError, match="no run came through: RuntimeError: out of order"):
        replay("study", ["ours_replayed:failing"])
    assert not exists("study", "proposals")


def test_what_a_gate_prints_stays_out_of_the_one_object(study, capsys):
    assert main(["replay", "--gate", "ours_replayed:loud", "--study", "study", "--json"]) == 0
    out, err = capsys.readouterr()
    assert one_object(out)["failures"] == 0
    assert err.count("NOISE") == 2


def test_rows_made_from_other_transcripts_are_taken_out(study, data, capsys):
    replay("study", ["everything", "ours_replayed:careless"])
    before = of("proposals", "everything").height
    turns = read("study", "turns")
    write("study", "turns", turns.with_columns(pl.col("text") + " And more."))
    replay("study", ["nothing"])
    assert read("study", "proposals").is_empty()
    assert "rows of everything, ours_replayed:careless were taken out" in capsys.readouterr().err
    lines = (data / "study" / "replay-rejects.jsonl").read_text().splitlines()
    assert [json.loads(line)["gate"] for line in lines].count("everything") == before


def test_an_unknown_gate_stops_it_before_anything_is_run(study):
    with pytest.raises(InputError, match="there is no gate 'nobody'; expected one of heuristic"):
        replay("study", ["everything", "nobody"])
    with pytest.raises(InputError, match="has no proposals yet"):
        read("study", "proposals")


def test_from_needs_one_name(study, tmp_path, capsys):
    file = tmp_path / "live.jsonl"
    file.write_text('{"session_id": "s1", "turn": 0, "statement": "Uses BigQuery."}\n')
    assert main(["replay", "--from", str(file), "--study", "study"]) == 1
    assert "--from was given with 0 names; expected one --gate NAME" in capsys.readouterr().err
    assert main(["replay", "--sessions", str(file), "--study", "study"]) == 1
    assert "--sessions was given without --from" in capsys.readouterr().err
    assert main(["replay", "--from", str(file), "--gate", "live", "--study", "study"]) == 0
    assert of("proposals", "live")["basis"].to_list() == ["recorded"]
