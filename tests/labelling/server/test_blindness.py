"""No route tells an annotator another's answers, names, gates, scores or another workspace.

Every route of the server's own OpenAPI document is either closed to annotators, asks for no
account, or stands in `OPEN` with a call that is made as an annotator: a route that nobody has
decided about makes `test_every_route_is_decided` fail.
"""

import json
from typing import Any

import pytest
from hosted import Hosted, host

from labelling.services import Services

pytestmark = pytest.mark.server
A, B = "annotator_a", "annotator_b"
Route = tuple[str, str]

PUBLIC: set[Route] = {
    ("GET", "/version"),
    ("GET", "/status"),
    ("GET", "/settings"),
    ("POST", "/token"),
    ("GET", "/oauth2/providers"),
    ("GET", "/oauth2/providers/{provider}/authentication"),
    ("GET", "/oauth2/providers/{provider}/access-token"),
}
ANSWER = {"values": {"durable": {"value": "yes"}}, "status": "submitted"}
SEARCH: dict[str, Any] = {"query": {"text": {"q": "warehouse"}}}
INCLUDE = "?include=responses&include=suggestions"
# Route -> the address asked (ids filled in) and the body sent.
OPEN: dict[Route, tuple[str, Any]] = {
    ("GET", "/me"): ("/me", None),
    ("GET", "/me/workspaces"): ("/me/workspaces", None),
    ("GET", "/me/datasets"): ("/me/datasets", None),
    ("GET", "/me/datasets/{dataset_id}/metadata-properties"): (
        "/me/datasets/{dataset_id}/metadata-properties",
        None,
    ),
    ("GET", "/me/datasets/{dataset_id}/metrics"): ("/me/datasets/{dataset_id}/metrics", None),
    ("POST", "/me/datasets/{dataset_id}/records/search"): (
        "/me/datasets/{dataset_id}/records/search" + INCLUDE,
        SEARCH,
    ),
    ("POST", "/me/responses/bulk"): (
        "/me/responses/bulk",
        {"items": [ANSWER | {"record_id": "{fresh_record_id}"}]},
    ),
    ("GET", "/workspaces/{workspace_id}"): ("/workspaces/{workspace_id}", None),
    ("GET", "/datasets/{dataset_id}"): ("/datasets/{dataset_id}", None),
    ("GET", "/datasets/{dataset_id}/fields"): ("/datasets/{dataset_id}/fields", None),
    ("GET", "/datasets/{dataset_id}/questions"): ("/datasets/{dataset_id}/questions", None),
    ("GET", "/datasets/{dataset_id}/vectors-settings"): (
        "/datasets/{dataset_id}/vectors-settings",
        None,
    ),
    ("GET", "/datasets/{dataset_id}/progress"): ("/datasets/{dataset_id}/progress", None),
    ("GET", "/datasets/{dataset_id}/records/search/suggestions/options"): (
        "/datasets/{dataset_id}/records/search/suggestions/options",
        None,
    ),
    ("GET", "/metadata-properties/{metadata_property_id}/metrics"): (
        "/metadata-properties/{metadata_property_id}/metrics",
        None,
    ),
    ("GET", "/records/{record_id}"): ("/records/{record_id}", None),
    ("GET", "/records/{record_id}/suggestions"): ("/records/{record_id}/suggestions", None),
    ("POST", "/records/{record_id}/responses"): ("/records/{b_only_record_id}/responses", ANSWER),
    ("PUT", "/responses/{response_id}"): ("/responses/{response_id}", ANSWER),
    ("DELETE", "/responses/{response_id}"): ("/responses/{response_id}", None),
}
SECRETS = (
    "annotator_b",
    "b's secret note",
    "secret-gate",
    "0.001",
    "0.735918462",
    '"score": 0',
    "other-ws",
)


@pytest.fixture(scope="module")
def other(services: Services) -> Hosted:
    """A dataset in a workspace that annotator_a is no member of."""
    return host(services, records=1, members=(B,))


@pytest.fixture(scope="module")
def hosted(services: Services) -> Hosted:
    """Both annotators answered c0; b also answered c5, with a note that only b wrote."""
    hosted = host(services, members=(A, B))
    hosted.answer(B, "c0", "submitted", durable="no", note="b's secret note")
    hosted.answer(B, "c5", "draft", durable="no", note="b's secret note")
    return hosted


@pytest.fixture
def ids(hosted: Hosted) -> dict[str, str]:
    """What the paths of `OPEN` ask for; c0 has an answer of each annotator, made anew."""
    a = hosted.clients[A]
    for one in a.get(f"/records/{hosted.records['c0']}").json()["responses"]:
        a.delete(f"/responses/{one['id']}").raise_for_status()
    listed = a.get(f"/me/datasets/{hosted.dataset}/metadata-properties").json()["items"]
    return {
        "dataset_id": hosted.dataset,
        "workspace_id": hosted.workspace,
        "record_id": hosted.records["c0"],
        "b_only_record_id": hosted.records["c5"],
        "fresh_record_id": hosted.records["c10"],
        "metadata_property_id": listed[0]["id"],
        "response_id": hosted.answer(A, "c0", "submitted", durable="yes"),
    }


