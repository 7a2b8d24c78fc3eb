"""The one command line: exit codes, one JSON object, a text for each parameter."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.cli import COMMANDS, main
from analysis.export import csv
from analysis.gates.registry import BUILT_IN
from labelling.tables import root_folder
from tests.studies import WRITE, one_object, own_data, save, talk, votes  # noqa: F401

TRANSCRIPT = '{"session_id": "s1", "role": "user", "text": "We use BigQuery. It is fast."}\n'
TRANSCRIPT += '{"session_id": "s1", "role": "assistant", "text": "Noted."}\n'


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_a_text_for_each_parameter(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert main([*name.split(), "--help"]) == 0
    page = capsys.readouterr().out
    rows = re.findall(r"^│\s*\*?\s+(\S.*?)(?:\s{2,}(\S.*?))?\s*│$", page, re.MULTILINE)
    assert rows
    for parameter, text in rows:
        assert re.match(r"\w", text.replace("-", "x")), f"{parameter} of {name} says nothing"
    assert COMMANDS[name].__doc__.split("\n")[0].replace("`", "") in page


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_2_and_one_object(name, capsys):
    assert main([*name.split(), "--no-such-option", "--json"]) == 2
    out, err = capsys.readouterr()
    assert "no-such-option" in one_object(out)["error"]
    assert err.startswith("gates: ")
    assert err.count("\n") == 1


def test_no_command_shows_all_of_them(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(name.split()[0] in out for name in COMMANDS)
    assert main(["no-such-command"]) == 2
    assert main(["--version"]) == 0


def test_every_step_prints_one_object_and_names_the_next(data, tmp_path, capsys):
    file = tmp_path / "talk.jsonl"
    file.write_text(TRANSCRIPT)

    def step(*arguments):
        assert main([*arguments, "--study", "study", "--json"]) == 0
        return one_object(capsys.readouterr().out)

    flow = {
        ("ingest", str(file)): "gates replay",
        ("replay",): "gates pool",
        ("pool", "--sample", "2"): "gates push",
    }
    for arguments, then in flow.items():
        found = step(*arguments)
        assert found["next"].startswith(f"{then} --study study")
        assert found["wrote"]
    save(labels=votes("c1", WRITE, WRITE))
    assert step("reference")["decisions"]["accepted"] == 0
    assert step("score", "--split", "all")["points"]
    assert step("export", "turns")["wrote"] == {"turns.csv": 2}
    assert "study" in step("next")["did"]
    assert step("doctor")["findings"]
    assert main(["down", "--json"]) == 0
    assert one_object(capsys.readouterr().out)["did"] == "nothing was running"


def test_words_are_for_people_and_warnings_go_aside(data, tmp_path, capsys):
    file = tmp_path / "talk.jsonl"
    file.write_text(TRANSCRIPT + "{\n")
    assert main(["ingest", str(file), "--study", "study"]) == 0
    out, _ = capsys.readouterr()
    assert "wrote  turns (2 rows)" in out
    assert "Next: gates replay --study study" in out


def test_an_interrupt_is_130(monkeypatch):
    def interrupted(study):
        raise KeyboardInterrupt

    monkeypatch.setattr("analysis.doctor.what_next", interrupted)
    assert main(["next"]) == 130


# standard output


def gates(*words, stdout):
    command = [sys.executable, "-m", "analysis.cli", *words]
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=root_folder()
    )


@pytest.fixture
def long_study(data):
    """A study whose turns as CSV are more than a pipe holds."""
    save(sessions=[{}], turns=talk(*["We use BigQuery. " * 99] * 99), events=[])


def test_a_full_standard_output_is_one_sentence(data):
    with Path("/dev/full").open("w") as full:
        for words in (["doctor"], ["doctor", "--json"], ["next", "--study", "stduy", "--json"]):
            ended = gates(*words, stdout=full)
            assert ended.returncode == 1
            lines = ended.stderr.splitlines()
            assert "gates: standard output could not be written (No space left" in lines[-1]
            assert all(line.startswith("gates: ") for line in lines)


def test_a_reader_that_needs_no_more_is_no_fault(long_study):
    ours, theirs = os.pipe()
    os.close(ours)
    for words in (["export", "turns", "-o", "-"], ["export", "turns"]):
        ended = gates(*words, "--study", "study", stdout=theirs)
        assert (ended.returncode, ended.stderr) == (0, "")
    os.close(theirs)


@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_a_table_goes_to_standard_output_alone(place, long_study, tmp_path):
    with (tmp_path / "out.csv").open("w") as out:
        ended = gates("export", "turns", "-o", place, "--study", "study", stdout=out)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "out.csv").read_text() == csv("study", "turns")


def test_one_thing_goes_to_standard_output(long_study, capsys):
    assert main(["export", "turns", "-o", "-", "--json", "--study", "study"]) == 1
    assert (
        "--json was given with -o -; expected one of them"
        in one_object(capsys.readouterr().out)["error"]
    )


@pytest.mark.parametrize("words", ["export turns -o --study x", "replay --gate g --from --study x"])
def test_an_option_is_no_path(words, data, capsys):
    assert main(words.split()) == 2
    assert 'a path was expected before "--study" (a file of that name: ./--study)' in (
        capsys.readouterr().err
    )


def test_the_help_names_the_gates_and_where_their_parts_are(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    main(["replay", "--help"])
    page = capsys.readouterr().out
    assert ", ".join(BUILT_IN) in page
    for file in re.findall(r"analysis/\S+\.py", page):
        assert (root_folder() / file).is_file()
    assert "analysis/gates/__init__.py" in page
