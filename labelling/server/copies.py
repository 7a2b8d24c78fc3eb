"""A consistent copy of Argilla's database while people submit, and what it holds. Standard library.

SQLite is copied by its own backup in one step: a moment's state, and in its write-ahead mode nobody
waits. PostgreSQL is dumped (`pg_dump`, custom format) from the snapshot in which it was counted.
`Counts` are rows by table.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from labelling.server import postgres
from labelling.server.processes import ServiceFailure

COUNTED = ("users", "datasets", "records", "responses")
Counts = dict[str, int]


def copy_sqlite(database: Path, to: Path) -> Counts:
    """Copy the file, as it is at one moment, whole and in one file. Raises ServiceFailure."""
    try:
        with closing(_open(database)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)
            # One file: a log beside it would be a part that somebody may forget.
            target.execute("PRAGMA journal_mode = DELETE")
            _check(target, database)
            return {table: _count(target, table) for table in COUNTED}
    except sqlite3.Error as error:
        raise ServiceFailure(
            f"{database} could not be copied ({error}); see that the disk is not full and the file "
            "is Argilla's."
        ) from error


def count_sqlite(database: Path) -> Counts:
    """What the file holds; nothing where it is not Argilla's."""
    try:
        with closing(_open(database)) as source:
            return {table: _count(source, table) for table in COUNTED}
    except sqlite3.Error:
        return {}


def copy_postgresql(url: str, to: Path) -> Counts:
    """Dump the database into a file. Raises ServiceFailure."""
    with postgres.snapshot(url, [f"SELECT count(*) FROM {table}" for table in COUNTED]) as (
        name,
        counts,
    ):
        postgres.run(url, "pg_dump", "-Fc", "-O", "-x", f"--snapshot={name}", "-f", str(to))
    return dict(zip(COUNTED, map(int, counts), strict=True))


@contextmanager
def postgresql_beside(url: str, dump: Path) -> Iterator[str]:
    """The URL of a new database in the same cluster that holds the dump; dropped at the end."""
    name = f"gates_scratch_{uuid4().hex[:12]}"
    postgres.run(url, "createdb", name, database=False)
    try:
        beside = postgres.named(url, name)
        load_postgresql(beside, dump)
        yield beside
    finally:
        postgres.run(url, "dropdb", "--force", "--if-exists", name, database=False)


def load_postgresql(url: str, dump: Path) -> None:
    """Put the dump in the place of all that is in the database, in one transaction."""
    script = dump.with_name(f"{dump.name}.sql")
    try:
        postgres.run(url, "pg_restore", "-O", "-x", "-f", str(script), str(dump), database=False)
        once = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction"]
        empty = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"
        postgres.run(url, "psql", *once, "-c", empty, "-f", str(script))
    finally:
        script.unlink(missing_ok=True)


def _open(database: Path) -> sqlite3.Connection:
    """An existing file, never a new one; 30 s for somebody's lock."""
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True, timeout=30)


def _count(database: sqlite3.Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _check(copy: sqlite3.Connection, of: Path) -> None:
    said = copy.execute("PRAGMA quick_check").fetchone()[0]
    if said != "ok":
        raise ServiceFailure(
            f"{of} is damaged ({said}); restore an earlier backup with `gates restore`."
        )
