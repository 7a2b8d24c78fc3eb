"""Whatever is asked by whomever, the server does not fail: a sentence says what was refused."""

import json
import os
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest
from alone import Alone, alone
from hosted import Hosted, host
from postgres import postgres
from requests_at_random import TEXTS, Draw, Operation, operations

pytestmark = pytest.mark.server
SEED = int(os.environ.get("GATES_SEED", "4"))

# They would take away what the other requests are about
DELETING = ("/datasets/{dataset_id}", "/workspaces/{workspace_id}", "/users/{user_id}")


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Alone]:
    """A server of its own: what is made here is in nobody's way."""
    with ExitStack() as stack:
        settings = {}
        if request.param == "postgresql":
            settings["ARGILLA_DATABASE_URL"] = stack.enter_context(postgres())
        folder = tmp_path_factory.mktemp("random")
        yield stack.enter_context(alone(folder, settings))


@pytest.fixture
def hosted(server: Alone) -> Hosted:
    hosted = host(server.services, records=6, members=("a0", "a1"))
    hosted.answer("a0", "c0", "submitted", durable="yes")
    return hosted


def known(hosted: Hosted) -> dict[str, list[str]]:
    """Values that exist, by the names the document gives them."""
    owner, dataset = hosted.clients["owner"], hosted.dataset
    record = owner.get(f"/records/{hosted.records['c0']}").json()

    def ids(path: str) -> list[str]:
        return [one["id"] for one in owner.get(path).raise_for_status().json()["items"]]

    return {
        "dataset_id": [dataset],
        "workspace_id": [hosted.workspace],
        "record_id": list(hosted.records.values()),
        "response_id": [one["id"] for one in record["responses"]],
        "field_id": ids(f"/datasets/{dataset}/fields"),
        "question_id": ids(f"/datasets/{dataset}/questions"),
        "metadata_property_id": ids(f"/me/datasets/{dataset}/metadata-properties"),
        "vectors_settings_id": ids(f"/datasets/{dataset}/vectors-settings"),
        "external_id": list(hosted.records),
        "name": ["durable", "note", "turn", "gate", "meaning", "statement"],
        "question": ["durable", "note"],
        "metadata_property": ["turn", "round", "gate", "score"],
        "field": ["statement", "transcript"],
        "include": ["responses", "suggestions", "vectors", "vectors:meaning"],
        "url": ["http://127.0.0.1:9/"],
        "password": ["long-enough"],
    }


def path_of(operation: Operation, there: dict[str, list[str]], chance: random.Random) -> str:
    path = operation.path
    harmless = operation.method == "GET" or path not in DELETING
    for name in re.findall(r"\{(\w+)\}", path):
        values = [
            str(UUID(int=chance.getrandbits(128))),
            *(there.get(name, []) if harmless else []),
        ]
        value = chance.choice(values if chance.random() < 0.95 else TEXTS)
        path = path.replace(f"{{{name}}}", quote(value, safe="", errors="replace"))
    return path


def ask(
    client: httpx.Client, operation: Operation, draw: Draw, chance: random.Random
) -> httpx.Response:
    drawn = {name: draw.value(schema, name) for name, schema in operation.query.items()}
    query = {name: storable(one) for name, one in drawn.items() if one is not None}
    path = path_of(operation, draw.known, chance)
    if operation.body is None:
        return client.request(operation.method, path, params=query)
    body = json.dumps(draw.value(operation.body)).encode()
    kind = {"Content-Type": "application/json"}
    return client.request(operation.method, path, params=query, content=body, headers=kind)


def storable(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize("count", [600, pytest.param(6000, marks=pytest.mark.long)])
def test_no_request_makes_the_server_fail(hosted: Hosted, count: int) -> None:
    chance = random.Random(SEED)
    document = hosted.clients["owner"].get("/openapi.json").json()
    listed = list(operations(document))
    draw = Draw(document, chance, known(hosted))
    statuses: dict[int, int] = {}
    for number in range(count):
        operation = chance.choice(listed)
        who = chance.choice(["owner", "a0"])
        answer = ask(hosted.clients[who], operation, draw, chance)
        assert answer.status_code < 500, f"{number}: {who} {answer.request} {answer.text}"
        statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
    assert statuses[200] > count / 10, statuses
    assert statuses[422] > count / 20, statuses


def test_a_number_too_large_for_its_column_is_said_so(hosted: Hosted) -> None:
    """SQLite's columns take it; PostgreSQL's do not."""
    path = f"/datasets/{hosted.dataset}/vectors-settings"
    body = {"name": "large", "title": "large", "dimensions": 2**40}
    answer = hosted.clients["owner"].post(path, json=body)
    refused = (422, "A value does not fit into the database")
    assert answer.is_success or (answer.status_code, answer.json()["detail"][:38]) == refused
