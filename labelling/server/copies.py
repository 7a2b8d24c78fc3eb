"""A consistent copy of Argilla's database while people submit, and what it holds. Standard library.

SQLite is copied by its own backup in one step: a moment's state, and in its write-ahead mode nobody
waits. PostgreSQL is dumped (`pg_dump`, custom format) from the snapshot in which it was counted.
`Counts` are rows by table.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from labelling.server import postgres
from labelling.server.processes import ServiceFailure

COUNTED = ("users", "datasets", "records", "responses")
Counts = dict[str, int]


@dataclass(frozen=True)
class Held:
    """What a database holds, and of which version its tables are: Argilla's and ours."""

    counts: Counts
    argilla: str
    ours: int


_COUNTS = [f"SELECT count(*) FROM {table}" for table in COUNTED]
_VERSIONS = [
    "SELECT version_num FROM alembic_version",
    "SELECT coalesce(max(version), 0) FROM gates_schema",
]


def copy_sqlite(database: Path, to: Path) -> Counts:
    """Copy the file as it is at one moment, whole and in one file (0600). Raises ServiceFailure."""
    try:
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(_open(database)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)
            # One file: a log beside it would be a part that somebody may forget.
            target.execute("PRAGMA journal_mode = DELETE")
            _check(target, database)
            return {table: _count(target, table) for table in COUNTED}
    except sqlite3.OperationalError as error:
        raise ServiceFailure(
            f"{database} could not be copied ({error}); see that the disk is not full and the file "
            "is Argilla's."
        ) from error
    except sqlite3.DatabaseError as error:
        raise _damaged(database, error) from error


def read_sqlite(database: Path) -> Held:
    """What the file holds, every page of it checked. Raises ServiceFailure."""
    try:
        with closing(_open(database)) as source:
            _check(source, database)
            counts = {table: _count(source, table) for table in COUNTED}
            argilla, ours = (source.execute(question).fetchone()[0] for question in _VERSIONS)
            return Held(counts, str(argilla), int(ours))
    except (sqlite3.Error, TypeError) as error:
        raise _damaged(database, error) from error


def count_sqlite(database: Path) -> Counts:
    """What the file holds; nothing where it is not Argilla's."""
    try:
        with closing(_open(database)) as source:
            return {table: _count(source, table) for table in COUNTED}
    except sqlite3.Error:
        return {}


def copy_postgresql(url: str, to: Path) -> Counts:
    """Dump the database into a file. Raises ServiceFailure."""
    with postgres.snapshot(url, _COUNTS) as (name, counts):
        to.touch(mode=0o600)
        postgres.run(url, "pg_dump", "-Fc", "-O", "-x", f"--snapshot={name}", "-f", str(to))
    return dict(zip(COUNTED, map(int, counts), strict=True))


@contextmanager
def postgresql_beside(url: str, dump: Path, purpose: str) -> Iterator[str]:
    """The URL of a new database in the same cluster that holds the dump; dropped at the end.

    One of the same purpose that was left by somebody killed goes first. Raises ServiceFailure.
    """
    see_may_create(url)
    name = _beside(url, purpose)
    _drop(url, name)
    postgres.run(url, "createdb", name, on_database=False)
    try:
        beside = postgres.named(url, name)
        load_postgresql(beside, dump)
        yield beside
    finally:
        _drop(url, name)


def see_may_create(url: str) -> None:
    """Raise ServiceFailure where the URL's user may make no database."""
    may = "SELECT rolcreatedb OR rolsuper, rolname FROM pg_roles WHERE rolname = current_user"
    answer, _, user = postgres.ask(url, may).strip().partition("|")
    if answer != "t":
        raise ServiceFailure(
            f"PostgreSQL's user {user} may not make the database in which a copy is tried; let it, "
            f"as PostgreSQL's administrator, by `ALTER ROLE {user} CREATEDB`."
        )


def left_beside(url: str, purpose: str) -> str | None:
    """The database that somebody who was killed left; None where there is none."""
    name = _beside(url, purpose)
    found = postgres.ask(url, f"SELECT datname FROM pg_database WHERE datname = '{name}'")
    return found.strip() or None


def drop_beside(url: str, purpose: str) -> None:
    """Drop what somebody who was killed left."""
    _drop(url, _beside(url, purpose))


def load_postgresql(url: str, dump: Path) -> None:
    """Put the dump in the place of all that is in the database, in one transaction."""
    with _script(url, dump) as script:
        once = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction"]
        postgres.run(url, "psql", *once, "-c", _EMPTY, "-f", str(script))


def read_postgresql(url: str, dump: Path) -> Held:
    """What the dump holds: it is loaded as `load_postgresql` does, read, and taken back.

    The database is as before, at any time. Raises ServiceFailure.
    """
    questions = [one.replace(" FROM ", " FROM public.") for one in (*_COUNTS, *_VERSIONS)]
    asked = [part for one in (*questions, "ROLLBACK") for part in ("-c", one)]
    with _script(url, dump) as script:
        quiet = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        begin = ["-c", "BEGIN", "-c", _EMPTY, "-f", str(script)]
        said = postgres.run(url, "psql", *quiet, *begin, *asked).split()
    *counts, argilla, ours = said[-len(questions) :]  # the script says something, too
    return Held(dict(zip(COUNTED, map(int, counts), strict=True)), argilla, int(ours))


_EMPTY = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"


def _write_script(url: str, dump: Path, script: Path) -> None:
    asked = ("-O", "-x", "-f", str(script), str(dump))
    try:
        postgres.run(url, "pg_restore", *asked, on_database=False)
    except ServiceFailure as failure:
        raise ServiceFailure(f"{dump.name} could not be read: {failure}") from failure


@contextmanager
def _script(url: str, dump: Path) -> Iterator[Path]:
    """The dump as SQL, for as long as the block lasts."""
    script = dump.with_name(f"{dump.name}.sql")
    script.touch(mode=0o600)
    try:
        _write_script(url, dump, script)
        yield script
    finally:
        script.unlink(missing_ok=True)


def _beside(url: str, purpose: str) -> str:
    """The same for the same database and purpose, so that what is left over is known for ours."""
    known = hashlib.sha256(postgres.database(url).encode()).hexdigest()[:12]
    return f"gates_scratch_{purpose}_{known}"


def _drop(url: str, name: str) -> None:
    postgres.run(url, "dropdb", "--force", "--if-exists", name, on_database=False)


def _open(database: Path) -> sqlite3.Connection:
    """An existing file, never a new one; 30 s for somebody's lock."""
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def _count(database: sqlite3.Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _check(copy: sqlite3.Connection, of: Path) -> None:
    said = copy.execute("PRAGMA quick_check").fetchone()[0]
    if said != "ok":
        raise _damaged(of, said)


def _damaged(file: Path, why: object) -> ServiceFailure:
    return ServiceFailure(
        f"{file} is damaged, or not Argilla's ({why}); bring back an earlier backup with `gates "
        "restore FILE --replace`."
    )
