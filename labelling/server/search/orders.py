"""The order of what is found: as sorted; else each user's own; else by the time of insertion.

Records are sorted by their least value ascending, by their greatest descending, of several answers
with a number by their mean; numbers come before texts, and records without a value last in either
order. What is equal in all that stays in the user's own order, or in that of insertion.
"""

from typing import Any
from uuid import UUID

from argilla_server.enums import SortOrder
from argilla_server.models import Dataset, Record
from argilla_server.search_engine import Order, RecordFilterScope, ResponseFilterScope
from sqlalchemy import ColumnElement, Select, Text, cast, func, select

from labelling.server.search.dialect import by_bytes, place
from labelling.server.search.values import values_of


def in_order(
    found: Select[Any], dataset: Dataset, sort: list[Order], user_id: UUID | None
) -> Select[Any]:
    """The records found, in their order."""
    for order in sort:
        if isinstance(order.scope, RecordFilterScope):
            found = found.order_by(_directed(_column(order.scope.property), order.order))
        else:
            found = _by_values(found, dataset, order)
    if user_id is not None:
        return found.order_by(place(user_id), Record.id)
    return found.order_by(Record.inserted_at, Record.id)


def _column(name: str) -> ColumnElement[Any]:
    column: Any = getattr(Record, name)
    return by_bytes(cast(column, Text)) if name in ("status", "external_id") else column


def _by_values(found: Select[Any], dataset: Dataset, order: Order) -> Select[Any]:
    value = values_of(order.scope, dataset).c
    best = func.max if order.order == SortOrder.desc else func.min
    of_numbers = func.avg if isinstance(order.scope, ResponseFilterScope) else best
    number, text = of_numbers(value.number).label("number"), best(value.text).label("text")
    keys = select(value.record_id, number, text).group_by(value.record_id).subquery()
    joined = found.outerjoin(keys, keys.c.record_id == Record.id)
    return joined.order_by(*(_directed(key, order.order) for key in (keys.c.number, keys.c.text)))


def _directed(key: ColumnElement[Any], order: SortOrder) -> ColumnElement[Any]:
    return (key.desc() if order == SortOrder.desc else key.asc()).nulls_last()
