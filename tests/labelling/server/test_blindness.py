"""No route tells an annotator another's answers, names, gates, scores or another workspace.

Every route of the server's own OpenAPI document is decided about in `route_decisions`: one that
nobody has decided about is closed, and makes `test_every_route_is_decided` fail.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from planted import A, B, Planted, planted
from route_decisions import BESIDE, CLOSED, OPEN, PUBLIC, Route
from services_fixture import session

from labelling.services import Services

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def here(services: Services) -> Iterator[Planted]:
    with planted(services) as found:
        yield found


@pytest.fixture(scope="module", params=["session", "key"])
def client(request: pytest.FixtureRequest, here: Planted) -> httpx.Client:
    """annotator_a, signed in as the page does it, and by the API key."""
    signed_in = here.here.clients[A]
    if request.param == "session":
        return signed_in
    key = {"X-Argilla-Api-Key": signed_in.get("/me").json()["api_key"]}
    return httpx.Client(base_url=signed_in.base_url, headers=key, timeout=30)


@pytest.fixture
def ids(here: Planted) -> dict[str, str]:
    """The ids for calls that succeed; c0 has an answer of each annotator, a's made anew."""
    hosted = here.here
    a = hosted.clients[A]
    for record in ("c0", "c5", "c10"):
        for one in a.get(f"/records/{hosted.records[record]}").json()["responses"]:
            a.delete(f"/responses/{one['id']}").raise_for_status()
    listed = a.get(f"/me/datasets/{hosted.dataset}/metadata-properties").json()["items"]
    return here.ids | {
        "b_only_record_id": hosted.records["c5"],
        "fresh_record_id": hosted.records["c10"],
        "metadata_property_id": listed[0]["id"],
        "response_id": hosted.answer(A, "c0", "submitted", durable="yes"),
    }


def routes(client: httpx.Client) -> set[Route]:
    paths = client.get("/openapi.json").json()["paths"]
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def fill(template: str, ids: dict[str, str]) -> str:
    for name, one in ids.items():
        template = template.replace(f"{{{name}}}", one)
    return template


def ask(client: httpx.Client, route: Route, ids: dict[str, str]) -> httpx.Response:
    path, body = OPEN[route]
    content = None if body is None else json.loads(fill(json.dumps(body), ids))
    return client.request(route[0], fill(path, ids), json=content)


def told(answer: httpx.Response, marks: tuple[str, ...]) -> list[str]:
    """The marks in an answer's body or headers."""
    said = answer.text + json.dumps(list(answer.headers.items()))
    return [mark for mark in marks if mark in said]


def test_every_route_is_decided(here: Planted) -> None:
    assert routes(here.here.clients[A]) == PUBLIC | set(OPEN) | CLOSED
    assert len(PUBLIC) + len(OPEN) + len(CLOSED) == len(PUBLIC | set(OPEN) | CLOSED)


OWNER_READS = (
    "/users",
    "/webhooks",
    "/me/workspaces",
    "/me/datasets",
    "/records/{record_id}",
    "/datasets/{dataset_id}/fields",
    "/me/datasets/{dataset_id}/metadata-properties",
)


def test_the_marks_are_there_to_be_told(here: Planted) -> None:
    """The owner's answers hold every one of them, or the other tests would show nothing."""
    owner, ids = here.here.clients["owner"], (here.ids, here.ids_elsewhere)
    answers = [owner.get(fill(path, one)) for path in OWNER_READS for one in ids]
    found = {mark for answer in answers for mark in told(answer, here.marks)}
    # c0 has marks in place of these; the other records have them
    assert found | {"secret-gate"} == set(here.marks)


@pytest.mark.parametrize("route", sorted(CLOSED), ids=" ".join)
def test_a_closed_route_is_refused_and_tells_nothing(
    here: Planted, client: httpx.Client, route: Route
) -> None:
    for ids in (here.ids, here.ids_elsewhere):
        answer = client.request(route[0], fill(route[1], ids), json={})
        assert answer.status_code == 403, answer.text
        assert told(answer, here.marks) == []


