"""The order of what is found: as sorted; else each user's own; else by the time of insertion.

Records are sorted by their least value ascending, by their greatest descending, of several answers
with a number by their mean; numbers come before texts, and records without a value last in either
order. What is equal in all that stays in the user's own order, or in that of insertion.
In the user's own order a record that is there a second time is half of all places from the first.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from argilla_server.enums import SortOrder
from argilla_server.models import Dataset, Record
from argilla_server.search_engine import Order, RecordFilterScope, ResponseFilterScope
from sqlalchemy import ColumnElement, FromClause, Select, Text, case, cast, func, select, true
from sqlalchemy.orm import aliased

from labelling.server.search.dialect import by_bytes, opposite, place
from labelling.server.search.values import values_of

AGAIN = ".again"
"""How the external id of a record ends that is there a second time; before it is the first's."""


@dataclass(frozen=True)
class SortKey:
    """A column to sort by, in which direction; nulls come last in either."""

    name: str
    order: SortOrder

    def of(self, rows: FromClause) -> ColumnElement[Any]:
        """The key in those rows."""
        column = rows.c[self.name]
        return (column.desc() if self.order == SortOrder.desc else column.asc()).nulls_last()


def in_order(
    found: Select[Any], dataset: Dataset, sort: list[Order], user_id: UUID | None
) -> tuple[Select[Any], list[SortKey]]:
    """The records found, with columns to sort them by, and the keys made of those columns."""
    columns: list[tuple[Any, SortOrder]] = []
    for order in sort:
        if isinstance(order.scope, RecordFilterScope):
            columns.append((_column(order.scope.property), order.order))
        else:
            found, values = _with_values(found, dataset, order)
            columns += [(value, order.order) for value in values]
    last: Any = Record.inserted_at if user_id is None else own_place(user_id)
    columns += [(last, SortOrder.asc), (Record.id, SortOrder.asc)]
    named = [column.label(f"key_{i}") for i, (column, _) in enumerate(columns)]
    keys = [SortKey(one.name, order) for one, (_, order) in zip(named, columns, strict=True)]
    return found.add_columns(*named), keys


def page_and_total(found: Select[Any], keys: list[SortKey], offset: int, limit: int) -> Select[Any]:
    """Rows of (total, id), in order: the records of a page. An empty page is one row without id.

    What is found is looked for once, for the page and for the total.
    """
    every = found.cte("found")
    total = select(func.count().label("total")).select_from(every).subquery()
    page = select(every).order_by(*(key.of(every) for key in keys)).offset(offset).limit(limit)
    rows = page.subquery()
    joined = select(total.c.total, rows.c.id).join_from(total, rows, true(), isouter=True)
    return joined.order_by(*(key.of(rows) for key in keys))


def own_place(user_id: UUID) -> ColumnElement[Any]:
    """Where a record is in the user's own order."""
    first, length = aliased(Record), func.length(Record.external_id) - len(AGAIN)
    its_place = select(place(user_id, first.id)).where(
        first.dataset_id == Record.dataset_id,
        first.external_id == func.substr(Record.external_id, 1, length),
    )
    again = Record.external_id.like(f"%{AGAIN}")
    return case((again, opposite(its_place.scalar_subquery())), else_=place(user_id))


def _column(name: str) -> ColumnElement[Any]:
    column: Any = getattr(Record, name)
    return by_bytes(cast(column, Text)) if name in ("status", "external_id") else column


def _with_values(
    found: Select[Any], dataset: Dataset, order: Order
) -> tuple[Select[Any], list[ColumnElement[Any]]]:
    value = values_of(order.scope, dataset).c
    best = func.max if order.order == SortOrder.desc else func.min
    of_numbers = func.avg if isinstance(order.scope, ResponseFilterScope) else best
    number, text = of_numbers(value.number).label("number"), best(value.text).label("text")
    keys = select(value.record_id, number, text).group_by(value.record_id).subquery()
    return found.outerjoin(keys, keys.c.record_id == Record.id), [keys.c.number, keys.c.text]
