"""What SQLite and PostgreSQL say in different words."""

import hashlib
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any
from uuid import UUID

from argilla_server.database import async_engine
from argilla_server.models import Record
from sqlalchemy import (
    ColumnElement,
    Double,
    FromClause,
    Text,
    case,
    cast,
    event,
    func,
    literal_column,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, array
from sqlalchemy.engine.interfaces import DBAPIConnection

IS_SQLITE = async_engine.dialect.name == "sqlite"

_PRIME = 2**31 - 1
_DIGITS = 6
"""So many hexadecimal digits of a record's id make its place: 16.8 million different ones."""


@event.listens_for(async_engine.sync_engine, "connect")
def _uncompiled(connection: DBAPIConnection, _: object) -> None:
    """PostgreSQL compiles what it thinks is long; a search takes less time than that."""
    if not IS_SQLITE:
        cursor = connection.cursor()
        cursor.execute("SET jit = off")
        cursor.close()
        connection.commit()


@dataclass(frozen=True)
class Items:
    """The values in a JSON column, a row each: a number or a text, the other one is null."""

    rows: FromClause
    number: ColumnElement[Any]
    text: ColumnElement[Any]


def items(column: ColumnElement[Any], *path: str) -> Items:
    """The value at the path in a JSON column, or of a list there each item; no null, no object."""
    return _items_sqlite(column, path) if IS_SQLITE else _items_postgresql(column, path)


def _items_sqlite(column: ColumnElement[Any], path: tuple[str, ...]) -> Items:
    where = "$" + "".join(f'."{name}"' for name in path)
    rows = func.json_each(type_coerce(column, Text), where).table_valued("value", "type")
    number = case((rows.c.type.in_(["integer", "real"]), rows.c.value))
    return Items(rows, number, case((rows.c.type == "text", rows.c.value)))


def _items_postgresql(column: ColumnElement[Any], path: tuple[str, ...]) -> Items:
    there = type_coerce(column, Text).op("#>")(cast(array(path), ARRAY(Text))) if path else column
    every = func.jsonb_path_query(cast(there, JSONB), literal_column("'$[*]'"))
    rows = every.table_valued("value").render_derived()
    value, kind = rows.c.value, func.jsonb_typeof(rows.c.value)
    said = value.op("#>>")(literal_column("'{}'"))
    number = case((kind == "number", cast(said, Double)))
    return Items(rows, number, case((kind == "string", said)))


def by_bytes(text: ColumnElement[Any]) -> ColumnElement[Any]:
    """A text that compares by code points, whatever the database's language is."""
    return text if IS_SQLITE else text.collate("C")


def place(user_id: UUID | str, record_id: Any = Record.id) -> ColumnElement[int]:
    """Where a record is in the user's own order: a number that hashes both ids."""
    seed = hashlib.blake2b(str(user_id).encode(), digest_size=4 * _DIGITS).digest()
    if not IS_SQLITE:
        return func.uuid_hash_extended(record_id, int.from_bytes(seed[:8], "big", signed=True))
    factors = [int.from_bytes(seed[i : i + 4], "big") >> 1 for i in range(0, len(seed), 4)]
    digits = type_coerce(record_id, Text)
    codes = (func.unicode(func.substr(digits, i + 1, 1)) for i in range(_DIGITS))
    total = reduce(add, (code * factor for code, factor in zip(codes, factors, strict=True)))
    return total % _PRIME


def opposite(place: ColumnElement[int]) -> ColumnElement[int]:
    """The place half of all places away."""
    if IS_SQLITE:
        return (place + _PRIME // 2) % _PRIME
    return place.op("#")(literal_column("('-9223372036854775808'::bigint)"))
