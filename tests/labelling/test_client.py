import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from round_study import candidate, turn
from services_fixture import services  # noqa: F401

from labelling import client
from labelling.answers import labelled
from labelling.client import Argilla
from labelling.services import Services
from labelling.tables import InputError
from labelling.tasks import candidates_task, record


@pytest.fixture
def argilla(
    services: Services,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Argilla]:
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    with client.connect() as connected:
        yield connected


@pytest.fixture
def workspace(argilla: Argilla) -> str:
    annotators = client.users(argilla, role="annotator")
    return client.ensure_workspace(argilla, f"w{uuid4().hex[:8]}", annotators)


def records(n: int) -> list[client.Record]:
    texts = [f"We use tool number {i}." for i in range(n)]
    turns = [turn(2 * i, text) for i, text in enumerate(texts)]
    return [record(candidate(2 * i, text), turns) for i, text in enumerate(texts)]


@pytest.mark.server
def test_a_workspace_is_made_once_and_has_every_annotator(argilla: Argilla, workspace: str) -> None:
    name = next(w["name"] for w in argilla.items("me/workspaces") if w["id"] == workspace)
    annotators = client.users(argilla, role="annotator")
    assert client.ensure_workspace(argilla, name, annotators) == workspace
    members = {user["username"] for user in argilla.items(f"workspaces/{workspace}/users")}
    assert members == set(annotators.values())
    assert members >= {"annotator_a", "annotator_b"}


@pytest.mark.server
def test_a_half_made_server_dataset_is_made_whole(argilla: Argilla, workspace: str) -> None:
    half = argilla.call("POST", "datasets", json={"name": "r1", "workspace_id": workspace})
    whole = client.ensure_server_dataset(argilla, workspace, "r1", candidates_task())
    assert whole != half["id"]
    assert client.ensure_server_dataset(argilla, workspace, "r1", candidates_task()) == whole
    found = client.server_datasets(argilla, workspace)["r1"]
    assert (found["status"], found["distribution"]["min_submitted"]) == ("ready", 2)
    assert found["guidelines"] == candidates_task().guidelines.text
    assert argilla.items(f"datasets/{whole}/questions")[-1]["name"] == "note"


@pytest.mark.server
def test_an_older_page_in_a_published_dataset_is_brought_up_to_date(
    argilla: Argilla, workspace: str
) -> None:
    dataset_id = client.ensure_server_dataset(argilla, workspace, "r1", candidates_task())
    field = argilla.items(f"datasets/{dataset_id}/fields")[-1]
    old = {"type": "custom", "template": "old", "advanced_mode": True}
    argilla.call("PATCH", f"fields/{field['id']}", json={"settings": old})
    client.ensure_server_dataset(argilla, workspace, "r1", candidates_task())
    settings = argilla.items(f"datasets/{dataset_id}/fields")[-1]["settings"]
    assert settings["template"] == candidates_task().fields[-1].template


@pytest.mark.server
def test_records_sent_twice_are_there_once_and_every_page_is_read(
    argilla: Argilla, workspace: str
) -> None:
    dataset_id = client.ensure_server_dataset(argilla, workspace, "r1", candidates_task())
    sent = records(2 * client.BATCH + 1)
    client.upsert_records(argilla, dataset_id, sent[:60])
    client.upsert_records(argilla, dataset_id, sent)
    found = labelled(argilla, client.server_datasets(argilla, workspace)["r1"])
    assert found.candidate_ids == {one.external_id for one in sent}
    assert argilla.call("GET", f"datasets/{dataset_id}/progress")["total"] == len(sent)


@pytest.mark.server
def test_an_api_key_opens_another_server(
    argilla: Argilla, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = argilla.call("GET", "me")["api_key"]
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    monkeypatch.setenv("GATES_ARGILLA_URL", argilla.url)
    monkeypatch.setenv("GATES_ARGILLA_API_KEY", key)
    with client.connect() as other:
        assert "annotator_a" in client.users(other).values()
    monkeypatch.setenv("GATES_ARGILLA_API_KEY", "wrong")
    with pytest.raises(InputError, match="refused GET me"):
        client.connect()


class _Away(BaseHTTPRequestHandler):
    """A server whose database is away, as ours says it."""

    def do_GET(self) -> None:
        body = json.dumps({"detail": "The database does not answer; send it again."}).encode()
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_server_without_its_database_says_so_and_shows_no_json() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Away) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        with Argilla(url, {}, ours=True) as there, pytest.raises(InputError) as failure:
            there.call("GET", "me")
        server.shutdown()
    assert failure.value.found == f"Argilla at {url} answers: The database does not answer"
    assert failure.value.then.startswith("see what `gates doctor` says")


def test_a_server_that_is_down_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GATES_ARGILLA_URL", raising=False)
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"does not run for .*; start it with `gates up --detach`"):
        client.connect()
    home = tmp_path / ".services"
    home.mkdir()
    account = {"owner": {"password": "12345678", "role": "owner"}}
    (home / "accounts.json").write_text(json.dumps(account))
    (home / "services.json").write_text(json.dumps({"argilla_url": "http://127.0.0.1:9"}))
    with pytest.raises(InputError, match=r"does not answer at http://127\.0\.0\.1:9; start it"):
        client.connect()
