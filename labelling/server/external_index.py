"""Makes the index of OpenSearch or Elasticsearch anew from the database.

That index is a copy: it lacks what was there before it was turned to, and what a kill came between.
"""

from argilla_server.cli.search_engine.reindex import Reindexer
from argilla_server.database import AsyncSessionLocal, async_engine
from argilla_server.search_engine import SearchEngine
from argilla_server.settings import settings


async def make() -> dict[str, int]:
    """Index every dataset; its records by name of the dataset."""
    counts: dict[str, int] = {}
    async with (
        AsyncSessionLocal() as db,
        SearchEngine.get_by_name(settings.search_engine) as engine,
    ):
        async for dataset in Reindexer.reindex_datasets(db, engine):
            batches = Reindexer.reindex_dataset_records(db, engine, dataset)
            counts[dataset.name] = sum([len(batch) async for batch in batches])
    await async_engine.dispose()  # its connections belong to this event loop
    return counts
