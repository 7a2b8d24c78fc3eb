"""One writer at a time in a study, whatever becomes of the one before."""

import json
import os
import signal
import subprocess
import sys

import pytest

from labelling import tables
from labelling.tables import InputError, locked, read, writing
from tests.documents import ROOT
from tests.studies import own_data, save, talk  # noqa: F401

HOLDS = """
import sys
from labelling.tables import locked
with locked("study"):
    print("holding", flush=True)
    sys.stdin.read()
"""


def started(*arguments, **more):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stderr=subprocess.PIPE, **more)


def gates(*arguments):
    return started("-m", "analysis.cli", *arguments, "--study", "study", stdout=subprocess.PIPE)


@pytest.fixture
def holder(data):
    """Another process that holds the lock until it is ended."""
    save(turns=[])
    process = started("-c", HOLDS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == "holding\n"
    yield process
    process.kill()
    process.wait()


def test_the_second_says_that_it_waits_and_waits(holder):
    second = started("-c", HOLDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert "another command writes study 'study'; waiting" in second.stderr.readline()
    assert second.poll() is None
    holder.stdin.close()
    assert second.communicate()[0] == "holding\n"
    assert second.returncode == 0


def test_a_lock_ends_with_its_process(holder, capfd):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with locked("study"):
        pass
    assert capfd.readouterr().err == ""


def test_readers_do_not_wait(holder):
    assert read("study", "turns").is_empty()


def test_what_a_killed_writer_left_is_removed_by_the_next(data):
    save(turns=talk("hello"))
    folder = data / "study"
    (folder / "export").mkdir()
    exporting, left = folder / "export" / ".x.csv.1.part", folder / ".turns.parquet.x1.part"
    for part in (exporting, left):
        part.write_bytes(b"half")
    with locked("study"):
        assert not left.exists()
    assert exporting.exists()  # exports are written without the lock
    assert read("study", "turns").height == 1


def test_a_child_that_was_forked_meanwhile_does_not_keep_it(data):
    save(turns=[])
    with locked("study"):
        child = os.fork()
        if not child:
            signal.pause()
    try:
        with locked("study"):
            assert os.waitpid(child, os.WNOHANG) == (0, 0)  # the child lives, the lock is ours
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_only_a_new_study_is_made_for_a_lock(data, tmp_path):
    @writing
    def command(study, *, more):
        return f"{study} {more}"

    with pytest.raises(InputError, match="there is no study 'study'"):
        command("study", more="done")
    assert not data.exists()
    with locked("study", new=True):
        assert tables.studies() == ["study"]
    assert command("study", more="done") == "study done"
    (data / "file").write_text("no folder")
    with pytest.raises(InputError, match=r"\.lock could not be written"), locked("file", new=True):
        pass


def transcript(path, session):
    said = {"session_id": session, "role": "user", "text": "I like tea. We use BigQuery."}
    path.write_text(json.dumps(said))
    return path


def all_done(*processes):
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0, said


def test_commands_at_once_lose_nothing(data, tmp_path):
    all_done(*(gates("ingest", transcript(tmp_path / f"{name}.jsonl", name)) for name in "abc"))
    for table in ("sessions", "turns"):
        assert set(read("study", table)["session_id"]) == set("abc")
    all_done(*(gates("replay", "--gate", gate) for gate in ("first_person", "everything")))
    for table in ("proposals", "gate_turns"):
        assert set(read("study", table)["gate"]) == {"first_person", "everything"}, table
    all_done(*(gates("pool", "--gates", gate) for gate in ("first_person", "everything")))
    pooled = read("study", "candidates")["proposal_ids"].explode().drop_nulls()
    offered = read("study", "proposals")
    assert set(pooled) == set(offered.filter(offered["verdict"] == "admit")["proposal_id"])
