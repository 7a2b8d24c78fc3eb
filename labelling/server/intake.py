"""What a request may bring in, looked at before Argilla reads it.

- Half an emoji (a lone surrogate) and NUL cannot be stored as text everywhere: U+FFFD takes their
  place, in any JSON.
- A whole number has at most 64 bits, and every number is finite: databases and JSON know no other.
- A JSON body is an object, `offset` and `limit` of an address are whole numbers from 0.
- An answer or a search is at most `MAX_BYTES` long, a form to sign in `MAX_FORM`, and anything
  `MAX_UPLOAD`: it is kept in memory before anybody knows who sends it.
- A search whose filters Argilla would trip over is refused.

What is refused gets one sentence, as `{"detail": ...}`.
"""

import json
import re
from math import isfinite
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 1_000_000
MAX_FORM = 10_000
MAX_UPLOAD = 200_000_000
MAX_NUMBER = 2**63 - 1

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SUSPICIOUS = re.compile(
    rb"\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]|\0|\d{19}|[eE]\+?\d{3}|NaN|Infinity"
)
"""What JSON holds where it may hold something unstorable; NUL: it is in UTF-16 or UTF-32."""

_SCALAR = re.compile(rb"\s*[^\s{\[\xff\xfe]")
"""How JSON begins that is neither object nor list."""


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
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            check_address(scope["query_string"])
            if scope["method"] in ("POST", "PUT", "PATCH"):
                scope, receive = await _with_body(scope, receive)
        except Refused as why:
            await JSONResponse({"detail": str(why)}, why.status)(scope, receive, send)
            return
        await self.app(scope, receive, send)


async def _with_body(scope: Scope, receive: Receive) -> tuple[Scope, Receive]:
    """The request with its body as Argilla may have it. Raises Refused."""
    body = taken_in(await whole_body(receive, _limit(scope["path"])), scope["path"])
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    length = (b"content-length", str(len(body)).encode())
    return {**scope, "headers": [*headers, length]}, replayed(body, receive)


def check_address(query: bytes) -> None:
    """Raise Refused where the address counts in numbers that no database counts in."""
    for name, value in parse_qsl(query.decode("latin-1")):
        found = re.fullmatch(r"\s*([+-]?)0*(\d+)\s*", value)
        if name not in ("offset", "limit") or not found:
            continue
        sign, digits = found.groups()
        if (sign == "-" and digits != "0") or len(digits) > 19 or int(digits) > MAX_NUMBER:
            said = value if len(value) <= 40 else f"a number of {len(digits):,} digits"
            expected = f"expected a whole number from 0 to {MAX_NUMBER:,}; give a smaller one."
            raise Refused(422, f"The address has {name} = {said}; {expected}")


def taken_in(body: bytes, path: str) -> bytes:
    """The body as Argilla may have it. Raises Refused."""
    if path.endswith("/token"):
        return body
    if _SCALAR.match(body):
        raise Refused(422, 'The body is no JSON object; send one, as in {"name": "value"}.')
    search = path.endswith("/records/search")
    if not search and not _SUSPICIOUS.search(body):
        return body
    try:
        content = storable(_numbers_checked(body))
    except RecursionError as error:
        raise Refused(422, "The JSON is nested too deep; send it flatter.") from error
    except ValueError:  # Argilla says so itself
        return body
    if search:
        check_search(content)
    return json.dumps(content).encode()


def _numbers_checked(body: bytes) -> Any:
    return json.loads(body, parse_int=_whole, parse_float=_finite, parse_constant=_refuse)


def _whole(digits: str) -> int:
    return (
        int(digits) if len(digits) < 19 or abs(int(digits[:30])) <= MAX_NUMBER else _refuse(digits)
    )


def _finite(digits: str) -> float:
    return float(digits) if isfinite(float(digits)) else _refuse(digits)


def _refuse(number: str) -> NoReturn:
    said = number if len(number) <= 40 else f"{number[:40]}..."
    raise Refused(
        422,
        f"The JSON holds the number {said}; expected finite numbers, whole ones from "
        f"-{MAX_NUMBER:,} to {MAX_NUMBER:,}: send another, or a text.",
    )


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
