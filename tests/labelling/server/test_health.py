"""What stands in the way of the services is one sentence each; every failure is a real one."""

import json
import os
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from postgres import postgres, program
from services_fixture import ROOT

from labelling.server import environment
from labelling.server.health import troubles
from labelling.server.processes import Process, write_private
from labelling.server.state import keep_valkey, make_folder

pytestmark = pytest.mark.server


@pytest.fixture(autouse=True)
def made() -> None:
    environment.ensure(ROOT)


@pytest.fixture
def listening() -> Iterator[int]:
    """A port on which something listens that never answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield int(taken.getsockname()[1])


@pytest.fixture
def closed() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def said(folder: Path, root: Path = ROOT) -> dict[str, str]:
    found = {one.what: one.sentence for one in troubles(root, folder)}
    for sentence in found.values():
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert "; " in sentence
    return found


def test_nothing_is_wrong_before_the_first_start(tmp_path: Path) -> None:
    assert said(tmp_path / ".services") == {}
    assert not list(tmp_path.iterdir())


def test_a_taken_port(tmp_path: Path, listening: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATES_ARGILLA_PORT", str(listening))
    assert f"Port {listening} of 127.0.0.1" in said(tmp_path / ".services")["port"]


def test_a_wrong_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGILLA_DATABASE_URL", "postgres://u:secret@db/argilla")
    assert "expected a URL that begins with postgresql+asyncpg" in said(tmp_path)["settings"]


def test_servers_that_nobody_runs(
    tmp_path: Path, closed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql+asyncpg://u:secret@127.0.0.1:{closed}/argilla"
    monkeypatch.setenv("ARGILLA_DATABASE_URL", url)
    monkeypatch.setenv("ARGILLA_REDIS_URL", f"redis://:secret@127.0.0.1:{closed}/0")
    monkeypatch.setenv("ARGILLA_SEARCH_ENGINE", "opensearch")
    monkeypatch.setenv("ARGILLA_ELASTICSEARCH", f"http://127.0.0.1:{closed}")
    found = said(tmp_path)
    assert set(found) == {"database", "queue", "search"}
    for sentence in found.values():
        assert f"127.0.0.1:{closed}" in sentence
        assert "secret" not in sentence
    assert "Connection refused" in found["database"]
    assert "see that it runs" in found["queue"]


def test_a_database_that_another_argilla_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres() as url:
        make = "CREATE TABLE alembic_version (version_num varchar(32)); " + (
            "INSERT INTO alembic_version VALUES ('fedcba987654')"
        )
        psql = [program("psql"), "-c", make, url.replace("+asyncpg", "")]
        subprocess.run(psql, check=True, capture_output=True)
        monkeypatch.setenv("ARGILLA_DATABASE_URL", url)
        assert "tables of version 'fedcba987654'" in said(tmp_path)["database"]
        monkeypatch.setenv("ARGILLA_DATABASE_URL", url.replace("/argilla", "/other"))
        assert 'database "other" does not exist' in said(tmp_path)["database"]


def test_a_file_of_another_argilla_or_none(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / ".services")
    file = folder / "argilla" / "argilla.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
        connection.execute("INSERT INTO alembic_version VALUES ('fedcba987654')")
        connection.commit()
    assert "a newer one made them" in said(folder)["database"]
    file.write_bytes(b"no database" * 100)
    damaged = said(folder)["database"]
    assert f"The database file {file} cannot be used (file is not a database)" in damaged
    assert "ARGILLA_DATABASE_URL" not in damaged
    assert "gates restore FILE --replace" in damaged


def test_a_missing_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment whose Valkey somebody deleted."""
    home = tmp_path / "environment"
    home.mkdir()
    stamp = environment.location(ROOT) / "requirements.sha256"
    (home / stamp.name).write_text(stamp.read_text())
    monkeypatch.setenv("VENV_SERVER", str(home))
    assert "has no valkey-server" in said(tmp_path / ".services")["server environment"]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a small disk of its own, which is full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    with suppress(OSError), (folder / "all of it").open("wb") as file:
        file.write(bytes(1_000_000))
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(full: Path) -> None:
    assert "has 0.0 MB left" in said(full / ".services")["services' disk"]
    with pytest.raises(OSError, match="No space left"):
        write_private(full / "secrets.json", "secret")
    assert [path.name for path in full.iterdir()] == ["all of it"]


def test_nothing_is_wrong_where_all_is_down(tmp_path: Path) -> None:
    """Our own Valkey, whose address is written down, runs with the services alone."""
    folder = make_folder(tmp_path / ".services")
    keep_valkey(folder, 9)
    (folder / "database.json").write_text("{}")  # it was started once
    assert said(folder) == {}


def test_services_without_their_supervisor_are_known_as_ours(
    tmp_path: Path, listening: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs on is here this test, and the port is its."""
    monkeypatch.setenv("GATES_ARGILLA_PORT", str(listening))
    processes = {"supervisor": {"pid": 1, "command": "gone"}, "argilla": Process.of(os.getpid())}
    state = {"processes": processes, "argilla_url": f"http://127.0.0.1:{listening}"}
    (tmp_path / "services.json").write_text(json.dumps(state, default=vars))
    found = said(tmp_path)
    assert set(found) == {"services"}
    assert "argilla run on without it" in found["services"]
    assert "`gates down` only ends them" in found["services"]


def test_what_ended_again_and_again_and_a_page_that_is_away(tmp_path: Path, closed: int) -> None:
    """The supervisor lives: here it is this test."""
    supervisor = vars(Process.of(os.getpid()))
    page = f"http://127.0.0.1:{closed}/"
    state = {"argilla_url": page, "jupyter_url": page, "processes": {"supervisor": supervisor}}
    (tmp_path / "services.json").write_text(json.dumps(state | {"restarts": {"worker": 7}}))
    found = said(tmp_path)
    assert set(found) == {"Argilla", "JupyterLab", "worker"}
    assert "7 times in a row" in found["worker"]
    assert "start it anew" in found["Argilla"]
