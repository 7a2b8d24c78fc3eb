"""The search engine `database`: it answers Argilla's queries from Argilla's own database.

Nothing is indexed, so nothing can drift and every writing method does nothing. What a query
asks of plain columns (a record's status, a user's responses) the database decides; what lies
in JSON (metadata, answers, suggestions, texts) is read with one query per filter or sort and
decided by `matching`. Orders: as sorted; else each user's own stable shuffle; for a search
without a user, by the time of insertion.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from argilla_server.database import AsyncSessionLocal
from argilla_server.enums import (
    MetadataPropertyType,
    SimilarityOrder,
)
from argilla_server.models import (
    Dataset,
    MetadataProperty,
    Record,
    Response,
    Suggestion,
    User,
    VectorSettings,
)
from argilla_server.search_engine import (
    AndFilter,
    Filter,
    FloatMetadataMetrics,
    IntegerMetadataMetrics,
    MetadataMetrics,
    Order,
    SearchEngine,
    SearchResponseItem,
    SearchResponses,
    TermsMetrics,
    TextQuery,
)
from sqlalchemy import Select, and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server import matching
from labelling.server.columns import column_of, with_text
from labelling.server.conditions import OneFilter, condition


@SearchEngine.register("database")
class DatabaseSearchEngine(SearchEngine):
    """Argilla's search engine interface, answered by the database."""

    @classmethod
    async def new_instance(cls) -> "DatabaseSearchEngine":
        return cls()

    async def close(self) -> None:
        """Sessions are opened and closed by each query."""

    async def ping(self) -> bool:
        async with AsyncSessionLocal() as db:
            return bool(await db.scalar(select(1)))

    async def info(self) -> dict[str, Any]:
        return {"name": "database", "version": "1"}

    async def search(
        self,
        dataset: Dataset,
        query: TextQuery | str | None = None,
        filter: Filter | None = None,  # noqa: A002 - Argilla's name
        sort: list[Order] | None = None,
        offset: int = 0,
        limit: int = 100,
        user_id: UUID | None = None,
    ) -> SearchResponses:
        """The page of records that satisfy the query and the filter, and how many there are."""
        async with AsyncSessionLocal() as db:
            found = await _found(db, dataset, query, _each(filter))
            if user_id is not None:
                found = matching.shuffled(found, user_id)
            for order in reversed(sort or []):
                column = await column_of(db, dataset, order.scope)
                found = matching.in_order(found, column, order.order)
        page = [SearchResponseItem(record_id=record) for record in found[offset : offset + limit]]
        return SearchResponses(items=page, total=len(found))

    async def similarity_search(
        self,
        dataset: Dataset,
        vector_settings: VectorSettings,
        value: list[float] | None = None,
        record: Record | None = None,
        query: TextQuery | str | None = None,
        filter: Filter | None = None,  # noqa: A002 - Argilla's name
        max_results: int = 100,
        order: SimilarityOrder = SimilarityOrder.most_similar,
        threshold: float | None = None,
    ) -> SearchResponses:
        raise ValueError("The search engine `database` has no similarity search yet.")

    async def get_dataset_progress(self, dataset: Dataset) -> dict[str, int]:
        """How many records have each status, and how many there are."""
        counts = select(Record.status, func.count()).where(Record.dataset_id == dataset.id)
        return await _progress(dataset, counts.group_by(Record.status))

    async def get_dataset_user_progress(self, dataset: Dataset, user: User) -> dict[str, int]:
        """How many answers of each status the user gave, and how many in all."""
        counts = select(Response.status, func.count()).join(Record)
        mine = and_(Record.dataset_id == dataset.id, Response.user_id == user.id)
        return await _progress(dataset, counts.where(mine).group_by(Response.status))

    async def compute_metrics_for(self, metadata_property: MetadataProperty) -> MetadataMetrics:
        """How often each term occurs (most frequent first), or the least and greatest number."""
        async with AsyncSessionLocal() as db:
            values = await _metadata_values(db, metadata_property)
        if metadata_property.type == MetadataPropertyType.terms:
            return _term_counts([str(value) for value in values])
        low, high = min(values, default=None), max(values, default=None)
        if metadata_property.type == MetadataPropertyType.integer:
            return IntegerMetadataMetrics(type=MetadataPropertyType.integer, min=low, max=high)
        return FloatMetadataMetrics(type=MetadataPropertyType.float, min=low, max=high)

    # The database is the index: there is nothing to write.
    async def create_index(self, dataset: Dataset) -> None: ...
    async def delete_index(self, dataset: Dataset) -> None: ...
    async def configure_metadata_property(
        self, dataset: Dataset, metadata_property: MetadataProperty
    ) -> None: ...
    async def configure_index_vectors(self, vector_settings: VectorSettings) -> None: ...
    async def index_records(self, dataset: Dataset, records: Iterable[Record]) -> None: ...
    async def partial_record_update(self, record: Record, **update: Any) -> None: ...
    async def delete_records(self, dataset: Dataset, records: Iterable[Record]) -> None: ...
    async def update_record_response(self, response: Response) -> None: ...
    async def delete_record_response(self, response: Response) -> None: ...
    async def update_record_suggestion(self, suggestion: Suggestion) -> None: ...
    async def delete_record_suggestion(self, suggestion: Suggestion) -> None: ...


def _each(filter_: Filter | None) -> list[OneFilter]:
    if filter_ is None:
        return []
    if isinstance(filter_, AndFilter):
        return [one for part in filter_.filters for one in _each(part)]
    return [filter_]


async def _found(
    db: AsyncSession, dataset: Dataset, query: TextQuery | str | None, filters: list[OneFilter]
) -> list[UUID]:
    """Ids of the records that satisfy everything, by the time of insertion."""
    conditions = {id(one): sql for one in filters if (sql := condition(one)) is not None}
    where = and_(Record.dataset_id == dataset.id, *conditions.values())
    ordered = select(Record.id).where(where).order_by(Record.inserted_at, Record.id)
    found = list(await db.scalars(ordered))
    for one in filters:
        if id(one) not in conditions:
            column = await column_of(db, dataset, one.scope)
            found = [record for record in found if matching.holds(one, column.get(record, ()))]
    if query is not None:
        matching_text = await with_text(db, dataset, query, where)
        found = [record for record in found if record in matching_text]
    return found


async def _progress(dataset: Dataset, counts: Select[tuple[Any, int]]) -> dict[str, int]:
    if dataset.is_draft:
        return {}
    async with AsyncSessionLocal() as db:
        by_status = {str(status.value): count for status, count in await db.execute(counts)}
    return {"total": sum(by_status.values()), **by_status}


async def _metadata_values(db: AsyncSession, metadata_property: MetadataProperty) -> list[Any]:
    values = select(Record.metadata_[metadata_property.name])
    rows = await db.scalars(values.where(Record.dataset_id == metadata_property.dataset_id))
    return [value for row in rows for value in matching.scalars(row)]


def _term_counts(values: list[str]) -> TermsMetrics:
    counts: defaultdict[str, int] = defaultdict(int)
    for value in values:
        counts[value] += 1
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    terms = [TermsMetrics.TermCount(term=term, count=count) for term, count in by_count]
    return TermsMetrics(total=len(values), values=terms)
