"""Every command under every fault: exit code, one sentence with its parts, nothing half-written."""

import errno
import os
import shutil

import pytest

from analysis.cli import COMMANDS, main
from analysis.links import decide
from labelling.tables import SCHEMAS, made_from, read, stale, table_path
from tests.studies import files, one_object, own_data, rows, save, votes  # noqa: F401

TRANSCRIPT = """
{"session_id": "s1", "role": "user", "text": "We use BigQuery. It is fast. My name is Sam."}
{"session_id": "s1", "role": "assistant", "text": "Noted."}
{"session_id": "s1", "event": "remember_pressed", "statement": "Uses BigQuery."}
"""
STORED = '{"record_id": "r1", "user_id": "u1", "statement": "Uses BigQuery.", "corrected": false}\n'
ANSWERED = "".join(
    f'{{"record_id": "r1", "audit": "first", "annotator": "{name}", "durable": "yes", '
    '"well_evidenced": "yes", "scope_ok": "yes"}\n'
    for name in ("ann", "bo")
)
RECORDS = '{"session_id": "s1", "turn": 0, "statement": "Uses BigQuery."}\n'

LINES = {
    "ingest": "ingest {transcript}",
    "simulate": "simulate --sessions 2",
    "replay": "replay --gate everything",
    "replay --from": "replay --from {records} --sessions {sessions} --gate live",
    "pool": "pool --sample 2",
    "push": "push",
    "status": "status",
    "pull": "pull",
    "reference": "reference",
    "agreement": "agreement",
    "adjudicate push": "adjudicate push",
    "adjudicate pull": "adjudicate pull",
    "score": "score --split all",
    "compare": "compare everything live --split all",
    "export": "export labels",
    "plan": "plan --gate live --sessions 10",
    "audit draw": "audit draw --from {stored} --name second",
    "audit draw --gate": "audit draw --gate live --name third",
    "audit push": "audit push",
    "audit score": "audit score {answered}",
}
"""Command lines of all that reads or writes a study; {…} are the files beside it."""

NEEDS = {
    "replay": ("sessions", "turns", "events"),
    "replay --from": ("sessions", "turns", "events"),
    "pool": ("turns", "proposals"),
    "push": ("candidates", "turns"),
    "status": ("candidates",),
    "pull": ("candidates",),
    "adjudicate push": ("labels", "candidates", "turns"),
    "adjudicate pull": ("candidates",),
    "reference": ("labels", "candidates", "sessions"),
    "agreement": ("agreement", "labels", "candidates"),
    "score": (*tuple(SCHEMAS)[:7], "reference_facts"),
    "compare": (*tuple(SCHEMAS)[:7], "reference_facts"),
    "export": ("labels",),
    "plan": ("operating_points", "captures", "proposals", "labels", "turns"),
    "audit draw --gate": ("proposals", "sessions"),
    "audit push": ("audit_records",),
    "audit score": ("audit_records", "audit_users"),
}
REPLACES = {
    "ingest": ("sessions", "turns", "events"),
    "replay": ("proposals", "gate_turns"),
    "pool": ("candidates", "labels"),
    "score": ("links",),
    "compare": ("links",),
    "audit draw": ("audit_records", "audit_users"),
    "audit score": ("audit_labels", "audits"),
}
"""Tables that a command reads where they are there, since it replaces or extends them."""
WRITERS = (
    *("ingest", "replay", "replay --from", "pool", "reference", "score", "export"),
    *("audit draw", "audit draw --gate", "audit score"),
)
TIMED = ("replay", "audit draw", "audit draw --gate")
"""What they write holds times."""
ARGILLA = ("push", "status", "pull", "adjudicate push", "adjudicate pull", "audit push")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A study that went through the whole flow, and the files it was made from."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "transcript.jsonl").write_text(TRANSCRIPT)
    (folder / "records.jsonl").write_text(RECORDS)
    (folder / "sessions.txt").write_text("s1\n")
    (folder / "stored.jsonl").write_text(STORED)
    (folder / "answered.jsonl").write_text(ANSWERED)
    before = os.environ.get("GATES_DATA")
    os.environ["GATES_DATA"] = str(folder / "data")
    try:
        for name in ("ingest", "replay", "replay --from", "pool"):
            assert run(name, folder) == 0
        first = read("study", "candidates")["candidate_id"][0]
        save(labels=votes(first, ("yes", "yes", "yes"), ("yes", "yes", "yes")))
        decide("study", read("study", "proposals")["proposal_id"][0], first, True, "ann")
        for name in ("reference", "score", "export", "audit draw --from {stored} --name first"):
            assert run(name, folder) == 0
        for name in ("audit draw", "audit draw --gate", "audit score"):
            assert run(name, folder) == 0
    finally:
        os.environ.pop("GATES_DATA")
        os.environ.update({"GATES_DATA": before} if before else {})
    return folder


