"""From SQLite to PostgreSQL: nothing is lost, and people go on where they were."""

import os
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from alone import ROOT, alone
from hosted import Hosted, host
from postgres import new_database, postgres

from labelling.server import environment

pytestmark = [pytest.mark.server, pytest.mark.long]
A, B = "a0", "a1"


def move(state: Path, url: str) -> "subprocess.CompletedProcess[str]":
    python = str(environment.ensure(ROOT))
    command = [python, "-m", "labelling.server.launch", "move", "--state", str(state)]
    settings = {**os.environ, "ARGILLA_DATABASE_URL": url}
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
    with postgres() as url:
        with alone(tmp_path) as server:
            hosted = host(server.services, 12, (A, B))
            for name, answer in ((A, "yes"), (B, "no")):
                for record in ("c1", "c2"):
                    hosted.answer(name, record, "submitted", durable=answer, note="groß 🙂")
            owner = hosted.clients["owner"]
            owner.patch(f"/datasets/{hosted.dataset}", json={"guidelines": "Read."})
            before = seen(server.services.argilla_url, hosted)
        moved = move(tmp_path, url)
        assert moved.returncode == 0, moved.stderr
        assert "records 12, " in moved.stdout
        with alone(tmp_path, {"ARGILLA_DATABASE_URL": url}) as server:
            assert seen(server.services.argilla_url, hosted) == before
            hosted.clients[A].base_url = f"{server.services.argilla_url}/api/v1"
            hosted.answer(A, "c3", "submitted", durable="yes")
        again = move(tmp_path, url)
        assert again.returncode == 1
        assert again.stderr.splitlines()[-1].endswith("accounts already; name an empty one.")


def test_what_cannot_be_moved_is_said(tmp_path: Path) -> None:
    with postgres() as url:
        nothing = move(tmp_path, new_database(url, "other"))
        assert "There is no" in nothing.stderr
    nowhere = move(tmp_path, "")
    assert "names no PostgreSQL database" in nowhere.stderr
