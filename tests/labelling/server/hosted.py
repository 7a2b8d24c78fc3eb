"""A small published dataset on the running server, made by the REST API as its owner."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
from services_fixture import session

from labelling.services import Services

WAREHOUSES = ("Snowflake", "BigQuery", "Redshift", "DuckDB")


@dataclass(frozen=True)
class Hosted:
    """The dataset's ids, and one signed-in client per account."""

    dataset: str
    workspace: str
    records: dict[str, str]  # external id -> record id
    clients: dict[str, httpx.Client]

    def search(self, username: str, query: dict[str, Any] | None = None, **params: Any) -> Any:
        """What the page asks: the search of one's own records."""
        path = f"/me/datasets/{self.dataset}/records/search"
        answer = self.clients[username].post(path, json=query or {}, params=params)
        return answer.raise_for_status().json()

    def found(self, username: str, query: dict[str, Any] | None = None, **params: Any) -> list[str]:
        """The external ids of a search, in its order."""
        items = self.search(username, query, **params)["items"]
        return [item["record"]["external_id"] for item in items]

    def answer(self, username: str, external_id: str, status: str, **values: str) -> str:
        """Answer questions of a record; the response's id."""
        body = {"values": {name: {"value": one} for name, one in values.items()}, "status": status}
        path = f"/records/{self.records[external_id]}/responses"
        return str(self.clients[username].post(path, json=body).raise_for_status().json()["id"])


def host(services: Services, records: int = 12, members: tuple[str, ...] = ()) -> Hosted:
    """Publish a dataset in a workspace of its own with records `c0`, `c1`, ...

    Record i names warehouse i modulo 4; metadata `turn` = i, `round` r1 or r2, and, hidden
    from annotators, `gate` and `score`; every fifth has a suggestion of the gate; all but every
    third have the vector `meaning` (1, i).
    """
    owner = session(services, "owner")
    clients = {name: session(services, name) for name in members} | {"owner": owner}
    workspace = _post(owner, "/workspaces", {"name": f"w-{uuid4().hex[:8]}"})["id"]
    for name in members:
        me = clients[name].get("/me").json()["id"]
        _post(owner, f"/workspaces/{workspace}/users", {"user_id": me})
    dataset = _dataset(owner, workspace)
    question = owner.get(f"/datasets/{dataset}/questions").json()["items"][0]["id"]
    items = [_record(i, question) for i in range(records)]
    for start in range(0, records, 500):
        batch = {"items": items[start : start + 500]}
        owner.put(f"/datasets/{dataset}/records/bulk", json=batch).raise_for_status()
    ids = _ids(owner, dataset)
    return Hosted(dataset, workspace, ids, clients)


def _dataset(owner: httpx.Client, workspace: str) -> str:
    distribution = {"strategy": "overlap", "min_submitted": 2}
    body = {"name": "candidates-r1", "workspace_id": workspace, "distribution": distribution}
    dataset = str(_post(owner, "/datasets", body)["id"])
    for kind, part in _PARTS:
        _post(owner, f"/datasets/{dataset}/{kind}", part)
    owner.put(f"/datasets/{dataset}/publish").raise_for_status()
    return dataset


def _part(name: str, settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "title": name, "settings": settings, **more}


_PARTS = [
    ("fields", _part("statement", {"type": "text", "use_markdown": False}, required=True)),
    (
        "fields",
        _part("transcript", {"type": "custom", "template": "<i></i>", "advanced_mode": True}),
    ),
    (
        "questions",
        _part(
            "durable",
            {
                "type": "label_selection",
                "options": [{"value": value, "text": value} for value in ("yes", "until", "no")],
            },
            required=True,
        ),
    ),
    ("questions", _part("note", {"type": "text"}, required=False)),
    ("metadata-properties", _part("turn", {"type": "integer"}, visible_for_annotators=True)),
    ("metadata-properties", _part("round", {"type": "terms"}, visible_for_annotators=True)),
    ("metadata-properties", _part("gate", {"type": "terms"}, visible_for_annotators=False)),
    ("metadata-properties", _part("score", {"type": "float"}, visible_for_annotators=False)),
    ("vectors-settings", {"name": "meaning", "title": "meaning", "dimensions": 2}),
]


def _record(i: int, question: str) -> dict[str, Any]:
    warehouse = WAREHOUSES[i % 4]
    suggestion = {
        "question_id": question,
        "value": "yes",
        "agent": "secret-gate",
        "score": 0.735918462,
    }
    return {
        "external_id": f"c{i}",
        "fields": {
            "statement": f"The warehouse is {warehouse} número {i}",
            "transcript": {"turns": [{"role": "user", "text": f"Wir nutzen {warehouse}, groß"}]},
        },
        "metadata": {
            "turn": i,
            "round": f"r{1 + i % 2}",
            "gate": "secret-gate",
            "score": 1234.5 + i,
        },
        "suggestions": [suggestion] if i % 5 == 0 else [],
        "vectors": {"meaning": [1.0, i]} if i % 3 else {},
    }


def _ids(owner: httpx.Client, dataset: str) -> dict[str, str]:
    ids: dict[str, str] = {}
    path = f"/datasets/{dataset}/records"
    while items := owner.get(path, params={"limit": 1000, "offset": len(ids)}).json()["items"]:
        ids |= {item["external_id"]: item["id"] for item in items}
    return ids


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    answer = client.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()
