"""The search engine `database`, asked through the running server as the page asks it.

On SQLite and on PostgreSQL. That it answers as Argilla's own engine is `test_search_differential`.
"""

from typing import Any

import pytest
from hosted import Hosted, host
from hypothesis import given, settings
from hypothesis import strategies as st
from search_servers import searched  # noqa: F401

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("search")]
A, B = "annotator_a", "annotator_b"


@pytest.fixture(scope="module")
def hosted(searched: Services) -> Hosted:  # noqa: F811
    """Twelve records; a submitted c0, drafted c1, discarded c2; b submitted c0 and c3."""
    hosted = host(searched, members=(A, B))
    hosted.answer(A, "c0", "submitted", durable="yes")
    hosted.answer(A, "c1", "draft", durable="no")
    hosted.answer(A, "c2", "discarded", durable="no")
    hosted.answer(B, "c0", "submitted", durable="no")
    hosted.answer(B, "c3", "submitted", durable="until")
    return hosted


def terms(entity: str, *values: str, **scope: str | None) -> dict[str, Any]:
    return {"type": "terms", "scope": {"entity": entity, **scope}, "values": list(values)}


def between(low: float | None, high: float | None, **scope: str) -> dict[str, Any]:
    return {"type": "range", "scope": scope, "ge": low, "le": high}


def where(*filters: dict[str, Any]) -> dict[str, Any]:
    return {"filters": {"and": list(filters)}}


def status(*values: str) -> dict[str, Any]:
    return terms("response", *values, property="status")


def by_turn(order: str = "asc") -> dict[str, Any]:
    scope = {"entity": "metadata", "metadata_property": "turn"}
    return {"sort": [{"scope": scope, "order": order}]}


def numbers(*ids: int) -> list[str]:
    return [f"c{i}" for i in ids]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([status("pending")], range(3, 12)),
        ([status("submitted")], [0]),
        ([status("draft", "discarded")], [1, 2]),
        ([status("pending", "draft")], [1, *range(3, 12)]),
        ([terms("record", "completed", property="status")], [0]),
        ([status("pending"), terms("record", "pending", property="status")], range(3, 12)),
        ([terms("record", "c7", "c8", property="external_id")], [7, 8]),
        ([terms("record", "no such id", property="id")], []),
        ([terms("record", "no such status", property="status")], []),
        ([terms("metadata", "r2", metadata_property="round")], range(1, 12, 2)),
        ([between(2, 4, entity="metadata", metadata_property="turn")], [2, 3, 4]),
        ([between(None, 1, entity="metadata", metadata_property="turn")], [0, 1]),
        ([terms("response", "yes", "no", question="durable")], [0, 1, 2]),
        ([terms("suggestion", "yes", question="durable", property="value")], [0, 5, 10]),
        ([terms("suggestion", "yes", question="durable", property=None)], [0, 5, 10]),
        (
            [terms("metadata", "r1", metadata_property="round"), status("submitted", "discarded")],
            [0, 2],
        ),
    ],
)
def test_filters(hosted: Hosted, filters: list[dict[str, Any]], expected: list[int]) -> None:
    assert hosted.found(A, where(*filters) | by_turn()) == numbers(*expected)


def test_each_annotator_has_a_queue_of_their_own(hosted: Hosted) -> None:
    assert hosted.search(A, where(status("pending")))["total"] == 9
    assert hosted.search(B, where(status("pending")))["total"] == 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ({"q": "snowflake"}, [0, 4, 8]),
        ({"q": "SNOWFLAKE 8"}, [8]),
        ({"q": "8 nutzen snowflake"}, [8]),  # words of two fields
        ({"q": "NÚMERO GROSS 5"}, [5]),  # case beyond ASCII: ß folds to ss
        ({"q": "snow"}, []),  # whole words
        ({"q": "snow* 4"}, [4]),
        ({"q": '"warehouse is redshift"'}, [2, 6, 10]),
        ({"q": '"redshift warehouse"'}, []),
        ({"q": "redshift,", "field": "transcript"}, [2, 6, 10]),
        ({"q": "warehouse", "field": "transcript"}, []),
        ({"q": "1"}, [1]),
        ({"q": "warehouse -snowflake -bigquery"}, [2, 3, 6, 7, 10, 11]),
        ({"q": "(redshift | duckdb) 1*"}, [10, 11]),
        ({"q": '-"is snowflake"'}, [i for i in range(12) if i % 4]),
        ({"q": "%\\\"'(["}, range(12)),  # no word in it: nothing is asked
    ],
)
def test_text(hosted: Hosted, text: dict[str, str], expected: list[int]) -> None:
    assert hosted.found(A, {"query": {"text": text}} | by_turn()) == numbers(*expected)


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \"*-|()'½²東"), max_size=12
    )
)
def test_any_text_can_be_searched(hosted: Hosted, text: str) -> None:
    assert hosted.search(A, {"query": {"text": {"q": text}}})["total"] <= 12


