"""The one command line: exit codes, one JSON object, a text for each parameter."""

import re

import pytest

from analysis.cli import COMMANDS, main
from tests.studies import WRITE, one_object, own_data, save, votes  # noqa: F401

TRANSCRIPT = '{"session_id": "s1", "role": "user", "text": "We use BigQuery. It is fast."}\n'
TRANSCRIPT += '{"session_id": "s1", "role": "assistant", "text": "Noted."}\n'


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_a_text_for_each_parameter(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert main([name, "--help"]) == 0
    page = capsys.readouterr().out
    rows = re.findall(r"^│\s*\*?\s+(\S.*?)(?:\s{2,}(\S.*?))?\s*│$", page, re.MULTILINE)
    assert rows
    for parameter, text in rows:
        assert re.match(r"\w", text.replace("-", "x")), f"{parameter} of {name} says nothing"
    assert COMMANDS[name].__doc__.split("\n")[0].replace("`", "") in page


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_2_and_one_object(name, capsys):
    assert main([name, "--no-such-option", "--json"]) == 2
    out, err = capsys.readouterr()
    assert "no-such-option" in one_object(out)["error"]
    assert err.startswith("gates: ")
    assert err.count("\n") == 1


def test_no_command_shows_all_of_them(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
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
