"""Copies in PostgreSQL as a user who is no administrator; a damaged SQLite file."""

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from postgres import postgres, program

from labelling.backup import backup
from labelling.server import copies
from labelling.server.postgres import ask, named, run
from labelling.server.processes import ServiceFailure
from labelling.tables import InputError

TABLES = """CREATE TABLE users (id int); CREATE TABLE datasets (id int);
    CREATE TABLE records (id serial); CREATE TABLE responses (id int);
    CREATE TABLE alembic_version (version_num text); CREATE TABLE gates_schema (version int);
    INSERT INTO users VALUES (1), (2); INSERT INTO records DEFAULT VALUES;
    INSERT INTO alembic_version VALUES ('a1'); INSERT INTO gates_schema VALUES (1);"""
HELD = copies.Held({"users": 2, "datasets": 0, "records": 1, "responses": 0}, "a1", 1)


@pytest.fixture(scope="module")
def owned() -> Iterator[str]:
    """The URL of a database made as docs/team.md says, with what we read of Argilla's tables."""
    with postgres() as url:
        ask(url, "CREATE ROLE ann LOGIN CREATEDB PASSWORD 'secret'")
        ask(url, "CREATE DATABASE theirs OWNER ann")
        url = named(url, "theirs").replace("postgres@", "ann:secret@")
        ask(url, TABLES)
        yield url


def scratches(url: str) -> str:
    return ask(url, "SELECT datname FROM pg_database WHERE datname LIKE 'gates_scratch%'")


def test_a_copy_is_tried_beside_and_in_its_place(owned: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    assert copies.copy_postgresql(owned, dump) == HELD.counts
    with copies.postgresql_beside(owned, dump, "backup") as beside:
        assert ask(beside, "SELECT count(*) FROM users") == "2\n"
        assert copies.left_beside(owned, "backup") in beside
        assert copies.left_beside(owned, "start") is None
    assert scratches(owned) == ""
    ask(owned, "INSERT INTO users VALUES (3)")
    assert copies.read_postgresql(owned, dump) == HELD
    assert ask(owned, "SELECT count(*) FROM users") == "3\n"
    copies.load_postgresql(owned, dump)
    assert ask(owned, "SELECT count(*) FROM users") == "2\n"


def test_what_somebody_left_makes_room(owned: str, tmp_path: Path) -> None:
    copies.copy_postgresql(owned, tmp_path / "dump")
    with copies.postgresql_beside(owned, tmp_path / "dump", "backup") as first:
        with copies.postgresql_beside(owned, tmp_path / "dump", "backup") as second:
            assert first == second
            assert len(scratches(owned).split()) == 1
        run(owned, "createdb", second.rpartition("/")[2], on_database=False)
        copies.drop_beside(owned, "backup")
        assert scratches(owned) == ""


def test_who_may_make_no_database_is_told_how(
    owned: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies.copy_postgresql(owned, tmp_path / "dump")
    ask(owned.replace("ann:secret@", "postgres@"), "ALTER ROLE ann NOCREATEDB")
    may_not = copies.postgresql_beside(owned, tmp_path / "dump", "start")
    with pytest.raises(ServiceFailure, match=r"user ann may not .* `ALTER ROLE ann CREATEDB`"):
        may_not.__enter__()
    assert copies.read_postgresql(owned, tmp_path / "dump") == HELD  # a restore needs none
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ARGILLA_DATABASE_URL", owned)
    with pytest.raises(InputError, match=r"by `ALTER ROLE ann CREATEDB`; or .*--no-check`"):
        backup(tmp_path / "b.zip")
    assert backup(tmp_path / "b.zip", check=False).details["counts"] == HELD.counts


def test_a_server_that_is_away_is_said_to_be_and_no_program_is_blamed() -> None:
    program("dropdb")
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql+asyncpg://argilla@127.0.0.1:{taken.getsockname()[1]}/argilla"
        with pytest.raises(ServiceFailure, match=r"cannot be reached \(connection to server at"):
            run(url, "dropdb", "--if-exists", "nothing", on_database=False)


@pytest.mark.parametrize("damage", ["text", "half", "pages"])
def test_a_damaged_sqlite_file_is_said_to_be_one(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "argilla.db"
    with closing(sqlite3.connect(file)) as made, made:
        for table in copies.COUNTED:
            made.execute(f"CREATE TABLE {table} (id, text)")
            rows = [(i, "x" * 999) for i in range(99)]
            made.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
    whole = file.read_bytes()
    damaged = {"text": b"text" * 999, "half": whole[: len(whole) // 2]}
    damaged["pages"] = whole[:8192] + b"\1" * 90_000 + whole[98_192:]
    file.write_bytes(damaged[damage])
    with pytest.raises(ServiceFailure, match=r"is damaged, or not Argilla's .* `gates restore"):
        copies.copy_sqlite(file, tmp_path / "copy.db")
    with pytest.raises(ServiceFailure, match=r"is damaged, or not Argilla's .* `gates restore"):
        copies.read_sqlite(file)
