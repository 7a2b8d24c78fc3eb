"""Which back ends Argilla is to use, as the environment says. Standard library only.

| variable | says | default |
| --- | --- | --- |
| ARGILLA_DATABASE_URL | postgresql+asyncpg://USER:PASSWORD@HOST:PORT/NAME | SQLite in our folder |
| ARGILLA_REDIS_URL | redis://:PASSWORD@HOST:PORT/NUMBER, of Redis or Valkey | our own Valkey |
| ARGILLA_SEARCH_ENGINE | database, opensearch or elasticsearch | database |
| ARGILLA_ELASTICSEARCH | http://HOST:PORT of OpenSearch or Elasticsearch | |
| GATES_ARGILLA_WORKERS | how many processes answer the page | 1 |
| GATES_ARGILLA_PORT | the port of the page, or none | 6900 or the next free |
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from labelling.server.processes import ServiceFailure

DATABASES = ("postgresql+asyncpg", "postgresql", "sqlite+aiosqlite", "sqlite")
QUEUES = ("redis", "rediss", "unix")
ENGINES = ("database", "opensearch", "elasticsearch")
MAX_WORKERS = 64


@dataclass(frozen=True)
class Backends:
    """What was asked for; None is our own."""

    database: str | None
    redis: str | None
    engine: str
    search: str | None
    workers: int
    port: int | None

    @property
    def is_postgresql(self) -> bool:
        """Whether Argilla's data is in PostgreSQL, else it is in SQLite."""
        return (self.database or "").startswith("postgresql")

    def servers(self) -> list[tuple[str, str, int]]:
        """Of each that somebody else runs: the variable, its URL, and the usual port."""
        asked = [
            ("ARGILLA_DATABASE_URL", self.database, 5432),
            ("ARGILLA_REDIS_URL", self.redis, 6379),
            ("ARGILLA_ELASTICSEARCH", self.search, 9200),
        ]
        return [(variable, url, port) for variable, url, port in asked if url]


def asked_for(environment: Mapping[str, str] = os.environ) -> Backends:
    """What the environment asks for. Raises ServiceFailure, in a sentence, for what cannot be."""
    get = environment.get
    engine = get("ARGILLA_SEARCH_ENGINE") or "database"
    if engine not in ENGINES:
        raise ServiceFailure(
            f"ARGILLA_SEARCH_ENGINE is {engine!r}; expected one of {', '.join(ENGINES)}."
        )
    return Backends(
        database=_database(get("ARGILLA_DATABASE_URL")),
        redis=_url("ARGILLA_REDIS_URL", get("ARGILLA_REDIS_URL"), QUEUES),
        engine=engine,
        search=_search(engine, get("ARGILLA_ELASTICSEARCH")),
        workers=_number("GATES_ARGILLA_WORKERS", get("GATES_ARGILLA_WORKERS"), MAX_WORKERS) or 1,
        port=_number("GATES_ARGILLA_PORT", get("GATES_ARGILLA_PORT"), 65535),
    )


def shown(url: str) -> str:
    """The URL without its password.

    >>> shown("redis://:secret@127.0.0.1:6379/0")
    'redis://127.0.0.1:6379/0'
    """
    before, at, after = url.rpartition("@")
    scheme, slashes, person = before.partition("://")
    if not at:
        return url
    user = person.partition(":")[0]
    return f"{scheme}{slashes}{user}{'@' if user else ''}{after}"


def _database(url: str | None) -> str | None:
    parts = _parts("ARGILLA_DATABASE_URL", url, DATABASES)
    if parts and parts.scheme.startswith("postgresql") and not parts.path.strip("/"):
        raise _wrong("ARGILLA_DATABASE_URL", url, "the name of a database at its end, as /argilla")
    return url or None


def _search(engine: str, url: str | None) -> str | None:
    if engine == "database":
        return None
    return _url("ARGILLA_ELASTICSEARCH", url or "http://127.0.0.1:9200", ("http", "https"))


def _url(name: str, url: str | None, schemes: tuple[str, ...]) -> str | None:
    _parts(name, url, schemes)
    return url or None


def _parts(name: str, url: str | None, schemes: tuple[str, ...]) -> SplitResult | None:
    if not url:
        return None
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        raise _wrong(name, url, f"a URL ({error})") from error
    if parts.scheme not in schemes:
        raise _wrong(name, url, f"a URL that begins with {schemes[0]}://")
    if not parts.hostname and not parts.scheme.startswith(("sqlite", "unix")):
        raise _wrong(name, url, "a host after ://")
    return parts


def _number(name: str, text: str | None, most: int) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ServiceFailure(f"{name} is {text!r}; expected a whole number from 1 to {most}.")
    return int(text)


def _wrong(name: str, url: str | None, expected: str) -> ServiceFailure:
    return ServiceFailure(f"{name} is {shown(url or '')!r}; expected {expected}.")
