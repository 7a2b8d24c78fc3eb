"""Filters in SQL: what asks of plain columns, so that the database decides.

Those are a record's own columns (id, external id, status, times) and whether, and how, a user
answered. A value that cannot be in a column (no UUID, no such status) matches nothing.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from argilla_server.enums import RecordStatus, ResponseStatus, ResponseStatusFilter
from argilla_server.models import Record, Response, User
from argilla_server.search_engine import (
    RangeFilter,
    RecordFilterScope,
    ResponseFilterScope,
    TermsFilter,
)
from sqlalchemy import ColumnElement, and_, exists, or_, true

OneFilter = TermsFilter | RangeFilter


def condition(one: OneFilter) -> ColumnElement[bool] | None:
    """The filter in SQL, or None where it asks of what lies in JSON."""
    if isinstance(one.scope, ResponseFilterScope):
        return None if one.scope.question else _has_response(one, one.scope.user)
    return _of_record(one, one.scope.property) if isinstance(one.scope, RecordFilterScope) else None


def _of_record(one: OneFilter, name: str) -> ColumnElement[bool]:
    column, read = getattr(Record, name), _READERS.get(name, str)
    if isinstance(one, TermsFilter):
        wanted = [value for value in map(read, one.values) if value is not None]
        return cast(ColumnElement[bool], column.in_(wanted))
    low, high = (None if bound is None else _bound(read, bound, name) for bound in (one.ge, one.le))
    return and_(
        true() if low is None else column >= low, true() if high is None else column <= high
    )


def _bound(read: Callable[[Any], Any], bound: Any, name: str) -> Any:
    try:
        value = read(bound)
    except (ValueError, OverflowError):
        value = None
    if value is None:
        raise ValueError(f"{bound!r} is no bound for a record's {name}; give a value it can have.")
    return value


def _has_response(one: OneFilter, user: User | None) -> ColumnElement[bool]:
    """A response of the user (or of anybody) with one of the statuses; `pending` = none."""
    if not isinstance(one, TermsFilter):
        raise ValueError("A response status is filtered by terms, not by a range.")
    by_user = true() if user is None else Response.user_id == user.id
    answered = and_(Response.record_id == Record.id, by_user)
    statuses = [status for status in ResponseStatus if status in one.values]
    has_one = exists().where(answered, Response.status.in_(statuses))
    pending = ResponseStatusFilter.pending in one.values
    return or_(has_one, ~exists().where(answered)) if pending else has_one


def _uuid(value: Any) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _status(value: Any) -> RecordStatus | None:
    return RecordStatus(value) if value in list(RecordStatus) else None


def _time(value: Any) -> datetime:
    """Naive UTC, as the database keeps it, of an ISO time or of milliseconds since 1970."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000, UTC).replace(tzinfo=None)
    moment = datetime.fromisoformat(value)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


# What turns a query's value into one of a record's column; None where it cannot be one.
_READERS: dict[str, Callable[[Any], Any]] = {
    "id": _uuid,
    "status": _status,
    "inserted_at": _time,
    "updated_at": _time,
}