@pytest.mark.parametrize("route", OPEN, ids=" ".join)
def test_an_open_route_tells_nothing_of_others(
    here: Planted, client: httpx.Client, ids: dict[str, str], route: Route
) -> None:
    answer = ask(client, route, ids)
    assert answer.is_success, answer.text
    assert told(answer, here.marks) == []


@pytest.mark.parametrize("route", [route for route in OPEN if "_id}" in route[1]], ids=" ".join)
def test_another_workspace_is_closed(here: Planted, client: httpx.Client, route: Route) -> None:
    answer = ask(client, route, here.ids_elsewhere)
    assert answer.status_code in (403, 404), answer.text
    marks = [mark for mark in here.marks if mark not in here.ids_elsewhere.values()]
    assert told(answer, tuple(marks)) == []


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_anothers_answer_is_nobodys_to_change(here: Planted, method: str) -> None:
    answer = ask(here.here.clients[A], (method, "/responses/{response_id}"), here.ids)
    assert answer.status_code == 403
    assert told(answer, here.marks) == []


def test_hidden_metadata_has_no_metrics(here: Planted, client: httpx.Client) -> None:
    path = fill("/metadata-properties/{metadata_property_id}/metrics", here.ids)
    answer = client.get(path)
    assert answer.status_code == 403
    assert told(answer, here.marks) == []


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "POST"])
def test_other_methods_tell_nothing(here: Planted, client: httpx.Client, method: str) -> None:
    for _, path in sorted(routes(client)):
        if (method, path) in PUBLIC | set(OPEN) | CLOSED:
            continue
        answer = client.request(method, fill(path, here.ids))
        assert answer.status_code == 405, f"{method} {path}: {answer.status_code}"
        assert told(answer, here.marks) == []


@pytest.mark.parametrize("path", BESIDE)
def test_nothing_beside_the_api_tells(services: Services, here: Planted, path: str) -> None:
    token = {"Authorization": here.here.clients[A].headers["Authorization"]}
    answer = httpx.get(f"{services.argilla_url}{path}", headers=token, follow_redirects=True)
    assert answer.status_code in (200, 404)
    assert told(answer, here.marks) == []


@pytest.mark.parametrize(
    "query",
    ["workspace_id={workspace_id}", "name={mark}%20dataset", "status=ready", "status=draft"],
)
def test_the_list_of_datasets_holds_ones_own(here: Planted, query: str) -> None:
    query = query.replace("{mark}", here.mark)
    answer = here.here.clients[A].get(f"/me/datasets?{fill(query, here.ids_elsewhere)}")
    marks = tuple(mark for mark in here.marks if mark not in query)
    assert told(answer, marks) == []


@pytest.mark.parametrize(
    "forged", [{}, {"Authorization": "Bearer forged"}, {"X-Argilla-Api-Key": "argilla.apikey"}]
)
def test_without_an_account_every_other_route_is_closed(
    here: Planted, forged: dict[str, str]
) -> None:
    with httpx.Client(base_url=here.here.clients[A].base_url, headers=forged) as stranger:
        for method, path in sorted(set(OPEN) | CLOSED):
            answer = stranger.request(method, fill(path, here.ids))
            assert answer.status_code == 401, f"{method} {path}: {answer.status_code}"


def test_a_record_keeps_what_is_ones_own(here: Planted, ids: dict[str, str]) -> None:
    record = here.here.clients[A].get(f"/records/{ids['record_id']}").json()
    assert [one["id"] for one in record["responses"]] == [ids["response_id"]]
    assert record["metadata"] == {"turn": 0, "round": "r1"}
    assert record["suggestions"][0] | {"agent": None, "score": None} == record["suggestions"][0]
    assert record["fields"]["statement"] == "The warehouse is Snowflake número 0"


def test_the_owner_sees_everything(here: Planted, ids: dict[str, str]) -> None:
    record = here.here.clients["owner"].get(f"/records/{ids['record_id']}").json()
    assert len(record["responses"]) == 2
    assert record["metadata"]["gate"].endswith("-gate")
    assert record["suggestions"][0]["agent"].endswith("-agent")


