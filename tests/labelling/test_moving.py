"""`gates move` says what is in the way; tests/long/test_move.py moves."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from labelling import moving, removal
from labelling.server.processes import Process
from labelling.tables import InputError

URL = "postgresql+asyncpg://argilla:secret@127.0.0.1:9/argilla"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the SQLite file is; nothing runs."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    monkeypatch.setenv("ARGILLA_DATABASE_URL", URL)
    monkeypatch.delenv("GATES_ARGILLA_URL", raising=False)
    file = tmp_path / ".services" / "argilla" / "argilla.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    return file


@pytest.mark.parametrize("url", ["", "sqlite:///x.db", "mysql://here/x"])
def test_without_a_postgresql_it_says_what_to_set(
    file: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("ARGILLA_DATABASE_URL", url)
    with pytest.raises(InputError, match=r"ARGILLA_DATABASE_URL .*expected .*postgresql\+asyncpg"):
        moving.move()


def test_without_a_file_there_is_nothing_to_move(file: Path) -> None:
    file.unlink()
    with pytest.raises(InputError, match=r"there is no .*argilla.db to move; expected"):
        moving.move()


def test_under_a_running_server_nothing_is_moved(file: Path) -> None:
    us = {"processes": {"argilla": asdict(Process.of(os.getpid()))}}
    (file.parent.parent / "services.json").write_text(json.dumps(us))
    with pytest.raises(InputError, match=r"Argilla runs for .*; stop it with `gates down`"):
        moving.move()


def test_what_the_server_says_is_one_sentence(file: Path) -> None:
    with pytest.raises(InputError, match=r"nothing was moved: The database .*cannot be") as raised:
        moving.move()
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("erase", [True, False])
def test_who_is_removed_afterwards_is_still_in_the_file_and_that_is_said(
    file: Path, erase: bool
) -> None:
    removed = removal.remove("annotator_a", erase=erase)
    assert f"{file}, from before the move to PostgreSQL, still holds all of it" in removed.did
    assert removed.then.startswith(f"rm {file}; ")
    file.unlink()
    again = removal.remove("annotator_b", erase=erase)
    assert "PostgreSQL" not in again.did
    assert "rm " not in again.then
