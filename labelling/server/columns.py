"""What filters, sorts and text queries look at in JSON: one query to the database for each."""

from collections import defaultdict
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
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server import matching


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
        value = getattr(Suggestion, scope.property)
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
    """Ids of the records whose texts hold every word of the query, in all fields or in one."""
    query = TextQuery(q=query) if isinstance(query, str) else query
    matches = matching.text_matcher(query.q)
    names = [query.field] if query.field else [f.name for f in dataset.fields if not f.is_image]
    rows = await db.execute(select(Record.id, Record.fields).where(where))
    return {record for record, fields in rows if matches(_text(fields, names))}


def _text(fields: dict[str, Any], names: list[str]) -> str:
    return "\n".join(text for name in names for text in matching.texts(fields.get(name)))
