"""What filters, sorts and text queries look at in JSON: one query to the database for each."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from argilla_server.models import Dataset, Question, Record, Response, Suggestion
from argilla_server.search_engine import (
    FilterScope,
    MetadataFilterScope,
    RecordFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
    TextQuery,
)
from sqlalchemy import ColumnElement, Row, Select, Text, cast, select
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server import matching

_AT_A_TIME = 500
"""Records whose texts are in memory at once."""


async def column_of(db: AsyncSession, dataset: Dataset, scope: FilterScope) -> matching.Column:
    """What the scope looks at, for every record of the dataset, in one query."""
    column: defaultdict[UUID, list[Any]] = defaultdict(list)
    for record, value in await db.execute(_values(scope).where(Record.dataset_id == dataset.id)):
        column[record] += matching.scalars(value)
    return column


def _values(scope: FilterScope) -> Select[tuple[UUID, Any]]:
    """Pairs of a record's id and a value of the scope."""
    if isinstance(scope, RecordFilterScope):
        return select(Record.id, getattr(Record, scope.property))
    if isinstance(scope, MetadataFilterScope):
        return select(Record.id, Record.metadata_[scope.metadata_property])
    if isinstance(scope, SuggestionFilterScope):
        # None is the value too, and comes as a text
        value = getattr(Suggestion, "value" if scope.property == "None" else scope.property)
        pairs = select(Suggestion.record_id, value).join(Record).join(Question)
        return pairs.where(Question.name == scope.question)
    return _answers(scope)


def _answers(scope: ResponseFilterScope) -> Select[tuple[UUID, Any]]:
    value = Response.values[(scope.question, "value")] if scope.question else Response.status
    pairs = select(Response.record_id, value).join(Record)
    return pairs.where(Response.user_id == scope.user.id) if scope.user else pairs


async def with_text(
    db: AsyncSession, dataset: Dataset, query: TextQuery | str, where: ColumnElement[bool]
) -> set[UUID]:
    """Ids of the records whose texts hold every word of the query, in all fields or in one.

    Texts are read some records at a time and looked through in a thread, so that the server goes
    on answering meanwhile. Raises ValueError for a query that is too long.
    """
    query = TextQuery(q=query) if isinstance(query, str) else query
    matches = matching.text_matcher(query.q)
    names = [query.field] if query.field else [f.name for f in dataset.fields if not f.is_image]

    def among(rows: Sequence[Row[tuple[UUID, str]]]) -> set[UUID]:
        return {record for record, fields in rows if matches(_text(json.loads(fields), names))}

    # As text: reading the JSON is most of the work, and the thread's
    texts = await db.stream(select(Record.id, cast(Record.fields, Text)).where(where))
    found: set[UUID] = set()
    async for rows in texts.partitions(_AT_A_TIME):
        found |= await asyncio.to_thread(among, rows)
    return found


def _text(fields: dict[str, Any], names: list[str]) -> str:
    return "\n".join(text for name in names for text in matching.texts(fields.get(name)))
