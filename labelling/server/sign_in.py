"""Signing in slows down after failures: nobody guesses a password by trying.

What failed is counted in Argilla's Redis, so that several processes count together and a restart
forgets nothing. After some free failures each further one closes its bucket for 2, 4, 8, ...
seconds, up to a longest; a closed one answers 429 with Retry-After, looks at no password and counts
nothing. Whether an account exists makes no difference.

| counted for | free | longest | why |
| --- | --- | --- | --- |
| an account from an address | 5 | 60 | who guesses is slowed, at most some 1,450 times a day |
| an account from anywhere | 50 | 5 | so are many addresses together, at most some 17,300 times |
| an address | 50 | 60 | so is who tries many accounts |

Nobody can shut a person out by failing in their name: from another address that costs them seconds,
and an address from which the account once signed in has the first count alone. An attempt counts
before its password is looked at, so that many at once are no way around; where the server fails it
was none. Every key expires. Times are seconds.
"""

import logging
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from typing import Any

from argilla_server.settings import settings
from fastapi import FastAPI
from fastapi.routing import APIRoute
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import RedisError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labelling.server.intake import replayed, whole_body

FORGOTTEN_AFTER = 15 * 60
KNOWN_FOR = 30 * 24 * 3600
SIGNED_IN, FAULT = 201, 500  # statuses

_LOG = logging.getLogger("argilla")

_PREFIX = "{gates-sign-in}"  # in braces: a cluster keeps such keys together, as a script needs it

_ATTEMPT = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local wait = 0
for _, key in ipairs(KEYS) do
  wait = math.max(wait, (tonumber(redis.call('HGET', key, 'until')) or 0) - now)
end
if wait > 0 then return math.ceil(wait) end
for i, key in ipairs(KEYS) do
  local over = redis.call('HINCRBY', key, 'failures', 1) - ARGV[2 * i]
  if over > 0 then
    redis.call('HSET', key, 'until', now + math.min(ARGV[2 * i + 1], 2 ^ math.min(over, 20)))
  end
  redis.call('EXPIRE', key, ARGV[1])
end
return 0
"""
"""KEYS: buckets; ARGV: when to forget, then the free failures and the longest wait of each bucket.
Counts a failure in each, unless one is closed: then how long it stays so."""

_TAKE_BACK = """
for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then
    redis.call('HINCRBY', key, 'failures', -1)
    redis.call('HDEL', key, 'until')
  end
end
"""


@dataclass(frozen=True)
class Bucket:
    """Where failures are counted."""

    key: str
    free: int
    longest: int


@dataclass(frozen=True)
class Attempt:
    """Somebody at an address who gives a password for an account."""

    username: str
    address: str

    @property
    def known(self) -> str:
        """The key that is there once the account signed in from the address."""
        return _key("known", self.username, self.address)

    @property
    def pair(self) -> Bucket:
        return Bucket(_key("pair", self.username, self.address), free=5, longest=60)

    @property
    def others(self) -> list[Bucket]:
        """What a stranger's attempt counts in besides."""
        return [
            Bucket(_key("account", self.username), free=50, longest=5),
            Bucket(_key("address", self.address), free=50, longest=60),
        ]


def install(api: FastAPI) -> None:
    """Put the guard before Argilla's route for signing in, before it serves."""
    (route,) = (one for one in api.routes if isinstance(one, APIRoute) and one.path == "/token")
    counts = RedisCluster if settings.redis_use_cluster else Redis
    route.app = Guard(route.app, counts.from_url(settings.redis_url, socket_timeout=5))


class Guard:
    """ASGI application: the route, behind the counts."""

    def __init__(self, app: ASGIApp, redis: Any) -> None:
        self.app = app
        self.redis = redis

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await whole_body(receive)
        attempt = await _attempt(scope, replayed(body, receive))
        wait = await self._wait(attempt) if attempt else 0
        if wait:
            await _later(wait)(scope, receive, send)
            return
        statuses: list[int] = []

        async def send_and_see(message: Message) -> None:
            statuses.extend([message["status"]] if "status" in message else [])
            await send(message)

        try:
            await self.app(scope, replayed(body, receive), send_and_see)
        except Exception:
            statuses.append(FAULT)
            raise
        finally:
            if attempt and statuses:
                await self._judged(attempt, statuses[0])

    async def _wait(self, attempt: Attempt) -> int:
        """How long to wait; 0 lets the attempt pass, counted as a failure for now."""
        try:
            known = await self.redis.exists(attempt.known)
            buckets = [attempt.pair, *([] if known else attempt.others)]
            limits = [limit for one in buckets for limit in (one.free, one.longest)]
            keys = [one.key for one in buckets]
            return int(await self.redis.eval(_ATTEMPT, len(keys), *keys, FORGOTTEN_AFTER, *limits))
        except RedisError:
            # Without the counts people still get in: the supervisor brings Redis back
            _LOG.exception("Failures to sign in cannot be counted")
            return 0

    async def _judged(self, attempt: Attempt, status: int) -> None:
        """Take back what was no failure; nobody's password was looked at by a server that failed.

        A success leaves nothing that counts against the account from there.
        """
        try:
            if status == SIGNED_IN:
                known = await self.redis.set(attempt.known, 1, ex=KNOWN_FOR, get=True)
                await self._take_back([] if known else attempt.others)
                await self.redis.delete(attempt.pair.key)
            elif status >= FAULT:
                known = await self.redis.exists(attempt.known)
                await self._take_back([attempt.pair, *([] if known else attempt.others)])
        except RedisError:
            _LOG.exception("Failures to sign in cannot be counted")

    async def _take_back(self, buckets: list[Bucket]) -> None:
        if buckets:
            await self.redis.eval(_TAKE_BACK, len(buckets), *(one.key for one in buckets))


async def _attempt(scope: Scope, receive: Receive) -> Attempt | None:
    """Who tries, from where; None for what is no such form, which Argilla refuses itself."""
    request = Request(scope, receive)
    try:
        username = (await request.form()).get("username")
    except HTTPException:
        return None
    if not isinstance(username, str):
        return None
    return Attempt(username, _address(request.client.host if request.client else ""))


def _address(host: str) -> str:
    """The address; of IPv6 the network, since everybody has plenty there."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else address.exploded[:19]


def _key(kind: str, *parts: str) -> str:
    """No name stands in Redis, and none is as long as somebody likes."""
    digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{_PREFIX}:{kind}:{digest}"


def _later(wait: int) -> JSONResponse:
    seconds = "1 second" if wait == 1 else f"{wait} seconds"
    detail = f"Signing in failed too often; wait {seconds}, then try again."
    return JSONResponse({"detail": detail}, 429, {"Retry-After": str(wait)})
