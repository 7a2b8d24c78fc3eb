"""Fixtures: the servers the search engine is asked on, and Argilla's own engine beside it.

`searched` is ours, once on SQLite (the shared services) and once on PostgreSQL; `opensearched` is
Argilla with its OpenSearch engine over the in-memory stand-in.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from alone import alone, opensearch
from postgres import postgres

from labelling.services import Services

DATABASES = ("sqlite", "postgresql")


@pytest.fixture(scope="module", params=DATABASES)
def searched(request: pytest.FixtureRequest) -> Iterator[Services]:
    """A running server with our engine, on either database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("services")
        return
    with (
        postgres() as url,
        tempfile.TemporaryDirectory() as folder,
        alone(Path(folder), {"ARGILLA_DATABASE_URL": url}, annotators=0) as server,
    ):
        yield server.services


@pytest.fixture(scope="session")
def opensearched() -> Iterator[Services]:
    """A running server with Argilla's OpenSearch engine."""
    with (
        opensearch() as settings,
        tempfile.TemporaryDirectory() as folder,
        alone(Path(folder), settings, annotators=0, launcher="opensearch_standin") as server,
    ):
        yield server.services
