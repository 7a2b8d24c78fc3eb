"""The search engine `database`: it answers Argilla's queries from Argilla's own database.

There is no index to write, so every writing method does nothing: what is searched are Argilla's
tables and those of `text_index`, which triggers keep current in the same transaction, so nothing
can be out of step. Filters, text and orders become SQL (`conditions`, `texts`, `orders`) and the
database decides; vectors are compared here (`vectors`). Importing this registers the engine.

How its answers differ from those of Argilla's own engines, and why, is said and tested in
`tests/labelling/server/search_exceptions.py`.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from argilla_server.database import AsyncSessionLocal
from argilla_server.enums import SimilarityOrder
from argilla_server.models import (
    Dataset,
    MetadataProperty,
    Record,
    Response,
    Suggestion,
    User,
    VectorSettings,
)
from argilla_server.models.base import DatabaseModel
from argilla_server.search_engine import (
    Filter,
    MetadataMetrics,
    Order,
    SearchEngine,
    SearchResponseItem,
    SearchResponses,
    TextQuery,
)
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server.search import metrics, vectors
from labelling.server.search.conditions import condition
from labelling.server.search.orders import in_order, page_and_total
from labelling.server.search.texts import has_text


@SearchEngine.register("database")
class DatabaseSearchEngine(SearchEngine):
    """Argilla's search engine interface, answered by the database."""

    @classmethod
    async def new_instance(cls) -> "DatabaseSearchEngine":
        return cls()

    async def close(self) -> None:
        """Nothing is open between two queries."""

    async def ping(self) -> bool:
        async with AsyncSessionLocal() as db:
            return bool(await db.scalar(select(1)))

    async def info(self) -> dict[str, Any]:
        return {"name": "database", "version": "2"}

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
        where = _satisfying(dataset, query, filter)
        found, keys = in_order(select(Record.id).where(where), dataset, sort or [], user_id)
        async with _reading(dataset) as db:
            rows = (await db.execute(page_and_total(found, keys, offset, limit))).all()
        items = [SearchResponseItem(record_id=row.id) for row in rows if row.id is not None]
        return SearchResponses(items=items, total=rows[0].total)

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
        """The records nearest to a vector, or to a record's (itself left out), with their scores.

        At most `max_results`, which is also the greatest total. Raises ValueError.
        """
        wanted = value or (record and record.vector_value_by_vector_settings(vector_settings))
        where = _satisfying(dataset, query, filter)
        if record is not None:
            where = and_(where, Record.id != record.id)
        async with _reading(dataset) as db:
            cosines = await vectors.cosines(db, vector_settings, wanted or [], where)
        scored = vectors.ranked(cosines, order)[:max_results]
        items = [
            SearchResponseItem(record_id=one, score=score)
            for score, one in scored
            if threshold is None or score >= threshold
        ]
        return SearchResponses(items=items, total=len(scored))

    async def get_dataset_progress(self, dataset: Dataset) -> dict[str, int]:
        """How many records have each status, and how many there are."""
        async with _reading(dataset) as db:
            return {} if dataset.is_draft else await metrics.record_counts(db, dataset)

    async def get_dataset_user_progress(self, dataset: Dataset, user: User) -> dict[str, int]:
        """How many answers of each status the user gave, and how many in all."""
        async with _reading(dataset) as db:
            return {} if dataset.is_draft else await metrics.answer_counts(db, dataset, user)

    async def compute_metrics_for(self, metadata_property: MetadataProperty) -> MetadataMetrics:
        """How often each term occurs (most frequent first), or the least and greatest number."""
        async with _reading(metadata_property) as db:
            return await metrics.metadata_metrics(db, metadata_property)

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


def _satisfying(
    dataset: Dataset, query: TextQuery | str | None, asked: Filter | None
) -> ColumnElement[bool]:
    return and_(Record.dataset_id == dataset.id, condition(asked, dataset), has_text(query))


@asynccontextmanager
async def _reading(subject: DatabaseModel) -> AsyncIterator[AsyncSession]:
    """The session of the request that the subject came with.

    A session more for each request, and as many requests at once as the pool has connections would
    wait for each other.
    """
    session = subject.current_async_session
    if session is not None:
        yield session
        return
    async with AsyncSessionLocal() as session:
        yield session
