"""The launcher on back ends of others: PostgreSQL, another Valkey, two processes."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from alone import ROOT, Alone, alone
from hosted import host
from postgres import postgres, stopped
from services_fixture import session

from labelling.server import environment, health, ports
from labelling.server.plan import valkey_binary
from labelling.server.processes import LOCAL, REFUSED, command_of

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("launch")]
A = "a0"
AWAY = (
    "The server's {} does not answer, so this may not be stored; send it again in a minute, and if "
    "that does not help, tell whoever runs the server (`gates doctor` there says more)."
)


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    """Somebody's Valkey, with a password."""
    port = ports.free_port(26_390, LOCAL)
    options = ["--port", str(port), "--bind", LOCAL, "--requirepass", "theirs", "--save", ""]
    binary = str(valkey_binary(environment.ensure(ROOT)))
    running = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL)
    yield f"redis://:theirs@{LOCAL}:{port}/0"
    running.terminate()
    running.wait(10)


@pytest.fixture(scope="module")
def server(valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    with postgres() as url:
        settings = {
            "ARGILLA_DATABASE_URL": url,
            "ARGILLA_REDIS_URL": valkey,
            "GATES_ARGILLA_WORKERS": "2",
        }
        with alone(tmp_path_factory.mktemp("state"), settings) as server:
            yield server


def workers(server: Alone) -> list[int]:
    """The processes that answer."""
    master = server.running["argilla"].pid
    found = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return [int(pid) for pid in found if "spawn_main" in command_of(int(pid))]


def test_what_others_run_is_not_run_here(server: Alone) -> None:
    assert set(server.running) == {"argilla", "worker"}
    assert not list((server.services.accounts_file.parent / "argilla").glob("*.db"))


def test_two_processes_agree(server: Alone) -> None:
    """On sessions and on answers; each request may come to either."""
    assert len(workers(server)) == 2
    hosted = host(server.services, 6, (A, "a1"))
    hosted.answer(A, "c1", "submitted", durable="yes")
    headers = dict(hosted.clients[A].headers)
    submitted = {"type": "terms", "scope": {"entity": "response", "property": "status"}}
    query = {"filters": {"and": [submitted | {"values": ["submitted"]}]}}
    path = f"{server.services.argilla_url}/api/v1/me/datasets/{hosted.dataset}/records/search"
    for _ in range(8):  # a connection of its own each time
        items = httpx.post(path, headers=headers, json=query).raise_for_status().json()["items"]
        assert [item["record"]["external_id"] for item in items] == ["c1"]


def test_background_jobs_are_done(server: Alone) -> None:
    """A changed distribution makes a job, which the worker takes from their Valkey."""
    hosted = host(server.services, 2, (A,))
    hosted.answer(A, "c0", "submitted", durable="yes")
    once = {"distribution": {"strategy": "overlap", "min_submitted": 1}}
    hosted.clients["owner"].patch(f"/datasets/{hosted.dataset}", json=once).raise_for_status()
    deadline = time.monotonic() + 60
    path = f"/records/{hosted.records['c0']}"
    while hosted.clients["owner"].get(path).json()["status"] != "completed":
        assert time.monotonic() < deadline
        time.sleep(0.3)


def test_while_the_database_is_away_each_request_says_so_and_afterwards_the_first_one_works(
    server: Alone,
) -> None:
    """Of each process, whatever connections it had; a new connection may come to either."""
    hosted = host(server.services, 2, (A,))
    headers = dict(hosted.clients[A].headers)
    api = f"{server.services.argilla_url}/api/v1"

    def ask() -> list[httpx.Response]:
        answer = {"record_id": hosted.records["c0"], "status": "draft", "values": {}}
        many = {"items": [answer]}
        form = {"username": A, "password": f"{A}-password"}
        return [
            httpx.get(f"{api}/me", headers=headers),
            httpx.post(f"{api}/me/responses/bulk", headers=headers, json=many),
            httpx.post(f"{api}/token", data=form),
        ]

    warm = [answer.status_code for _ in range(4) for answer in ask()]
    with stopped(server.environment["ARGILLA_DATABASE_URL"]):
        away = [answer for _ in range(4) for answer in ask()]
        said = health.troubles(ROOT, server.services.accounts_file.parent)
    after = [answer.status_code for _ in range(4) for answer in ask()]
    assert {answer.status_code for answer in away} == {503}
    assert {answer.json()["detail"] for answer in away} == {AWAY.format("database")}
    assert "see that its server runs" in {one.what: one.sentence for one in said}["database"]
    assert after == warm == [200, 200, 201] * 4


def test_all_of_it_killed_is_started_again_and_sessions_go_on(server: Alone) -> None:
    me = session(server.services, A)
    orphans = workers(server)
    server.kill()
    deadline = time.monotonic() + 10
    while any(command_of(pid) for pid in orphans):  # else they would keep the port
        assert time.monotonic() < deadline
        time.sleep(0.05)
    server.start()
    assert me.get("/me").raise_for_status().json()["username"] == A


def test_one_process_killed_is_replaced(server: Alone) -> None:
    killed, other = workers(server)
    os.kill(killed, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while len(found := workers(server)) != 2 or killed in found:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert other in found
    assert session(server.services, A).get("/me").is_success


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ARGILLA_DATABASE_URL", "postgresql+asyncpg://u:secret@127.0.0.1:9/x", "cannot be used"),
        ("ARGILLA_SEARCH_ENGINE", "lucene", "expected one of database"),
    ],
)
def test_what_it_cannot_use_it_says_last(
    valkey: str, tmp_path: Path, name: str, value: str, said: str
) -> None:
    python = str(environment.ensure(ROOT))
    command = [python, "-m", "labelling.server.launch", "serve", "--state", str(tmp_path)]
    settings = {**os.environ, "ARGILLA_REDIS_URL": valkey, name: value}
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == REFUSED
    last = done.stderr.splitlines()[-1]
    assert said in last
    assert "secret" not in last
