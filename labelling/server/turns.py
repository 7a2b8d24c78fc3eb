"""Requests take turns, so that none waits for a database connection that another one holds.

A request holds one connection of its process's pool and takes a second for a moment (to search, to
set a record's status). When as many requests run as the pool has connections, each with its first
one, all wait for a second one that nobody gives back, and fail half a minute later: 16 annotators
on SQLite were enough. Here only half as many run at once; the others wait for their turn, in order.
"""

import asyncio

from argilla_server.settings import settings
from starlette.types import ASGIApp, Receive, Scope, Send

PER_REQUEST = 2  # connections
SQLITE_POOL = 15  # SQLAlchemy's own: 5, and 10 for a while


def at_once() -> int:
    """How many requests of one process may run at a time."""
    size, more = settings.database_postgresql_pool_size, settings.database_postgresql_max_overflow
    pool = (size or 0) + (more or 0) if settings.database_is_postgresql else SQLITE_POOL
    return max(1, pool // PER_REQUEST)


class Turns:
    """ASGI middleware: at most `at_once` requests run; put it behind what reads their bodies."""

    def __init__(self, app: ASGIApp, at_once: int) -> None:
        self.app = app
        self.free = asyncio.Semaphore(at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        async with self.free:
            await self.app(scope, receive, send)
