"""A server killed in the middle of its work loses no answer that it acknowledged, and doubles none.

Ten times, on SQLite and on PostgreSQL (and once each with two processes): eight clients
submit a thousand answers, the server gets SIGKILL somewhere in the middle and is started again; the
clients go on with the sessions they had. Half of them send as the page does (an answer that is
new), half by the route for many at once (an answer that may be there). What nobody acknowledged may
be there or not. Each round prints what it counted (`-rP` shows it).
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from alone import Alone, alone
from hosted import Hosted, host
from postgres import postgres

pytestmark = [pytest.mark.server, pytest.mark.long, pytest.mark.timeout(2400)]
ROUNDS = {
    "sqlite": 10,
    "postgresql": 10,
    "sqlite, two processes": 3,
    "postgresql, two processes": 3,
}
CLIENTS = 8
ANSWERS = 1000
GIVE_UP = 120.0  # seconds that a client tries to send one answer
NAMES = tuple(f"a{i}" for i in range(CLIENTS))


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    settings: dict[str, str] = {}
    with ExitStack() as stack:
        if request.param.startswith("postgresql"):
            settings["ARGILLA_DATABASE_URL"] = stack.enter_context(postgres(durable=True))
        if "two" in request.param:
            settings["GATES_ARGILLA_WORKERS"] = "2"
        folder = tmp_path_factory.mktemp("server")
        yield stack.enter_context(alone(folder, settings, annotators=CLIENTS))


@dataclass
class Client:
    """One annotator; `sent` and `acknowledged` are the notes of a record, in order."""

    name: str
    http: httpx.Client
    at_once: bool
    sent: dict[str, list[str]] = field(default_factory=dict)
    acknowledged: dict[str, str] = field(default_factory=dict)

    def answer(self, record: str) -> None:
        """Send an answer again and again, each time another note, until one is acknowledged."""
        deadline = time.monotonic() + GIVE_UP
        while record not in self.acknowledged:
            assert time.monotonic() < deadline, f"{self.name} could not answer"
            note = f"{self.name} {len(self.sent.setdefault(record, []))}"
            self.sent[record].append(note)
            try:
                stored = self._send(record, note)
            except httpx.TransportError:
                time.sleep(0.1)
                continue
            if stored:
                self.acknowledged[record] = note
            elif stored is None:
                return  # an earlier one is there, though nobody said so

    def _send(self, record: str, note: str) -> bool | None:
        """Whether it was acknowledged; None where one is there already."""
        values = {"durable": {"value": "yes"}, "note": {"value": note}}
        body: dict[str, Any] = {"values": values, "status": "submitted"}
        if self.at_once:
            items = {"items": [body | {"record_id": record}]}
            answer = self.http.post("/me/responses/bulk", json=items)
            return answer.is_success and answer.json()["items"][0]["error"] is None
        answer = self.http.post(f"/records/{record}/responses", json=body)
        return None if answer.status_code == 409 else answer.is_success


@pytest.mark.parametrize(
    ("server", "seed"),
    [(name, seed) for name, rounds in ROUNDS.items() for seed in range(rounds)],
    indirect=["server"],
)
def test_a_kill_loses_and_doubles_no_answer(server: Alone, seed: int) -> None:
    hosted = host(server.services, ANSWERS // CLIENTS, NAMES)
    clients = [Client(name, hosted.clients[name], i % 2 == 1) for i, name in enumerate(NAMES)]
    threads = [threading.Thread(target=_answer_all, args=(one, hosted, seed)) for one in clients]
    for thread in threads:
        thread.start()
    middle = random.Random(seed).randrange(ANSWERS // 4, 3 * ANSWERS // 4)
    while sum(len(one.acknowledged) for one in clients) < middle:
        assert any(thread.is_alive() for thread in threads)
        time.sleep(0.002)
    server.kill()
    server.start()
    for thread in threads:
        thread.join()
    assert any(len(notes) > 1 for one in clients for notes in one.sent.values())  # it did hurt
    _check(hosted, clients)


def _answer_all(client: Client, hosted: Hosted, seed: int) -> None:
    records = list(hosted.records.values())
    random.Random(f"{client.name} {seed}").shuffle(records)
    for record in records:
        client.answer(record)


def _check(hosted: Hosted, clients: list[Client]) -> None:
    owner = hosted.clients["owner"]
    ids = {owner.get(f"/users/{_id(one)}").json()["username"]: _id(one) for one in clients}
    stored = list(_stored(hosted))
    held = {(record["id"], one["user_id"]): one for record in stored for one in record["responses"]}
    assert sum(len(record["responses"]) for record in stored) == len(held) == ANSWERS
    for client in clients:
        for record, sent in client.sent.items():
            note = held[record, ids[client.name]]["values"]["note"]["value"]
            last = client.acknowledged.get(record)
            assert note == last if last else note in sent
    assert {record["status"] for record in stored} == {"completed"}
    _check_history(hosted, clients)
    acknowledged = sum(len(client.acknowledged) for client in clients)
    again = sum(len(notes) - 1 for client in clients for notes in client.sent.values())
    print(f"{acknowledged} answers acknowledged, {again} sent again, none lost, none doubled")


def _check_history(hosted: Hosted, clients: list[Client]) -> None:
    """Each answer came into the history once, and each acknowledged note stands in it once."""
    owner, after, changes = hosted.clients["owner"], 0, []
    workspace = owner.get(f"/workspaces/{hosted.workspace}").json()["name"]
    while page := _page(owner, workspace, after):
        changes += page
        after = page[-1]["id"]
    inserts = Counter(one["response_id"] for one in changes if one["action"] == "insert")
    assert set(inserts.values()) == {1}
    assert len(inserts) == ANSWERS
    notes = Counter((one["external_id"], one["new_values"]["note"]["value"]) for one in changes)
    by_id = {record: external for external, record in hosted.records.items()}
    said = [(by_id[record], note) for one in clients for record, note in one.acknowledged.items()]
    assert not [one for one in said if notes[one] != 1]


def _page(owner: httpx.Client, workspace: str, after: int) -> list[dict[str, Any]]:
    params: dict[str, str | int] = {"workspace": workspace, "after": after}
    items: list[dict[str, Any]] = owner.get("/gates/history", params=params).json()["items"]
    return items


def _stored(hosted: Hosted) -> Iterator[dict[str, Any]]:
    path, start = f"/datasets/{hosted.dataset}/records", 0
    params = {"include": "responses", "limit": 1000}
    while (
        items := hosted.clients["owner"]
        .get(path, params=params | {"offset": start})
        .json()["items"]
    ):
        yield from items
        start += len(items)


def _id(client: Client) -> str:
    return str(client.http.get("/me").json()["id"])
