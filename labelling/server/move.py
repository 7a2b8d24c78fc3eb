"""Moves all that Argilla keeps from our SQLite file into an empty PostgreSQL database, once.

The server is down. The file is only read; ids, passwords, answers with their times and the history
of answers are the same afterwards, and with the secrets of the same folder sessions go on, too.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from argilla_server.database import ALEMBIC_CONFIG_FILE, sync_engine
from argilla_server.models import User
from argilla_server.models.base import DatabaseModel
from argilla_server.settings import settings
from sqlalchemy import Connection, Engine, MetaData, Table, create_engine, func, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import JSON, DateTime, Uuid

from labelling.server import database, triggers
from labelling.server.backends import shown
from labelling.server.copies import read_sqlite
from labelling.server.processes import ServiceFailure

BATCH = 500  # rows
OURS = ("gates_guidelines", "gates_history")
"""Our own tables that cannot be made anew."""


def move(file: Path) -> dict[str, int]:
    """Copy the file into the database of ARGILLA_DATABASE_URL; rows by table.

    Raises ServiceFailure where that is no empty PostgreSQL database, or the file is not of today.
    """
    _check(file)
    try:
        return _move(create_engine(f"sqlite:///{file}"))
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise ServiceFailure(
            f"Moving into {shown(settings.database_url or '')} failed, and nothing is in it "
            f"({said[0]}); see that its user owns the database, and move again."
        ) from error


def _move(source: Engine) -> dict[str, int]:
    """All rows in one transaction: our triggers are there before, and go along with it."""
    command.upgrade(Config(ALEMBIC_CONFIG_FILE), "head")
    with sync_engine.connect() as new:
        triggers.install(new)
    with source.connect() as old, sync_engine.begin() as new:
        _see_empty(new)
        moved = {one.name: _copy(old, new, one) for one in DatabaseModel.metadata.sorted_tables}
        moved |= {name: _copy_ours(old, new, name) for name in OURS}
    with sync_engine.connect() as new:
        triggers.install(new)
    return moved


def _check(file: Path) -> None:
    if not settings.database_is_postgresql:
        raise ServiceFailure(
            "ARGILLA_DATABASE_URL names no PostgreSQL database; expected "
            "postgresql+asyncpg://USER:PASSWORD@HOST:PORT/NAME; set it, and move again."
        )
    if not file.is_file():
        raise ServiceFailure(f"There is no {file} to move; see that --state is the right folder.")
    database.check()
    version = read_sqlite(file).argilla
    newest = ScriptDirectory.from_config(Config(ALEMBIC_CONFIG_FILE)).get_current_head()
    if version != newest:
        raise ServiceFailure(
            f"{file} has tables of version {version!r}, not {newest!r}; start Argilla on it once "
            "with `gates up`, which brings it up to date, then `gates down`, and move again."
        )


def _see_empty(new: Connection) -> None:
    users = new.execute(select(func.count()).select_from(User)).scalar_one()
    if users:
        raise ServiceFailure(
            f"The database {shown(settings.database_url or '')} has {users} accounts already; "
            "name an empty one."
        )


def _copy(old: Connection, new: Connection, table: Table) -> int:
    count = 0
    rows = old.execution_options(yield_per=BATCH).execute(select(table)).mappings()
    for batch in rows.partitions(BATCH):
        new.execute(table.insert(), [dict(row) for row in batch])
        count += len(batch)
    return count


def _copy_ours(old: Connection, new: Connection, name: str) -> int:
    """In the place of what the triggers just wrote: the history as it was written."""
    table = Table(name, MetaData(), autoload_with=new)
    new.execute(table.delete())
    rows = [
        _read(table, dict(row)) for row in old.execute(text(f"SELECT * FROM {name}")).mappings()
    ]
    for start in range(0, len(rows), BATCH):
        new.execute(table.insert(), rows[start : start + BATCH])
    if rows:
        last = max(row["id"] for row in rows)
        new.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), {last})"))
    return len(rows)


def _read(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """A row as SQLite keeps it, which has texts alone, with the types of PostgreSQL."""
    return {name: _typed(table.c[name].type, value) for name, value in row.items()}


def _typed(kind: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if isinstance(kind, Uuid):
        return UUID(value)
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(value)
    return json.loads(value) if isinstance(kind, JSON) else value
