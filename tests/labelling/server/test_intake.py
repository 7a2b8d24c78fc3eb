"""What comes in by the API: text that cannot be stored, and bodies that are too much."""

from typing import Any

import httpx
import pytest
from hosted import Hosted, host

from labelling.services import Services

pytestmark = pytest.mark.server
A = "annotator_a"


@pytest.fixture(scope="module")
def hosted(services: Services) -> Hosted:
    return host(services, records=4, members=(A,))


def post(hosted: Hosted, path: str, body: str | bytes) -> httpx.Response:
    kind = {"Content-Type": "application/json"}
    return hosted.clients[A].post(path, content=body, headers=kind)


def draft(note: str, record: str | None = None) -> str:
    """A draft as JSON; the note is JSON already."""
    of = f', "record_id": "{record}"' if record else ""
    return f'{{"status": "draft", "values": {{"note": {{"value": {note}}}}}{of}}}'


def note_of(hosted: Hosted, record: str) -> Any:
    (mine,) = hosted.clients[A].get(f"/records/{record}").json()["responses"]
    return mine["values"]["note"]["value"]


NOTES = {
    r'"\ud83d half"': "\ufffd half",
    r'"half \uDE42"': "half \ufffd",
    r'"nul \u0000"': "nul \ufffd",
    r'"whole \ud83d\ude42 \\u0000"': "whole 🙂 \\u0000",
}


@pytest.mark.parametrize("note", NOTES)
def test_what_cannot_be_stored_is_replaced_on_every_route(hosted: Hosted, note: str) -> None:
    one, other = hosted.records["c0"], hosted.records["c1"]
    created = post(hosted, f"/records/{one}/responses", draft(note)).raise_for_status().json()
    post(hosted, "/me/responses/bulk", f'{{"items": [{draft(note, other)}]}}').raise_for_status()
    assert note_of(hosted, one) == note_of(hosted, other) == NOTES[note]
    mine = f"/responses/{created['id']}"
    hosted.clients[A].put(mine, content=draft(note)).raise_for_status()
    assert note_of(hosted, one) == NOTES[note]
    hosted.clients[A].delete(mine).raise_for_status()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_half_an_emoji_in_bytes_is_replaced(hosted: Hosted, encoding: str) -> None:
    record = hosted.records["c2"]
    body = '{"items": [' + draft('"half \ud83d"', record) + "]}"
    answer = post(hosted, "/me/responses/bulk", body.encode(encoding, "surrogatepass"))
    assert answer.is_success
    assert note_of(hosted, record) == "half \ufffd"


def test_an_answer_has_a_greatest_length(hosted: Hosted) -> None:
    path = f"/records/{hosted.records['c3']}/responses"
    answer = post(hosted, path, draft('"' + "x" * 1_000_000 + '"'))
    assert answer.status_code == 413
    assert "longer than 1,000,000 bytes" in answer.json()["detail"]
    assert post(hosted, path, draft('"' + "x" * 100_000 + '"')).is_success


@pytest.mark.parametrize("path", ["/me/responses/bulk", "/me/datasets/{}/records/search"])
def test_what_is_nested_too_deep_is_refused(hosted: Hosted, path: str) -> None:
    body = "[" * 50_000 + r'"\u0000"' + "]" * 50_000
    answer = post(hosted, path.format(hosted.dataset), body)
    assert answer.status_code == 422
    assert "nested too deep" in answer.json()["detail"]


ABSURD = {
    '{"limit": 99999999999999999999}': "99999999999999999999",
    '{"a": [-9223372036854775809]}': "-9223372036854775809",
    f'{{"a": {"9" * 5000}}}': "9999999999999999999999999999999999999999...",
    '{"a": NaN}': "NaN",
    '{"a": -Infinity}': "-Infinity",
    '{"a": 1e999}': "1e999",
}


@pytest.mark.parametrize("body", ABSURD)
@pytest.mark.parametrize("path", ["/datasets", "/me/datasets/{}/records/search"])
def test_a_number_that_no_database_stores_is_refused(hosted: Hosted, path: str, body: str) -> None:
    answer = post(hosted, path.format(hosted.dataset), body)
    assert answer.status_code == 422
    assert f"holds the number {ABSURD[body]}; expected finite" in answer.json()["detail"]


@pytest.mark.parametrize("text", ["99999999999999999999", "NaN", "1e999", "Infinity"])
def test_the_same_as_a_text_is_taken(hosted: Hosted, text: str) -> None:
    record = hosted.records["c1"]
    item = draft(f'"{text}"', record)
    post(hosted, "/me/responses/bulk", f'{{"items": [{item}]}}').raise_for_status()
    assert note_of(hosted, record) == text


@pytest.mark.parametrize("body", ["1", "true", "null", '"text"', " -0.5", "NaN"])
def test_a_body_is_an_object(hosted: Hosted, body: str) -> None:
    owner, path = hosted.clients["owner"], f"/datasets/{hosted.dataset}"
    answer = owner.patch(path, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["detail"][:26]) == (422, "The body is no JSON object")


@pytest.mark.parametrize("name", ["offset", "limit"])
@pytest.mark.parametrize("value", [2**63, 10**30, -1, "9" * 5000])
def test_an_address_counts_in_numbers_that_a_database_has(
    hosted: Hosted, name: str, value: int | str
) -> None:
    owner, path = hosted.clients["owner"], f"/datasets/{hosted.dataset}/records"
    answer = owner.get(path, params={name: value})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(f"The address has {name} = ")
    assert len(answer.json()["detail"]) < 200


@pytest.mark.parametrize("value", [0, 3, 4, 2**63 - 1, "+1", "-0"])
def test_any_other_offset_is_answered(hosted: Hosted, value: int | str) -> None:
    owner, path = hosted.clients["owner"], f"/datasets/{hosted.dataset}/records"
    left = max(0, 4 - int(value))
    assert len(owner.get(path, params={"offset": value}).raise_for_status().json()["items"]) == left
