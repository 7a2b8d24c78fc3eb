"""What a request may bring in, looked at before Argilla reads it.

- Half an emoji (a lone surrogate) and NUL cannot be stored as text everywhere: U+FFFD takes their
  place, in any JSON.
- An answer or a search is at most `MAX_BYTES` long, a form to sign in `MAX_FORM`, and anything
  `MAX_UPLOAD`: it is kept in memory before anybody knows who sends it.
- A search whose filters Argilla would trip over is refused.

What is refused gets one sentence, as `{"detail": ...}`.
"""

import json
import re
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 1_000_000
MAX_FORM = 10_000
MAX_UPLOAD = 200_000_000

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SUSPICIOUS = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]|\0")
"""What JSON holds where it may hold something unstorable; NUL: it is in UTF-16 or UTF-32."""


class Refused(Exception):
    """A request that goes no further: the status of its answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Intake:
    """ASGI middleware: reads a request's body, mends or refuses it, and passes it on whole."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            await self.app(scope, receive, send)
            return
        try:
            body = taken_in(await whole_body(receive, _limit(scope["path"])), scope["path"])
        except Refused as why:
            await JSONResponse({"detail": str(why)}, why.status)(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
        length = (b"content-length", str(len(body)).encode())
        await self.app({**scope, "headers": [*headers, length]}, replayed(body, receive), send)


def taken_in(body: bytes, path: str) -> bytes:
    """The body as Argilla may have it. Raises Refused."""
    search = path.endswith("/records/search")
    if not search and not _SUSPICIOUS.search(body):
        return body
    try:
        content = storable(json.loads(body))
    except RecursionError as error:
        raise Refused(422, "The JSON is nested too deep; send it flatter.") from error
    except ValueError:  # Argilla says so itself
        return body
    if search:
        check_search(content)
    return json.dumps(content).encode()


def storable(value: Any) -> Any:
    """JSON with U+FFFD wherever a text holds NUL or a lone surrogate; the argument stays."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    return value


def check_search(query: Any) -> None:
    """Raise Refused where the filters of a search are not as Argilla takes for granted."""
    filters = query.get("filters") if isinstance(query, dict) else None
    if filters is None:
        return
    conditions = filters.get("and") if isinstance(filters, dict) else None
    if not isinstance(conditions, list):
        raise Refused(422, 'Filters of a search are {"and": [...]}; give them so, or none.')
    for one in conditions:
        bounds = [one.get("ge"), one.get("le")] if isinstance(one, dict) else []
        if len({isinstance(bound, str) for bound in bounds if bound is not None}) > 1:
            raise Refused(422, "A range has a text and a number as its ends; give two of a kind.")


def _limit(path: str) -> int:
    """How long a body may be."""
    if path.endswith("/token"):
        return MAX_FORM
    return MAX_BYTES if "/responses" in path or path.endswith("/records/search") else MAX_UPLOAD


async def whole_body(receive: Receive, limit: int = MAX_UPLOAD) -> bytes:
    """The body of a request. Raises Refused where it is longer than the limit."""
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise Refused(413, f"This is longer than {limit:,} bytes; send less at once.")
    return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """What gives the body once, and afterwards whatever the connection has to say."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
