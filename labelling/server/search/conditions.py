"""Filters in SQL: which records satisfy them.

A filter holds when any value of the record satisfies it; both ends of a range are inclusive. A
value that cannot be in a column (no UUID, no such status) matches nothing.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from argilla_server.enums import RecordStatus, ResponseStatus, ResponseStatusFilter
from argilla_server.models import Dataset, Record, Response, User
from argilla_server.search_engine import (
    AndFilter,
    Filter,
    RangeFilter,
    RecordFilterScope,
    ResponseFilterScope,
    TermsFilter,
)
from sqlalchemy import ColumnElement, and_, or_, select, true

from labelling.server.search.dialect import by_bytes
from labelling.server.search.values import values_of

OneFilter = TermsFilter | RangeFilter


def condition(asked: Filter | None, dataset: Dataset) -> ColumnElement[bool]:
    """What a record of the dataset must satisfy."""
    if asked is None:
        return true()
    if isinstance(asked, AndFilter):
        return and_(true(), *(condition(part, dataset) for part in asked.filters))
    if isinstance(asked.scope, RecordFilterScope):
        return _of_record(asked, asked.scope.property)
    if isinstance(asked.scope, ResponseFilterScope) and not asked.scope.question:
        return _has_response(asked, asked.scope.user)
    values = values_of(asked.scope, dataset)
    holds = _among if isinstance(asked, TermsFilter) else _inside
    return Record.id.in_(select(values.c.record_id).where(holds(asked, values.c)))


def _among(asked: Any, value: Any) -> ColumnElement[bool]:
    numbers = [number for one in asked.values if (number := _number(one)) is not None]
    return or_(value.text.in_(asked.values), value.number.in_(numbers))


def _inside(asked: Any, value: Any) -> ColumnElement[bool]:
    """A number is compared with a bound that is one or reads as one, a text with a text."""
    bounds = [one for one in (asked.ge, asked.le) if one is not None]
    numbers = [_number(one) for one in bounds]
    within = [_between(value.number, asked, _number)] if None not in numbers else []
    if all(isinstance(one, str) for one in bounds):
        within.append(_between(value.text, asked, str))
    return or_(*within)


def _between(column: Any, asked: Any, read: Callable[[Any], Any]) -> ColumnElement[bool]:
    low, high = asked.ge, asked.le
    return and_(
        true() if low is None else column >= read(low),
        true() if high is None else column <= read(high),
    )


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _of_record(asked: OneFilter, name: str) -> ColumnElement[bool]:
    column: Any = getattr(Record, name)
    read: Callable[[Any, bool], Any] = _READERS.get(name, _text)
    if isinstance(asked, TermsFilter):
        wanted = [value for one in asked.values if (value := read(one, False)) is not None]
        return cast(ColumnElement[bool], column.in_(wanted))
    column = by_bytes(column) if name == "external_id" else column
    return and_(
        true() if asked.ge is None else column >= _bound(read, asked.ge, name, False),
        true() if asked.le is None else column <= _bound(read, asked.le, name, True),
    )


def _bound(read: Callable[[Any, bool], Any], bound: Any, name: str, last: bool) -> Any:
    try:
        value = read(bound, last)
    except (ValueError, OverflowError):
        value = None
    if value is None:
        raise ValueError(f"{bound!r} is no bound for a record's {name}; give a value it can have.")
    return value


def _has_response(asked: OneFilter, user: User | None) -> ColumnElement[bool]:
    """A response of the user (or of anybody) with one of the statuses; `pending` = none."""
    if not isinstance(asked, TermsFilter):
        raise ValueError("A response status is filtered by terms, not by a range.")
    by_user = true() if user is None else Response.user_id == user.id
    answered = select(Response.record_id).where(by_user)
    statuses = [status for status in ResponseStatus if status in asked.values]
    has_one = Record.id.in_(answered.where(Response.status.in_(statuses)))
    if ResponseStatusFilter.pending not in asked.values:
        return has_one
    none = Record.id.not_in(answered)
    return or_(has_one, none) if statuses else none


def _text(value: Any, last: bool) -> str:
    return str(value)


def _uuid(value: Any, last: bool) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _status(value: Any, last: bool) -> RecordStatus | None:
    return RecordStatus(value) if value in list(RecordStatus) else None


def _time(value: Any, last: bool) -> datetime:
    """Naive UTC, as the database keeps it, of an ISO time or of milliseconds since 1970.

    The `last` moment, where the value leaves something open: of a day its end.
    """
    if isinstance(value, int | float):
        moment, unit = datetime.fromtimestamp(value / 1000, UTC), timedelta(milliseconds=1)
    else:
        moment, unit = datetime.fromisoformat(value), _unit(value)
    utc = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return utc + unit - datetime.resolution if last else utc


def _unit(time: str) -> timedelta:
    """The shortest time that an ISO time names: a day, an hour, a minute, a second or less."""
    clock = re.search(r"[T ](\d\d)(:?\d\d)?(:?\d\d)?([.,]\d+)?", time)
    named = sum(part is not None for part in clock.groups()) if clock else 0
    units = ["days", "hours", "minutes", "seconds", "microseconds"]
    return timedelta(**{units[named]: 1})


# What turns a query's value into one of a record's column; None where it cannot be one.
_READERS: dict[str, Callable[[Any, bool], Any]] = {
    "id": _uuid,
    "status": _status,
    "inserted_at": _time,
    "updated_at": _time,
}
