"""What fails in the server is an error status, and the connection stays.

A database that fails (a full disk, a lock held too long) is 503 with a sentence, and so is one that
cannot be reached, a Redis or a search engine. Argilla answers 500 with the text of the SQL or of
the program, and the route for many answers at once 200: it takes any exception for a fault of that
answer. Here only what Argilla refuses is one.
"""

import logging
from collections.abc import Awaitable, Callable

import elastic_transport
import opensearchpy
from argilla_server.api.policies.v1 import RecordPolicy, authorize
from argilla_server.api.schemas.v1.responses import (
    Response,
    ResponseBulk,
    ResponseBulkError,
    ResponseUpsert,
)
from argilla_server.contexts import datasets
from argilla_server.errors.base_errors import ServerError
from argilla_server.errors.future import UnprocessableEntityError
from argilla_server.models import Record, User
from argilla_server.use_cases.responses.upsert_responses_in_bulk import (
    UpsertResponsesInBulkUseCase,
)
from fastapi import FastAPI, Request
from redis.exceptions import RedisError
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.orm.exc import StaleDataError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labelling.server.turns import Turns, at_once

FAILED = (
    "The server's database failed, so this may not be stored; the server's log says why: "
    "see that its disk is not full, and send it again."
)
AWAY = (
    "The server's {} does not answer, so this may not be stored; send it again in a minute, and if "
    "that does not help, tell whoever runs the server (`gates doctor` there says more)."
)
OUT_OF_RANGE = "A value does not fit into the database; send a smaller number or a shorter text."
CHANGED = "Somebody changed the same at the same moment; load it anew and try again."

_LOG = logging.getLogger("argilla")


class Answered:
    """ASGI middleware: an exception that was answered is over.

    The framework answers one with 500 and raises it again; the server then would drop the
    connection, and with it whatever comes on it next.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = False

        async def send_and_see(message: Message) -> None:
            nonlocal answered
            await send(message)
            last = message["type"] == "http.response.body" and not message.get("more_body")
            answered = answered or last

        try:
            await self.app(scope, receive, send_and_see)
        except Exception as error:
            if not answered:
                raise
            _LOG.debug("Answered already", exc_info=error)


def install(api: FastAPI) -> None:
    """Put it on Argilla's API application, before it serves."""
    api.add_exception_handler(SQLAlchemyError, _failed)
    for what, errors in _CONNECTIONS.items():
        for error in errors:
            api.add_exception_handler(error, _away(what))
    api.add_middleware(Turns, at_once=at_once())
    UpsertResponsesInBulkUseCase.execute = _store_all  # type: ignore[method-assign]


async def _failed(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, IntegrityError | StaleDataError):
        return JSONResponse({"detail": CHANGED}, 409)
    if isinstance(error, DBAPIError) and _is_of_the_value(error):
        return JSONResponse({"detail": OUT_OF_RANGE}, 422)
    if _is_lost(error):
        return await _away("database")(_, error)
    _LOG.error("The database failed", exc_info=error)
    return JSONResponse({"detail": FAILED}, 503)


def _is_of_the_value(error: DBAPIError) -> bool:
    """Whether PostgreSQL refused a value: class 22 of the SQL standard's states."""
    return str(getattr(error.orig, "sqlstate", None) or "").startswith("22")


def _is_lost(error: Exception) -> bool:
    """Whether a connection was lost or not to be had, which is no fault of what was asked."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, NoneFree)
    state = str(getattr(error.orig, "sqlstate", None) or "")
    return error.connection_invalidated or state.startswith(_LOST)


_LOST = ("08", "57P", "53300")
"""PostgreSQL's states: no connection, its server stops or starts, it has too many of them."""

_CONNECTIONS: dict[str, tuple[type[Exception], ...]] = {
    "Redis": (RedisError,),
    "search engine": (opensearchpy.ConnectionError, elastic_transport.ConnectionError),
}


def _away(what: str) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    """Answers that this back end is away; a line in the log, for it may be one for each request."""

    async def answer(_: Request, error: Exception) -> JSONResponse:
        said = str(getattr(error, "orig", None) or error).splitlines()
        _LOG.error("The %s does not answer: %s", what, (said or [type(error).__name__])[0])
        return JSONResponse({"detail": AWAY.format(what)}, 503)

    return answer


async def _store_all(
    self: UpsertResponsesInBulkUseCase, responses: list[ResponseUpsert], user: User
) -> list[ResponseBulk]:
    """Store the answers, or say of each why it was refused; a failure goes on to `_failed`.

    What was stored before a failure stays: sending the same again changes nothing of it.
    """
    records = await datasets.get_records_by_ids(self.db, [one.record_id for one in responses])
    known = [record for record in records if record is not None]
    await datasets.preload_records_relationships_before_validate(self.db, known)
    return [
        await _store(self, record, user, response)
        for response, record in zip(responses, records, strict=True)
    ]


async def _store(
    case: UpsertResponsesInBulkUseCase, record: Record | None, user: User, response: ResponseUpsert
) -> ResponseBulk:
    if record is None:
        return _refused(f"Record with id `{response.record_id}` not found")
    try:
        await authorize(user, RecordPolicy.create_response(record))
        stored = await datasets.upsert_response(case.db, case.search_engine, record, user, response)
    except (ServerError, UnprocessableEntityError) as refused:
        return _refused(str(refused))
    return ResponseBulk(item=Response.model_validate(stored))


def _refused(why: str) -> ResponseBulk:
    return ResponseBulk(error=ResponseBulkError(detail=why))