def test_a_long_word_is_found(hosted: Hosted) -> None:
    long = "x" * 700
    fields = {"statement": f"so {long} it is"}
    body = {"items": [{"external_id": "long", "fields": fields}]}
    path = f"/datasets/{hosted.dataset}/records"
    made = hosted.clients["owner"].put(f"{path}/bulk", json=body).raise_for_status().json()
    for q, total in [(long, 1), (f'"so {long}"', 1), (long[:300] + "*", 1), (long[:300], 0)]:
        assert hosted.search(A, {"query": {"text": {"q": q}}})["total"] == total
    ids = {"ids": made["items"][0]["id"]}
    hosted.clients["owner"].delete(path, params=ids).raise_for_status()
    assert hosted.search(A, {"query": {"text": {"q": long}}})["total"] == 0


@pytest.mark.parametrize("text", ["a " * 51, "word " * 20_000, "x" * 1001])
def test_a_query_that_is_too_long_is_refused(hosted: Hosted, text: str) -> None:
    query = {"query": {"text": {"q": text}}}
    answer = hosted.clients[A].post(f"/me/datasets/{hosted.dataset}/records/search", json=query)
    assert answer.status_code == 422
    assert "search for fewer words" in answer.json()["detail"]


RECORD = {"entity": "record", "property": "inserted_at"}


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({}, "Filters of a search are"),
        ({"and": None}, "Filters of a search are"),
        (terms("record", "c1", property="id"), "Filters of a search are"),
        ({"scope": "x"}, "Filters of a search are"),
        ("x", "Filters of a search are"),
        ({"and": [{"type": "range", "scope": RECORD, "ge": "a", "le": 1}]}, "two of a kind"),
        ({"and": [between(1e300, None, **RECORD)]}, "no bound for a record's inserted_at"),
        ({"and": [between(None, 5, entity="record", property="id")]}, "no bound for a record's id"),
        ({"and": [between(1, 2, entity="response", property="status")]}, "filtered by terms"),
        ({"and": [None]}, "model_attributes_type"),
        ({"and": []}, "too_short"),
    ],
)
@pytest.mark.parametrize("me", ["", "/me"])
def test_malformed_filters_are_refused(hosted: Hosted, filters: Any, said: str, me: str) -> None:
    path = f"{me}/datasets/{hosted.dataset}/records/search"
    answer = hosted.clients["owner"].post(path, json={"filters": filters})
    assert answer.status_code == 422
    assert said in answer.text


def test_sorts(hosted: Hosted) -> None:
    def first(entity: str, order: str, **scope: str) -> list[str]:
        sort = [{"scope": {"entity": entity, **scope}, "order": order}, *by_turn()["sort"]]
        return hosted.found(A, {"sort": sort}, limit=3)

    assert hosted.found(A, by_turn("desc")) == numbers(*range(11, -1, -1))
    assert first("record", "asc", property="inserted_at") == numbers(0, 1, 2)
    assert first("record", "desc", property="inserted_at") == numbers(11, 10, 9)
    assert first("record", "asc", property="status") == numbers(0, 1, 2)  # completed first
    assert first("response", "asc", question="durable") == numbers(1, 2, 0)  # no, no, yes
    assert first("response", "desc", property="status") == numbers(0, 1, 2)
    assert first("suggestion", "desc", question="durable", property="value") == numbers(0, 5, 10)


def test_an_edited_answer_moves_a_record_last_by_updated_at(hosted: Hosted) -> None:
    query = {"sort": [{"scope": {"entity": "record", "property": "updated_at"}, "order": "desc"}]}
    kept = {"turn": 6, "round": "r1", "gate": "secret-gate", "score": 1240.25}
    hosted.clients["owner"].patch(
        f"/records/{hosted.records['c6']}", json={"metadata": kept}
    ).raise_for_status()
    assert hosted.found(A, query, limit=1) == ["c6"]


def test_the_order_is_each_annotators_own_and_stable(hosted: Hosted) -> None:
    ours, theirs = hosted.found(A), hosted.found(B)
    assert ours == hosted.found(A)
    assert len({tuple(ours), tuple(theirs), tuple(numbers(*range(12)))}) == 3
    assert sorted(ours) == sorted(theirs)