def routes(hosted: Hosted) -> set[Route]:
    paths = hosted.clients[A].get("/openapi.json").json()["paths"]
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def fill(template: str, ids: dict[str, str]) -> str:
    for name, one in ids.items():
        template = template.replace(f"{{{name}}}", one)
    return template


def ask(hosted: Hosted, route: Route, ids: dict[str, str], username: str = A) -> Any:
    path, body = OPEN[route]
    content = None if body is None else json.loads(fill(json.dumps(body), ids))
    return hosted.clients[username].request(route[0], fill(path, ids), json=content)


def test_every_route_is_decided(hosted: Hosted) -> None:
    """Routes that are neither open nor public are refused: see the next test."""
    assert PUBLIC | set(OPEN) <= routes(hosted)
    assert len(routes(hosted)) == 73, "Argilla has another number of routes: look at the new ones"


def test_every_other_route_is_closed(hosted: Hosted, ids: dict[str, str]) -> None:
    a, anything = hosted.clients[A], {"user_id": ids["record_id"]} | ids
    for method, path in sorted(routes(hosted) - PUBLIC - set(OPEN)):
        url = fill(path, anything)
        for name in ("field_id", "question_id", "suggestion_id", "webhook_id", "job_id"):
            url = url.replace(f"{{{name}}}", ids["record_id"])
        answer = a.request(method, url.replace("{vectors_settings_id}", ids["record_id"]), json={})
        assert answer.status_code == 403, f"{method} {path}: {answer.status_code} {answer.text}"
        assert not any(secret in answer.text for secret in SECRETS)


@pytest.mark.parametrize("route", OPEN, ids=" ".join)
def test_an_open_route_tells_nothing_of_others(
    hosted: Hosted, other: Hosted, ids: dict[str, str], route: Route
) -> None:
    answer = ask(hosted, route, ids)
    assert answer.is_success, answer.text
    told = answer.text
    b = hosted.clients[B].get("/me").json()["id"]
    hidden = (*SECRETS, b, other.workspace, other.dataset)
    assert not [secret for secret in hidden if secret in told]


@pytest.mark.parametrize("route", [route for route in OPEN if "_id}" in route[1]], ids=" ".join)
def test_another_workspace_is_closed(
    hosted: Hosted, other: Hosted, ids: dict[str, str], route: Route
) -> None:
    owner = other.clients["owner"]
    listed = owner.get(f"/me/datasets/{other.dataset}/metadata-properties").json()["items"]
    theirs = ids | {
        "dataset_id": other.dataset,
        "workspace_id": other.workspace,
        "record_id": other.records["c0"],
        "b_only_record_id": other.records["c0"],
        "metadata_property_id": listed[0]["id"],
        "response_id": _answer_of_b(other),
    }
    assert ask(hosted, route, theirs).status_code in (403, 404)


def _answer_of_b(other: Hosted) -> str:
    record = other.clients["owner"].get(f"/records/{other.records['c0']}").json()
    if record["responses"]:
        return str(record["responses"][0]["id"])
    return other.answer(B, "c0", "submitted", durable="no")


def test_a_record_keeps_what_is_ones_own(hosted: Hosted, ids: dict[str, str]) -> None:
    record = hosted.clients[A].get(f"/records/{ids['record_id']}").json()
    assert [one["id"] for one in record["responses"]] == [ids["response_id"]]
    assert record["metadata"] == {"turn": 0, "round": "r1"}
    assert record["suggestions"][0] | {"agent": None, "score": None} == record["suggestions"][0]
    assert record["fields"]["statement"] == "The warehouse is Snowflake número 0"


def test_the_owner_sees_everything(hosted: Hosted, ids: dict[str, str]) -> None:
    record = hosted.clients["owner"].get(f"/records/{ids['record_id']}").json()
    assert len(record["responses"]) == 2
    assert record["metadata"]["gate"] == record["suggestions"][0]["agent"] == "secret-gate"


@pytest.mark.parametrize(
    "scope",
    [
        {"entity": "metadata", "metadata_property": "gate"},
        {"entity": "suggestion", "question": "durable", "property": "agent"},
        {"entity": "suggestion", "question": "durable", "property": "score"},
    ],
)
@pytest.mark.parametrize("part", ["filter", "sort"])
def test_nobody_finds_out_by_searching(hosted: Hosted, scope: dict[str, str], part: str) -> None:
    condition = {"type": "terms", "scope": scope, "values": ["secret-gate"]}
    queries = {
        "filter": {"filters": {"and": [condition]}},
        "sort": {"sort": [{"scope": scope, "order": "asc"}]},
    }
    path = f"/me/datasets/{hosted.dataset}/records/search"
    assert hosted.clients[A].post(path, json=queries[part]).status_code == 403
    assert hosted.clients["owner"].post(path, json=queries[part]).is_success


def test_anothers_answer_is_no_filter(hosted: Hosted) -> None:
    condition = {"type": "terms", "scope": {"entity": "response", "question": "note"}}
    query = {"filters": {"and": [condition | {"values": ["b's secret note"]}]}}
    assert hosted.found(A, query) == []
    assert len(hosted.found(B, query)) == 2


def test_nobody_reaches_the_api_without_an_account(services: Services, hosted: Hosted) -> None:
    a = hosted.clients[A]
    answer = a.get(f"/datasets/{hosted.dataset}", headers={"Authorization": "Bearer forged"})
    assert answer.status_code == 401
