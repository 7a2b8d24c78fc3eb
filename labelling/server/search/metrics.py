"""Counts over a dataset: records and answers by status, terms and ranges of metadata."""

from typing import Any

from argilla_server.enums import MetadataPropertyType
from argilla_server.models import Dataset, MetadataProperty, Record, Response, User
from argilla_server.search_engine import (
    FloatMetadataMetrics,
    IntegerMetadataMetrics,
    MetadataMetrics,
    TermsMetrics,
)
from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server.search.values import metadata_values


async def record_counts(db: AsyncSession, dataset: Dataset) -> dict[str, int]:
    """How many records have each status, and how many there are."""
    counts = select(Record.status, func.count()).where(Record.dataset_id == dataset.id)
    return await _by_status(db, counts.group_by(Record.status))


async def answer_counts(db: AsyncSession, dataset: Dataset, user: User) -> dict[str, int]:
    """How many answers of each status the user gave, and how many in all."""
    counts = select(Response.status, func.count()).join(Record)
    mine = counts.where(Record.dataset_id == dataset.id, Response.user_id == user.id)
    return await _by_status(db, mine.group_by(Response.status))


async def metadata_metrics(db: AsyncSession, one: MetadataProperty) -> MetadataMetrics:
    """How often each term occurs (most frequent first), or the least and greatest number."""
    value = metadata_values(one.dataset_id, one.name).c
    if one.type == MetadataPropertyType.terms:
        counted = select(value.text, func.count()).where(value.text.is_not(None))
        by_count = counted.group_by(value.text).order_by(func.count().desc(), value.text)
        terms = [TermsMetrics.TermCount(term=t, count=n) for t, n in await db.execute(by_count)]
        return TermsMetrics(total=sum(term.count for term in terms), values=terms)
    least, greatest = (
        await db.execute(select(func.min(value.number), func.max(value.number)))
    ).one()
    if one.type == MetadataPropertyType.integer:
        return IntegerMetadataMetrics(
            type=MetadataPropertyType.integer, min=_whole(least), max=_whole(greatest)
        )
    return FloatMetadataMetrics(type=MetadataPropertyType.float, min=least, max=greatest)


def _whole(number: Any) -> int | None:
    return None if number is None else int(number)


async def _by_status(db: AsyncSession, counts: Select[Any]) -> dict[str, int]:
    by_status = {str(status.value): count for status, count in await db.execute(counts)}
    return {"total": sum(by_status.values()), **by_status}
