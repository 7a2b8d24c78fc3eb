"""Our own routes over HTTP: the history of answers, and removing a person."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hosted import Hosted, host

from labelling.pseudonyms import pseudonym
from labelling.services import Services

pytestmark = pytest.mark.server

MARK = "an answer nobody else would write"


@pytest.fixture
def hosted(services: Services) -> Hosted:
    return host(services, 4, ("annotator_a", "annotator_b"))


@pytest.fixture
def person(services: Services, hosted: Hosted) -> Iterator[tuple[str, httpx.Client]]:
    """A further annotator, who is a member; name and signed-in client."""
    owner, name = hosted.clients["owner"], f"person {uuid4().hex[:6]}"
    body = {"username": name, "first_name": "Anna", "password": "12345678", "role": "annotator"}
    user = owner.post("/users", json=body).raise_for_status().json()["id"]
    where = f"/workspaces/{hosted.workspace}/users"
    owner.post(where, json={"user_id": user}).raise_for_status()
    client = httpx.Client(base_url=owner.base_url, timeout=30)
    form = {"username": name, "password": "12345678"}
    token = client.post("/token", data=form).json()["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    hosted.clients[name] = client
    yield name, client
    client.close()


def history(hosted: Hosted, **params: Any) -> list[dict[str, Any]]:
    owner = hosted.clients["owner"]
    workspace = owner.get(f"/workspaces/{hosted.workspace}").json()["name"]
    page = owner.get("/gates/history", params={"workspace": workspace, **params}).json()
    return list(page["items"])


def removed(hosted: Hosted, username: str, **more: bool) -> dict[str, Any]:
    body = {"username": username, **more}
    answer = hosted.clients["owner"].post("/gates/removals", json=body)
    return dict(answer.raise_for_status().json())


def test_an_answer_s_changes_are_told_with_the_seconds_between_them(hosted: Hosted) -> None:
    first = hosted.answer("annotator_a", "c0", "submitted", durable="yes")
    hosted.answer("annotator_a", "c1", "discarded")
    put = {"values": {"durable": {"value": "no"}}, "status": "submitted"}
    hosted.clients["annotator_a"].put(f"/responses/{first}", json=put).raise_for_status()
    hosted.clients["annotator_a"].delete(f"/responses/{first}").raise_for_status()
    found = history(hosted)
    assert [(one["action"], one["external_id"], one["new_status"]) for one in found] == [
        ("insert", "c0", "submitted"),
        ("insert", "c1", "discarded"),
        ("update", "c0", "submitted"),
        ("delete", "c0", None),
    ]
    assert found[2]["old_values"]["durable"] == {"value": "yes"}
    assert found[2]["new_values"]["durable"] == {"value": "no"}
    seconds = [one["seconds"] for one in found]
    assert all(0 <= s <= 60 for s in seconds[1:3])
    assert seconds[3] is None
    assert {one["user_id"] for one in found} == {
        hosted.clients["annotator_a"].get("/me").json()["id"]
    }
    assert history(hosted, after=found[1]["id"], limit=1) == found[2:3]


@pytest.mark.parametrize("query", [{}, {"workspace": "x", "limit": 0}, {"after": -1}])
def test_a_wrong_question_is_refused(hosted: Hosted, query: dict[str, Any]) -> None:
    assert hosted.clients["owner"].get("/gates/history", params=query).status_code == 422


def test_they_are_open_to_owners_alone(hosted: Hosted) -> None:
    annotator = hosted.clients["annotator_a"]
    name = annotator.get("/me/workspaces").json()["items"][0]["name"]
    asked = [
        annotator.get("/gates/history", params={"workspace": name}),
        annotator.post("/gates/removals", json={"username": "annotator_b"}),
    ]
    assert [one.status_code for one in asked] == [403, 403]


def test_a_hidden_person_cannot_come_back_and_the_answers_stay(
    hosted: Hosted, person: tuple[str, httpx.Client]
) -> None:
    name, client = person
    me = client.get("/me").json()
    hosted.answer(name, "c0", "submitted", durable="yes")
    found = removed(hosted, name)
    alias = pseudonym(me["id"])
    assert found == {"pseudonym": alias, "answers": 1, "opened": {}}
    again = {"username": name, "password": "12345678"}
    key = {"X-Argilla-Api-Key": me["api_key"]}
    assert client.post("/token", data=again).status_code == 401
    assert client.post("/token", data={**again, "username": alias}).status_code == 401
    assert client.get("/me").status_code == 401
    assert httpx.get(f"{client.base_url}me", headers=key).status_code == 401
    owner = hosted.clients["owner"]
    user = owner.get(f"/users/{me['id']}").json()
    assert [user["username"], user["first_name"], user["last_name"]] == [alias, alias, None]
    record = owner.get(f"/datasets/{hosted.dataset}/records", params={"include": "responses"})
    assert me["id"] in record.text
    assert owner.post("/gates/removals", json={"username": name}).status_code == 404
    body = {"username": name, "first_name": "Anna", "password": "12345678", "role": "annotator"}
    owner.post("/users", json=body).raise_for_status()
    assert client.get("/me").status_code == 401  # the old session is not the new account's
    assert client.post("/token", data=again).is_success


def test_an_erased_person_leaves_no_answer_and_opens_what_was_complete(
    hosted: Hosted, person: tuple[str, httpx.Client], services: Services
) -> None:
    name, client = person
    me = client.get("/me").json()["id"]
    hosted.answer("annotator_a", "c0", "submitted", durable="yes")
    hosted.answer(name, "c0", "submitted", durable="yes", note=MARK)
    hosted.answer(name, "c1", "draft", note=MARK)
    owner = hosted.clients["owner"]
    workspace = owner.get(f"/workspaces/{hosted.workspace}").json()["name"]
    status = f"/records/{hosted.records['c0']}"
    assert owner.get(status).json()["status"] == "completed"
    found = removed(hosted, name, erase=True)
    assert found["answers"] == 2
    assert found["opened"] == {f"{workspace}/candidates-r1": 1}
    assert owner.get(status).json()["status"] == "pending"
    assert [one["external_id"] for one in history(hosted) if one["user_id"] == me] == []
    assert owner.get(f"/users/{me}").status_code == 404
    database = services.accounts_file.parent / "argilla"
    assert not [file.name for file in database.iterdir() if MARK.encode() in file.read_bytes()]


def test_the_last_owner_stays(hosted: Hosted) -> None:
    body = {"username": "owner", "erase": True}
    refused = hosted.clients["owner"].post("/gates/removals", json=body)
    assert (refused.status_code, "last owner" in refused.text) == (422, True)
