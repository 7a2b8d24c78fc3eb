"""Whether the back ends of Argilla can be used: a sentence for each that cannot.

Every check raises ServiceFailure with what was tried, what came of it, and what to look at.
"""

import asyncio
import time
from collections.abc import Callable

import redis
from argilla_server.jobs.queues import REDIS_CONNECTION
from argilla_server.search_engine import SearchEngine
from argilla_server.settings import settings

from labelling.server import database
from labelling.server.backends import Backends, shown
from labelling.server.processes import ServiceFailure

PATIENCE = 20.0  # seconds, for our own Valkey, which starts at the same time
ANSWER_WITHIN = 15.0  # seconds, for a search engine


def failures(backends: Backends) -> dict[str, str]:
    """Name and sentence of each check that fails, without patience; our own Valkey is not asked."""
    checks: dict[str, Callable[[], object]] = {"database": database.check, "search": search}
    if backends.redis:
        checks["queue"] = queue
    return {name: str(failure) for name, check in checks.items() if (failure := _try(check))}


def queue(patience: float = 0.0) -> None:
    """Redis or Valkey answers, at the latest after `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            REDIS_CONNECTION.ping()
            return
        except redis.RedisError as error:
            if time.monotonic() > deadline:
                where = shown(settings.redis_url)
                raise ServiceFailure(
                    f"Redis (or Valkey) at {where} does not answer ({error}); see that it runs, "
                    "and that ARGILLA_REDIS_URL names its host, port and password."
                ) from error
        time.sleep(0.2)


def search() -> None:
    """OpenSearch or Elasticsearch answers; our own engine is the database."""
    if settings.search_engine == "database":
        return
    try:
        said = asyncio.run(asyncio.wait_for(_ping(), ANSWER_WITHIN))
    except Exception as error:  # each client has exceptions of its own
        said = str(error) or type(error).__name__
    if said:
        raise ServiceFailure(
            f"The search engine {settings.search_engine} at {shown(settings.elasticsearch)} does "
            f"not answer ({said.splitlines()[0]}); see that it runs, and that "
            "ARGILLA_ELASTICSEARCH names its host and port, and ARGILLA_SEARCH_ENGINE its kind."
        )


async def _ping() -> str:
    async with SearchEngine.get_by_name(settings.search_engine) as engine:
        return "" if await engine.ping() else "no connection"


def _try(check: Callable[[], object]) -> ServiceFailure | None:
    try:
        check()
    except ServiceFailure as failure:
        return failure
    return None
