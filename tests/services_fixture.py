"""The fixture `services`: one running Argilla and JupyterLab for a whole test session.

Under pytest-xdist the workers share it: `up` finds what another worker started, and the last
worker to end stops it. Use: `from services_fixture import services  # noqa: F401`, and mark the
test `server`.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from labelling.server.environment import locked
from labelling.services import Services, down, up

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def services(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Services]:
    """Running services whose data folder is `services.accounts_file.parent.parent`."""
    base = tmp_path_factory.getbasetemp()
    # A worker's folder lies in one that all workers of the session share.
    shared = base.parent if hasattr(request.config, "workerinput") else base
    with _shared(shared / "services") as running:
        yield running


@contextmanager
def _shared(data: Path) -> Iterator[Services]:
    data.mkdir(exist_ok=True)
    with locked(data):
        running = up(ROOT, data, detach=True)
        _count_users(data, 1)
    try:
        yield running
    finally:
        with locked(data):
            if not _count_users(data, -1):
                down(data)


def _count_users(data: Path, change: int) -> int:
    file = data / "users"
    count = (int(file.read_text()) if file.exists() else 0) + change
    file.write_text(str(count))
    return count


def password(services: Services, username: str) -> str:
    """The generated password of an account."""
    return str(json.loads(services.accounts_file.read_text())[username]["password"])


def session(services: Services, username: str) -> httpx.Client:
    """A client of the REST API, signed in as the user as the page does it."""
    client = httpx.Client(base_url=f"{services.argilla_url}/api/v1", timeout=30)
    form = {"username": username, "password": password(services, username)}
    token = client.post("/token", data=form).raise_for_status().json()["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client