SCOPES: list[dict[str, Any]] = [
    {"entity": "metadata", "metadata_property": "gate"},
    {"entity": "metadata", "metadata_property": "nothing-of-that-name"},
    {"entity": "suggestion", "question": "durable", "property": "agent"},
    {"entity": "suggestion", "question": "durable", "property": "score"},
    {"entity": "suggestion", "question": "durable", "property": "type"},
]
VISIBLE = {"entity": "metadata", "metadata_property": "round"}


def filtered(*scopes: dict[str, Any]) -> dict[str, Any]:
    terms = [{"type": "terms", "scope": scope, "values": ["r1"]} for scope in scopes]
    return {"filters": {"and": terms}}


def ranged(scope: dict[str, Any]) -> dict[str, Any]:
    return {"filters": {"and": [{"type": "range", "scope": scope, "ge": 0, "le": 9}]}}


def sorted_by(*scopes: dict[str, Any]) -> dict[str, Any]:
    return {"sort": [{"scope": scope, "order": "asc"} for scope in scopes]}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("both", [False, True], ids=["alone", "behind another"])
@pytest.mark.parametrize("text", [None, "warehouse"])
def test_nobody_finds_out_by_searching(
    here: Planted, scope: dict[str, Any], both: bool, text: str | None
) -> None:
    path = f"/me/datasets/{here.here.dataset}/records/search"
    scopes = [VISIBLE, scope] if both else [scope]
    base = {"query": {"text": {"q": text}}} if text else {}
    for query in (filtered(*scopes), ranged(scope), sorted_by(*scopes)):
        answer = here.here.clients[A].post(path, json=base | query)
        assert answer.status_code == 403, query
        assert told(answer, here.marks) == []


def test_the_owner_may_search_by_what_is_hidden(here: Planted) -> None:
    for query in (filtered(SCOPES[0]), sorted_by(SCOPES[0]), sorted_by(SCOPES[3])):
        assert here.here.search("owner", query)["total"] >= 0


def test_no_text_search_reaches_what_is_hidden(here: Planted) -> None:
    for mark in (here.mark, "secret-gate", B, "sampled", "discarded"):
        for q in (mark, f"{mark}*", f'"{mark}"', f"warehouse {mark}"):
            assert here.here.found(A, {"query": {"text": {"q": q}}}) == [], q
    assert len(here.here.found(A, {"query": {"text": {"q": "-secret-gate warehouse"}}})) == 12


def test_anothers_answer_is_no_filter_and_no_order(here: Planted, ids: dict[str, str]) -> None:
    hosted, note = here.here, {"entity": "response", "question": "note"}
    query = {"filters": {"and": [{"type": "terms", "scope": note, "values": ["no", "yes"]}]}}
    assert hosted.found(A, query) == []
    durable = {"entity": "response", "question": "durable"}
    status = {"entity": "response", "property": "status"}
    for scope in (durable, status):
        before = hosted.found(A, sorted_by(scope))
        changed = hosted.answer(B, "c3", "submitted", durable="until", note="zz")
        assert hosted.found(A, sorted_by(scope)) == before
        hosted.clients[B].delete(f"/responses/{changed}").raise_for_status()
    assert hosted.found(A, filtered_by(durable, "no")) == []
    assert set(hosted.found(B, filtered_by(durable, "no"))) == {"c0", "c5", "c7"}
    assert "c7" in hosted.found(A, filtered_by(status, "pending")), "b discarded it, not a"


def filtered_by(scope: dict[str, Any], value: str) -> dict[str, Any]:
    return {"filters": {"and": [{"type": "terms", "scope": scope, "values": [value]}]}}


def test_the_order_is_ones_own(services: Services, here: Planted) -> None:
    """Two annotators read in different orders, and each in the same one every time."""
    a, b = here.here.found(A), here.here.found(B)
    assert sorted(a) == sorted(b)
    assert a != b
    assert here.here.found(A) == a
    again = session(services, A).post(f"/me/datasets/{here.here.dataset}/records/search", json={})
    assert [one["record"]["external_id"] for one in again.json()["items"]] == a
