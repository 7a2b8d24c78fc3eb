"""Argilla's database: reached, of a version that we know, migrated, and durable.

What is claimed: an answer that was acknowledged is on the disk. SQLite is run with its journal as
a write-ahead log and `synchronous = FULL`, which waits for the disk at every commit; PostgreSQL
does as its administrator set it (by default, `synchronous_commit = on`, it waits as well).

Import it before anything connects.
"""

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from argilla_server.database import ALEMBIC_CONFIG_FILE, async_engine, sync_engine
from argilla_server.settings import settings
from asyncpg.exceptions import InterfaceError, PostgresError
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from labelling.server import rehearsal, statuses, triggers
from labelling.server.backends import shown
from labelling.server.processes import ServiceFailure

CONNECT_WITHIN = 10.0  # seconds
NOT_CONNECTED = "08001"


def prepare() -> None:
    """Make or bring up to date the tables; an older database is first copied, and the copy tried.

    Raises ServiceFailure, in a sentence.
    """
    found, wanted = check(), _scripts().get_current_head()
    if found is not None and wanted is not None and found != wanted:
        file = sync_engine.url.database if settings.database_is_sqlite else None
        rehearsal.rehearse(file, found, wanted)
    try:
        migrate()
    except DatabaseError as error:  # such as a file that is damaged further on
        raise _unusable(error) from error


def migrate() -> None:
    """Bring the tables up to date, Argilla's and ours."""
    with sync_engine.connect() as connection:
        triggers.remove(connection)
    command.upgrade(Config(ALEMBIC_CONFIG_FILE), "head")
    with sync_engine.connect() as connection:
        triggers.install(connection)
        statuses.mend(connection)
    if settings.database_is_sqlite:
        # Readers and a writer then do not wait for each other; the database remembers it.
        with sync_engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def check() -> str | None:
    """Reach the database; the version of its tables, None where there are none yet.

    Raises ServiceFailure where it cannot be reached, or another Argilla made its tables.
    """
    if settings.database_is_sqlite and not _file_exists():
        return None
    try:
        with sync_engine.connect() as connection:
            found = MigrationContext.configure(connection).get_current_heads()
    except (SQLAlchemyError, UnicodeError) as error:
        raise _unusable(error) from error
    scripts = _scripts()
    known = {script.revision for script in scripts.walk_revisions()}
    foreign = [revision for revision in found if revision not in known]
    if foreign:
        raise ServiceFailure(
            f"{_name()} has tables of version {foreign[0]!r}, which this Argilla (up to "
            f"{scripts.get_current_head()!r}) does not know: a newer one made them, or another "
            "program; use that Argilla, or another database."
        )
    return found[0] if found else None


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(Config(ALEMBIC_CONFIG_FILE))


def _unusable(error: Exception) -> ServiceFailure:
    then = _THEN_SQLITE if settings.database_is_sqlite else _THEN_POSTGRESQL
    return ServiceFailure(f"{_name()} cannot be used ({_reason(error)}); {then}.")


_THEN_POSTGRESQL = (
    "see that its server runs, and that ARGILLA_DATABASE_URL names it, its user and password"
)
_THEN_SQLITE = (
    "see that this user may write the file; damaged, it comes back from a backup by `gates restore "
    "FILE --replace`, or is moved away to begin anew"
)


def _file_exists() -> bool:
    """Connecting would make the file."""
    return Path(sync_engine.url.database or "").exists()


def _name() -> str:
    if settings.database_is_sqlite:
        return f"The database file {sync_engine.url.database}"
    return f"The database {shown(settings.database_url or '')}"


def _reason(error: Exception) -> str:
    """The first line of what the driver said, without its class and SQL."""
    said = str(getattr(error, "orig", None) or error).strip().splitlines()
    return said[0].strip() if said else type(error).__name__


@event.listens_for(sync_engine, "connect")
@event.listens_for(async_engine.sync_engine, "connect")
def _durable(connection: object, _: object) -> None:
    """Every commit waits for the disk, however the SQLite here was compiled."""
    if settings.database_is_sqlite:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()


@event.listens_for(async_engine.sync_engine, "do_connect")
def _connected(dialect: Any, _: object, arguments: Any, options: Any) -> Any:
    """asyncpg's failures to connect as failures of the database: SQLAlchemy passes them on raw.

    Their state is the standard's for a connection that could not be made.
    """
    if not settings.database_is_postgresql:
        return None
    try:
        return dialect.connect(*arguments, **{"timeout": CONNECT_WITHIN, **options})
    except (OSError, PostgresError, InterfaceError) as error:
        failure = dialect.loaded_dbapi.OperationalError(str(error) or type(error).__name__)
        failure.sqlstate = NOT_CONNECTED
        raise failure from error


if settings.database_is_postgresql:
    # A connection that its server closed meanwhile is replaced before a request has it
    for _engine in (sync_engine, async_engine):
        _engine.pool._pre_ping = True  # Argilla made the engines when it was imported
