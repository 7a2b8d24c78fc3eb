"""From SQLite to PostgreSQL: nothing is lost, and people go on where they were."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from alone import ROOT, alone
from hosted import Hosted, host
from postgres import postgres

from labelling.server import whereabouts

pytestmark = [pytest.mark.server, pytest.mark.long]
A, B = "a0", "a1"


def move(data: Path, url: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "analysis.cli", "move"]
    settings = {**os.environ, "ARGILLA_DATABASE_URL": url, "GATES_DATA": str(data)}
    return subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )


def seen(url: str, hosted: Hosted) -> list[Any]:
    """What people see, with the sessions they have."""
    clients = {
        name: httpx.Client(base_url=f"{url}/api/v1", headers=dict(one.headers), timeout=60)
        for name, one in hosted.clients.items()
    }
    workspace = clients["owner"].get(f"/workspaces/{hosted.workspace}").json()["name"]
    records = f"/datasets/{hosted.dataset}/records"
    answers = [
        clients["owner"].get(records, params={"include": "responses,suggestions"}),
        clients["owner"].get("/gates/history", params={"workspace": workspace}),
        clients["owner"].get("/users"),
        clients[A].post(f"/me{records}/search", json={"query": {"text": {"q": "snowflake"}}}),
        clients[B].get(f"/me/datasets/{hosted.dataset}/metrics"),
    ]
    found = [one.raise_for_status().json() for one in answers]
    found[0]["items"].sort(key=lambda one: one["external_id"])
    for one in found[0]["items"]:
        one["responses"].sort(key=lambda response: response["id"])
    found[2]["items"].sort(key=lambda one: one["username"])
    found[3]["items"].sort(key=lambda one: one["record"]["external_id"])
    return found


def test_all_is_there_afterwards(tmp_path: Path) -> None:
    state = tmp_path / ".services"
    with postgres() as url:
        with alone(state) as server:
            hosted = host(server.services, 12, (A, B))
            for name, answer in ((A, "yes"), (B, "no")):
                for record in ("c1", "c2"):
                    hosted.answer(name, record, "submitted", durable=answer, note="groß 🙂")
            owner = hosted.clients["owner"]
            owner.patch(f"/datasets/{hosted.dataset}", json={"guidelines": "Read."})
            before = seen(server.services.argilla_url, hosted)
        moved = move(tmp_path, url)
        assert moved.returncode == 0, moved.stderr
        assert moved.stderr == ""
        assert "wrote  records (12 rows)" in moved.stdout
        assert "wrote  gates_history (4 rows)" in moved.stdout
        assert f"then `rm {state / 'argilla' / 'argilla.db'}" in moved.stdout
        assert whereabouts.postgresql_of(state) == url
        with alone(state, {"ARGILLA_DATABASE_URL": url}) as server:
            assert seen(server.services.argilla_url, hosted) == before
            hosted.clients[A].base_url = f"{server.services.argilla_url}/api/v1"
            hosted.answer(A, "c3", "submitted", durable="yes")
        again = move(tmp_path, url)
        assert again.returncode == 1
        (line,) = again.stderr.splitlines()
        assert line.endswith("accounts already; name an empty one.")
