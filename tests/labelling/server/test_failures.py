"""When the database fails an answer is not said to be stored, and the connection goes on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from uuid import UUID

import httpx
import pytest
from hosted import Hosted, host

from labelling.services import Services

pytestmark = pytest.mark.server
A = "annotator_a"
ANSWER = {"status": "draft", "values": {"note": {"value": "my note"}}}


@pytest.fixture(scope="module")
def hosted(services: Services) -> Hosted:
    return host(services, records=3, members=(A,))


@pytest.fixture
def refused(services: Services, hosted: Hosted) -> Iterator[str]:
    """A record whose answers the database fails to store."""
    record = hosted.records["c1"]
    database = services.accounts_file.parent / "argilla" / "argilla.db"
    trigger = (
        f"CREATE TRIGGER fails BEFORE INSERT ON responses WHEN NEW.record_id = '{UUID(record).hex}'"
        " BEGIN SELECT json('no json'); END"
    )
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(trigger)
        yield record
        connection.execute("DROP TRIGGER fails")


def bulk(hosted: Hosted, *records: str) -> httpx.Response:
    items = [ANSWER | {"record_id": record} for record in records]
    return hosted.clients[A].post("/me/responses/bulk", json={"items": items})


def test_a_failing_database_is_an_error_in_a_sentence(hosted: Hosted, refused: str) -> None:
    one = hosted.clients[A].post(f"/records/{refused}/responses", json=ANSWER)
    many = bulk(hosted, hosted.records["c0"], refused, hosted.records["c2"])
    for answer in (one, many):
        assert answer.status_code == 503, answer.text
        assert "see that its disk is not full" in answer.json()["detail"]
        assert "my note" not in answer.text
    pending = {"type": "terms", "scope": {"entity": "response", "property": "status"}}
    found = hosted.found(A, {"filters": {"and": [pending | {"values": ["pending"]}]}})
    assert set(found) == {"c1", "c2"}  # c0 came before the failure


def test_once_it_is_mended_the_same_is_stored(hosted: Hosted) -> None:
    items = bulk(hosted, *hosted.records.values()).raise_for_status().json()["items"]
    assert [item["error"] for item in items] == [None] * 3


def test_what_argilla_refuses_is_said_of_each_answer(hosted: Hosted) -> None:
    items = bulk(hosted, hosted.dataset, hosted.records["c0"]).raise_for_status().json()["items"]
    assert "not found" in items[0]["error"]["detail"]
    assert items[1]["item"]["values"] == ANSWER["values"]


def test_a_fault_of_the_program_leaves_the_connection(services: Services, hosted: Hosted) -> None:
    owner, path = hosted.clients["owner"], f"/datasets/{hosted.dataset}"
    set_status(services, hosted, "no status")
    for _ in range(3):
        assert owner.get(path).status_code == 500
        assert owner.get("/me").is_success
    set_status(services, hosted, "ready")
    assert owner.get(path).is_success


def set_status(services: Services, hosted: Hosted, value: str) -> None:
    database = services.accounts_file.parent / "argilla" / "argilla.db"
    change = "UPDATE datasets SET status = ? WHERE id = ?"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(change, (value, UUID(hosted.dataset).hex))