def test_what_is_there_twice_is_half_a_queue_apart(searched: Services) -> None:  # noqa: F811
    hosted = host(searched, records=40, members=(A, B))
    twice = [
        {"external_id": f"c{i}.again", "fields": {"statement": "again"}} for i in range(0, 40, 10)
    ]
    path = f"/datasets/{hosted.dataset}/records/bulk"
    hosted.clients["owner"].put(path, json={"items": twice}).raise_for_status()
    for name in (A, B):
        found = hosted.found(name, limit=100)
        assert len(found) == 44
        apart = [abs(found.index(f"c{i}") - found.index(f"c{i}.again")) for i in range(0, 40, 10)]
        assert min(apart) > 5
        assert max(apart) < 39


def test_pages_are_parts_of_one_order(hosted: Hosted) -> None:
    pages = [hosted.found(A, limit=5, offset=offset) for offset in (0, 5, 10, 15)]
    assert [record for page in pages for record in page] == hosted.found(A)


def test_an_owners_search_is_by_insertion_and_sees_all(hosted: Hosted) -> None:
    owner, path = hosted.clients["owner"], f"/datasets/{hosted.dataset}/records/search"
    query = where(terms("metadata", "secret-gate", metadata_property="gate"))
    answer = owner.post(path, json=query, params={"include": "responses"}).json()
    found = [item["record"] for item in answer["items"]]
    assert [record["external_id"] for record in found] == numbers(*range(12))
    assert len(found[0]["responses"]) == 2


def test_progress(hosted: Hosted) -> None:
    a = hosted.clients[A]
    progress = a.get(f"/datasets/{hosted.dataset}/progress").json()
    assert (progress["total"], progress["completed"], progress["pending"]) == (12, 1, 11)
    mine = a.get(f"/me/datasets/{hosted.dataset}/metrics").json()["responses"]
    assert mine == {"total": 12, "submitted": 1, "discarded": 1, "draft": 1, "pending": 9}


def test_metadata_metrics(hosted: Hosted) -> None:
    a = hosted.clients[A]
    listed = a.get(f"/me/datasets/{hosted.dataset}/metadata-properties").json()["items"]
    ids = {item["name"]: item["id"] for item in listed}
    path = "/metadata-properties/{}/metrics"
    metrics = {name: a.get(path.format(one)).json() for name, one in ids.items()}
    assert metrics["turn"] == {"type": "integer", "min": 0, "max": 11}
    assert metrics["round"]["total"] == 12
    assert {one["term"]: one["count"] for one in metrics["round"]["values"]} == {"r1": 6, "r2": 6}


def similar(hosted: Hosted, vector: dict[str, Any], **query: Any) -> list[tuple[str, float]]:
    body = {"query": {"vector": {"name": "meaning", **vector}}, **query}
    items = hosted.search("owner", body, limit=3)["items"]
    return [(item["record"]["external_id"], item["query_score"]) for item in items]


def test_similarity_is_the_cosine(hosted: Hosted) -> None:
    """Record i has the vector (1, i), all but every third."""
    expected = [("c1", (1 + 2**-0.5) / 2), ("c2", (1 + 5**-0.5) / 2), ("c4", (1 + 17**-0.5) / 2)]
    assert similar(hosted, {"value": [3.0, 0.0]}) == [(i, pytest.approx(s)) for i, s in expected]
    turned = {"value": [-3.0, 0.0], "order": "least_similar"}
    assert similar(hosted, turned) == [(i, pytest.approx(s)) for i, s in expected]
    among = where(terms("metadata", "r1", metadata_property="round"))
    assert [i for i, _ in similar(hosted, {"value": [1.0, 0.0]}, **among)] == numbers(2, 4, 8)
    near = similar(hosted, {"record_id": hosted.records["c8"]})
    assert [i for i, _ in near] == numbers(7, 10, 11)


@pytest.mark.parametrize("value", [[1.0], [0.0, 0.0], [1.0, 2.0, 3.0]])
def test_a_vector_of_another_kind_is_refused(hosted: Hosted, value: list[float]) -> None:
    query = {"query": {"vector": {"name": "meaning", "value": value}}}
    path = f"/datasets/{hosted.dataset}/records/search"
    answer = hosted.clients["owner"].post(path, json=query)
    assert answer.status_code == 422
    assert "give such a vector" in answer.json()["detail"]


@pytest.mark.long  # making the records takes Argilla half a minute
def test_five_thousand_records_are_searched(services: Services) -> None:
    hosted = host(services, records=5000, members=(A,))
    heaviest = where(
        status("pending"),
        terms("metadata", "r2", metadata_property="round"),
        terms("suggestion", "yes", question="durable", property="value"),
    )
    text = {"query": {"text": {"q": "warehouse bigquery"}}}
    for query, total in [(where(status("pending")), 5000), (heaviest | text | by_turn(), 250)]:
        assert hosted.search(A, query, limit=10)["total"] == total