@pytest.fixture
def folder(template, tmp_path, monkeypatch):
    """A copy of the template; its `data` is the data folder."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GATES_ARGILLA_URL", raising=False)
    return tmp_path


def run(name, folder, *more, study="study"):
    beside = {
        "transcript": folder / "transcript.jsonl",
        "records": folder / "records.jsonl",
        "sessions": folder / "sessions.txt",
        "stored": folder / "stored.jsonl",
        "answered": folder / "answered.jsonl",
    }
    words = [word.format(**beside) for word in LINES.get(name, name).split()]
    return main([*words, "--study", study, *more])


def refused(name, folder, capsys, **more):
    """The one sentence of a command that fails and leaves everything as it was."""
    before = files(folder)
    capsys.readouterr()
    assert run(name, folder, "--json", **more) == 1
    out, err = capsys.readouterr()
    said = [line for line in err.splitlines() if not line.startswith("warning: ")]
    (sentence,) = (line.removeprefix("gates: ") for line in said)
    assert one_object(out) == {"error": sentence}
    assert "; " in sentence, "it says what to do or what was expected"
    assert files(folder) == before
    return sentence


def test_every_command_is_here():
    elsewhere = {"up", "down", "doctor", "next", "backup", "restore", "move"}
    elsewhere |= {c for c in COMMANDS if c.startswith("accounts ")}
    begun = {c for c in COMMANDS for line in LINES.values() if f"{line} ".startswith(f"{c} ")}
    assert begun | elsewhere == set(COMMANDS)


# files

CONTENTS = {
    "missing": None,
    "empty": b"",
    "wrong format": b"\x89PNG\r\n\x1a\n\x00\x00",
    "not UTF-8": "Änderung\n".encode("latin-1"),
    "another shape": b'[[1, 2], "x"]\n',
}
INPUTS = {
    "ingest": ("transcript.jsonl",),
    "replay --from": ("records.jsonl", "sessions.txt"),
    "audit draw": ("stored.jsonl",),
    "audit score": ("answered.jsonl",),
}


@pytest.mark.parametrize("fault", CONTENTS)
@pytest.mark.parametrize(("name", "file"), [(n, f) for n, fs in INPUTS.items() for f in fs])
def test_a_file_at_fault(name, file, fault, folder, capsys):
    path = folder / file
    path.unlink()
    if CONTENTS[fault] is not None:
        path.write_bytes(CONTENTS[fault])
    sentence = refused(name, folder, capsys)
    assert file in sentence
    assert "expected" in sentence or "check the path" in sentence


# studies


@pytest.mark.parametrize("name", [*NEEDS, "doctor"])
def test_an_unknown_study(name, folder, capsys):
    sentence = refused(name, folder, capsys, study="stduy")
    assert "there is no study 'stduy'" in sentence
    assert "expected one of: study; run `gates ingest FILE --study stduy`" in sentence


@pytest.mark.parametrize("study", ["../study", "", "x" * 65, "a/b", "Study"])
@pytest.mark.parametrize("name", [*LINES, "doctor", "next"])
def test_a_hostile_study(name, study, folder, capsys):
    sentence = refused(name, folder, capsys, study=study)
    assert f"{study!r} is no name for a study; expected 1-64 lower-case letters" in sentence


# tables

READ = [(name, table) for name, tables in NEEDS.items() for table in tables]
REPLACED = [(name, table) for name, tables in REPLACES.items() for table in tables]


@pytest.mark.parametrize(("name", "table"), READ)
def test_a_missing_table(name, table, folder, capsys):
    table_path("study", table).unlink()
    sentence = refused(name, folder, capsys)
    assert f"has no {table} yet" in sentence
    assert f"{table}.parquet is missing" in sentence
    assert "; run `gates " in sentence


@pytest.mark.parametrize("damage", [b"", b"junk", b"PAR1junkPAR1", "half"])
@pytest.mark.parametrize(("name", "table"), READ + REPLACED)
def test_a_damaged_table(name, table, damage, folder, capsys):
    path = table_path("study", table)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage)
    sentence = refused(name, folder, capsys)
    assert f"{table}.parquet could not be read; expected a Parquet file" in sentence
    assert "; move " in sentence


@pytest.mark.parametrize(("name", "table"), READ + REPLACED)
def test_a_table_of_an_older_schema(name, table, folder, capsys):
    path = table_path("study", table)
    read("study", table).write_parquet(path, metadata={"gates_schema": "0"})
    sentence = refused(name, folder, capsys)
    assert f"{table}.parquet has schema 0; expected schema 1; move " in sentence


@pytest.mark.parametrize(("name", "table"), READ + REPLACED)
def test_a_table_without_rows_is_nothing_to_do_or_one_sentence(name, table, folder, capsys):
    save(**{table: []})
    capsys.readouterr()
    code = run(name, folder, "--json")
    out, err = capsys.readouterr()
    assert one_object(out)
    assert code == 0 or (code == 1 and "; " in err.splitlines()[-1])
    assert not left_over(folder)


# what is stale

TRANSCRIPTS = ("sessions", "turns", "events")
SCORED = ("captures", "operating_points", "curve", "recall_by_form", "store_check")
MADE_FROM = {
    **dict.fromkeys(TRANSCRIPTS, ()),
    "sessions": ("turns", "events"),
    **dict.fromkeys(("proposals", "gate_turns"), TRANSCRIPTS),
    "candidates": ("proposals", "turns"),
    **dict.fromkeys(("reference_facts", "disagreements", "agreement"), NEEDS["reference"]),
    **dict.fromkeys(SCORED, (*NEEDS["score"], "links")),
    "operating_points": (*NEEDS["score"], "links", *(set(SCORED) - {"operating_points"})),
    **dict.fromkeys(("audit_records", "audit_users"), ()),
    "audit_labels": ("audit_records",),
    "audits": ("audit_records", "audit_users", "audit_labels"),
}


@pytest.mark.parametrize("table", MADE_FROM)
def test_a_table_knows_all_it_was_made_from(table, folder):
    assert set(made_from("study", table)) == set(MADE_FROM[table])
    assert stale("study", table) == []


STALE = {
    "pool": "proposals",
    "push": "candidates",
    "status": "candidates",
    "pull": "candidates",
    "reference": "labels",
    "agreement": "agreement",
    "score": "reference_facts",
    "compare": "reference_facts",
    "export": "labels",
}


@pytest.mark.parametrize(("name", "table"), STALE.items())
def test_a_stale_table(name, table, folder, capsys):
    path = table_path("study", table)
    known = {"gates_schema": "1", "gates_made_from": '{"turns": "0"}'}
    read("study", table).write_parquet(path, metadata=known)
    capsys.readouterr()
    main(["doctor", "--study", "study"])
    assert f"!! study study, {table}: older than turns -> gates " in capsys.readouterr().out
    assert run(name, folder) == (1 if name in ARGILLA else 0)
    warned = f"warning: {table} of study 'study' is older than turns; run `gates "
    assert warned in capsys.readouterr().err


def test_candidates_of_sessions_that_are_gone_are_not_pushed(folder, capsys):
    save(turns=[])
    sentence = refused("push", folder, capsys)
    assert "candidates rest on turns that are gone, the first on turn 0 of session 's1'" in sentence
    assert "run `gates pool --study study`" in sentence


# no server


@pytest.mark.parametrize("where", ["never started", "gone"])
@pytest.mark.parametrize("name", ARGILLA)
def test_the_server_is_down(name, where, folder, capsys, monkeypatch):
    if where == "gone":
        monkeypatch.setenv("GATES_ARGILLA_URL", "http://127.0.0.1:9")
    sentence = refused(name, folder, capsys)
    assert "Argilla" in sentence
    assert ("gates up" if where == "never started" else "unset the variable") in sentence


# no space


class Disk:
    """A disk that takes a number of files and then has no space."""

    def __init__(self, monkeypatch):
        self.room, self.sync = 0, os.fsync
        monkeypatch.setattr("labelling.tables.files.os.fsync", self._fsync)

    def _fsync(self, handle):
        # a table is synced with its folder: two calls a file
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= 0.5
        self.sync(handle)


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name, folder, capsys, monkeypatch):
    Disk(monkeypatch)
    sentence = refused(name, folder, capsys)
    assert "could not be written (No space left on device)" in sentence
    assert "free some space" in sentence


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_fills_on_the_way_leaves_whole_files_and_the_command_mends_it(
    name, folder, monkeypatch
):
    disk = Disk(monkeypatch)
    kept = tables(folder)
    for room in range(1, 9):
        disk.room = room
        if run(name, folder) == 0:
            break
        assert tables(folder).keys() == kept.keys()
        assert not left_over(folder)
    assert room < 8
    found = tables(folder)
    timed = {"gate_turns", "audit_records"} if name in TIMED else set()
    assert all(found[table].equals(kept[table]) for table in kept.keys() - timed)


def tables(folder):
    present = [name for name in SCHEMAS if table_path("study", name).exists()]
    return {name: read("study", name) for name in present}


def left_over(folder):
    return [path for path in files(folder) if path.endswith(".part")]


# commands that look at or serve all studies


@pytest.mark.parametrize("name", ["doctor", "next"])
@pytest.mark.parametrize("damage", ["missing", "junk", "older schema", "stale"])
@pytest.mark.parametrize("table", ["turns", "proposals", "labels", "operating_points"])
def test_doctor_and_next_name_the_table_and_the_cure(name, damage, table, folder, capsys):
    path = table_path("study", table)
    whole, metadata = read("study", table), {"gates_schema": "1"}
    path.unlink() if damage == "missing" else path.write_bytes(b"junk")
    if damage in ("older schema", "stale"):
        metadata |= {"gates_made_from": '{"sessions": "0"}'} if damage == "stale" else {}
        metadata |= {"gates_schema": "0"} if damage == "older schema" else {}
        whole.write_parquet(path, metadata=metadata)
    before = files(folder)
    capsys.readouterr()
    code = run(name, folder)
    said = "".join(capsys.readouterr())
    assert files(folder) == before
    assert "Traceback" not in said
    damaged = damage in ("junk", "older schema")
    # damaged turns make the sessions out of date: next says ingest, which mends them
    assert code == (1 if damaged and name == "next" and table != "turns" else 0)
    # a missing table is nothing ill: next goes on from there
    if (name, damage) != ("doctor", "missing"):
        assert "gates " in said
    if damaged and name == "doctor":
        assert f"!! study study, {table}: " in said


@pytest.mark.parametrize(("name", "code"), [("up --detach", 1), ("down", 1), ("doctor", 0)])
def test_a_data_folder_that_is_none(name, code, tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "file"))
    found = main(name.split())
    said = "".join(capsys.readouterr())
    assert found == code
    assert "GATES_DATA" in said
    assert files(tmp_path) == {"file": b""}
