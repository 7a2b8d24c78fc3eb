"""What the environment asks for: taken over, or refused in a sentence without a password."""

import pytest

from labelling.server.backends import asked_for, shown
from labelling.server.processes import ServiceFailure

POSTGRES = "postgresql+asyncpg://gates:secret@db:5432/argilla"


def test_nothing_asked_for_is_our_own() -> None:
    ours = asked_for({})
    assert (ours.database, ours.redis, ours.search, ours.port) == (None,) * 4
    assert (ours.engine, ours.workers, ours.is_postgresql) == ("database", 1, False)
    assert asked_for({"ARGILLA_DATABASE_URL": "", "GATES_ARGILLA_WORKERS": ""}) == ours


def test_all_of_it_is_taken_over() -> None:
    asked = asked_for(
        {
            "ARGILLA_DATABASE_URL": POSTGRES,
            "ARGILLA_REDIS_URL": "rediss://:secret@queue:6379/0",
            "ARGILLA_SEARCH_ENGINE": "opensearch",
            "ARGILLA_ELASTICSEARCH": "https://search:9200",
            "GATES_ARGILLA_WORKERS": "4",
            "GATES_ARGILLA_PORT": "7000",
        }
    )
    assert asked.is_postgresql
    assert (asked.redis, asked.search) == ("rediss://:secret@queue:6379/0", "https://search:9200")
    assert (asked.workers, asked.port) == (4, 7000)


def test_a_search_engine_of_its_own_is_sought_here() -> None:
    asked = asked_for({"ARGILLA_SEARCH_ENGINE": "elasticsearch"})
    assert asked.search == "http://127.0.0.1:9200"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (
            "ARGILLA_DATABASE_URL",
            "postgres://u:secret@db/argilla",
            "a URL that begins with postgresql+asyn",
        ),
        (
            "ARGILLA_DATABASE_URL",
            "mysql://u:secret@db/argilla",
            "a URL that begins with postgresql+asyncpg",
        ),
        ("ARGILLA_DATABASE_URL", "postgresql+asyncpg://u:secret@db:five/argilla", "a URL"),
        ("ARGILLA_DATABASE_URL", "postgresql+asyncpg:///argilla", "a host after ://"),
        ("ARGILLA_DATABASE_URL", "postgresql+asyncpg://u:secret@db", "the name of a database"),
        ("ARGILLA_REDIS_URL", "http://:secret@queue", "a URL that begins with redis://"),
        ("ARGILLA_REDIS_URL", "redis://:secret@:6379", "a host after ://"),
        ("GATES_ARGILLA_WORKERS", "0", "a whole number from 1 to 64"),
        ("GATES_ARGILLA_WORKERS", "many", "a whole number from 1 to 64"),
        ("GATES_ARGILLA_PORT", "70000", "a whole number from 1 to 65535"),
        ("ARGILLA_SEARCH_ENGINE", "lucene", "one of database, opensearch, elasticsearch"),
    ],
)
def test_what_cannot_be_is_said(name: str, value: str, expected: str) -> None:
    with pytest.raises(ServiceFailure, match=f"^{name} is ") as refused:
        asked_for({name: value})
    assert f"expected {expected}" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_wrong_address_of_a_search_engine_is_said() -> None:
    with pytest.raises(ServiceFailure, match="ARGILLA_ELASTICSEARCH is 'search:9200'"):
        asked_for({"ARGILLA_SEARCH_ENGINE": "opensearch", "ARGILLA_ELASTICSEARCH": "search:9200"})


def test_no_password_is_shown() -> None:
    assert shown(POSTGRES) == "postgresql+asyncpg://gates@db:5432/argilla"
    assert shown("sqlite:////here/argilla.db") == "sqlite:////here/argilla.db"
