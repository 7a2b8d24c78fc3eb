"""Random search queries, and what one server answers to them.

A query is plain data; where it names a record's id or time, that is `("id", c0)` or
`("time", c0)`, filled in for each server. With a sort the order is complete (the last key is the
external id), so pages are compared as they are; without one, the sets.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from search_study import AGENTS, ANNOTATORS, DIMENSIONS, FLOATS, LABELS, TAGS, WORDS, Side


@dataclass(frozen=True)
class Asked:
    """A search: by whom, what (the body, with records named by external id), and which page."""

    user: str
    body: dict[str, Any]
    offset: int
    limit: int

    @property
    def is_ordered(self) -> bool:
        return "sort" in self.body or self.vector is not None

    @property
    def vector(self) -> dict[str, Any] | None:
        vector: dict[str, Any] | None = self.body.get("query", {}).get("vector")
        return vector


@dataclass(frozen=True)
class Answered:
    """What came back: external ids in order, the total, and scores of a vector search."""

    found: list[str]
    total: int
    scores: list[float]


def random_query(rng: Random, records: int) -> Asked:
    """A query of any kind on a random dataset of so many records."""
    user = rng.choice(("owner", *ANNOTATORS))
    body: dict[str, Any] = {}
    if rng.random() < 0.5:
        body["query"] = {"text": _text(rng)}
    if rng.random() < 0.7:
        body["filters"] = {"and": [_filter(rng, records, user) for _ in range(rng.randint(1, 3))]}
    if rng.random() < 0.15:
        body["query"] = {**body.get("query", {}), "vector": _vector(rng)}
        return Asked(user, body, 0, 1000)
    if rng.random() < 0.6:
        last = {"scope": {"entity": "record", "property": "external_id"}, "order": "asc"}
        body["sort"] = [*(_sort(rng, user) for _ in range(rng.randint(0, 2))), last]
        return Asked(user, body, rng.randint(0, 20), rng.randint(1, 50))
    return Asked(user, body, 0, 1000)


def ask(side: Side, asked: Asked) -> Answered:
    """What the server answers."""
    answer = _search(side, asked, asked.body)
    found = [item["record"]["external_id"] for item in answer["items"]]
    scores = [item["query_score"] for item in answer["items"]] if asked.vector else []
    return Answered(found, answer["total"], scores)


def ask_and_compare(side: Side, asked: Asked) -> Answered:
    """What the server answers, for one that knows no vectors: it filters, they are ranked here."""
    if not asked.vector:
        return ask(side, asked)
    query = {name: part for name, part in asked.body["query"].items() if name != "vector"}
    answer = _search(side, asked, {**asked.body, "query": query})
    found = [item["record"]["external_id"] for item in answer["items"]]
    scores = {one: _score(asked.vector, side.vectors[one]) for one in found if one in side.vectors}
    ranked = sorted(scores, key=lambda one: -scores[one])
    return Answered(ranked, len(ranked), [scores[one] for one in ranked])


def _score(wanted: dict[str, Any], vector: list[float]) -> float:
    dot = sum(a * b for a, b in zip(wanted["value"], vector, strict=True))
    cosine = dot / (math.hypot(*wanted["value"]) * math.hypot(*vector))
    return (1 + (cosine if wanted["order"] == "most_similar" else -cosine)) / 2


def _search(side: Side, asked: Asked, body: dict[str, Any]) -> Any:
    me = "" if asked.user == "owner" else "/me"
    path = f"{me}/datasets/{side.dataset}/records/search"
    page = {"offset": asked.offset, "limit": asked.limit}
    return side.call(asked.user, "POST", path, _filled(body, side), **page)


def _filled(part: Any, side: Side) -> Any:
    if isinstance(part, tuple):
        name, one = part
        if name == "id":
            return side.records.get(one, "0" * 8 + "-0000-4000-8000-" + "0" * 12)
        return side.times[one]
    if isinstance(part, dict):
        return {key: _filled(value, side) for key, value in part.items()}
    return [_filled(one, side) for one in part] if isinstance(part, list) else part


def _word(rng: Random) -> str:
    word = rng.choice(WORDS)
    beginning = word[: rng.randint(1, 4)].rstrip("-.'_")  # a last sign is part of it there
    upper = word if "ß" in word else word.upper()  # SS is no ß to Argilla's engines
    return rng.choice((word, word, upper, word.lower(), f"{beginning}*"))


def _words(rng: Random, depth: int = 2) -> str:
    """A part of a simple query string."""
    kind = rng.random()
    if kind < 0.5 or not depth:
        return _word(rng)
    if kind < 0.65:
        return '"' + " ".join(rng.choices(WORDS, k=rng.randint(1, 3))) + '"'
    parts = [_words(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    if kind < 0.75:
        return "-" + parts[0]
    joined = rng.choice((" ", " | ", " + ", " ")).join(parts)
    return f"({joined})" if kind < 0.85 else joined


def _text(rng: Random) -> dict[str, str]:
    fields = rng.choice(({}, {}, *({"field": name} for name in ("said", "more", "talk", "page"))))
    return {"q": _words(rng), **fields}


def _vector(rng: Random) -> dict[str, Any]:
    value = {"value": [rng.uniform(-1, 1) for _ in range(DIMENSIONS)]}
    return {"name": "meaning", "order": rng.choice(("most_similar", "least_similar")), **value}


def _terms(rng: Random, values: Any, **scope: Any) -> dict[str, Any]:
    some = [str(one) for one in rng.sample(list(values), k=rng.randint(1, 2))]
    return {"type": "terms", "scope": scope, "values": some}


def _range(rng: Random, values: Any, **scope: Any) -> dict[str, Any]:
    low, high = sorted(rng.choices(list(values), k=2))
    ends = rng.choice(({"ge": low}, {"le": high}, {"ge": low, "le": high}))
    return {"type": "range", "scope": scope, **ends}


def _filter(rng: Random, records: int, user: str) -> dict[str, Any]:
    kinds: list[Callable[[], dict[str, Any]]] = [
        lambda: _terms(
            rng,
            ("pending", "submitted", "draft", "discarded"),
            entity="response",
            property="status",
        ),
        lambda: _terms(rng, LABELS, entity="response", question="label"),
        lambda: _terms(rng, TAGS, entity="response", question="tags"),
        lambda: _terms(rng, range(6), entity="response", question="stars"),
        lambda: _range(rng, range(6), entity="response", question="stars"),
        lambda: _terms(rng, ("pending", "completed"), entity="record", property="status"),
        lambda: _terms(
            rng, [f"c{i}" for i in range(records)], entity="record", property="external_id"
        ),
        lambda: _ids(rng, records),
        lambda: _times(rng, records),
        lambda: _terms(rng, TAGS, entity="metadata", metadata_property="round"),
        lambda: _terms(rng, range(-3, 12), entity="metadata", metadata_property="turn"),
        lambda: _range(rng, range(-4, 13), entity="metadata", metadata_property="turn"),
        lambda: _terms(rng, FLOATS, entity="metadata", metadata_property="share"),
        lambda: _range(rng, FLOATS, entity="metadata", metadata_property="share"),
        lambda: _terms(rng, LABELS, entity="suggestion", question="label", property="value"),
        lambda: _terms(rng, TAGS, entity="suggestion", question="tags", property="value"),
        lambda: _range(rng, range(6), entity="suggestion", question="stars", property="value"),
    ]
    hidden: list[Callable[[], dict[str, Any]]] = [
        lambda: _terms(rng, AGENTS, entity="metadata", metadata_property="hidden"),
        lambda: _terms(rng, AGENTS, entity="suggestion", question="label", property="agent"),
        lambda: _terms(
            rng, ("model", "human"), entity="suggestion", question="stars", property="type"
        ),
        lambda: _range(
            rng, (0.0, 0.125, 0.3, 0.5), entity="suggestion", question="tags", property="score"
        ),
    ]
    return rng.choice(kinds + hidden if user == "owner" else kinds)()


def _ids(rng: Random, records: int) -> dict[str, Any]:
    some = [("id", f"c{i}") for i in rng.sample(range(records), k=3)]
    return {"type": "terms", "scope": {"entity": "record", "property": "id"}, "values": some}


def _times(rng: Random, records: int) -> dict[str, Any]:
    low, high = (("time", f"c{i}") for i in sorted(rng.sample(range(records), k=2)))
    ends = rng.choice(({"ge": low}, {"le": high}, {"ge": low, "le": high}))
    return {"type": "range", "scope": {"entity": "record", "property": "inserted_at"}, **ends}


def _sort(rng: Random, user: str) -> dict[str, Any]:
    scopes: list[dict[str, Any]] = [
        {"entity": "record", "property": "status"},
        {"entity": "record", "property": "inserted_at"},
        {"entity": "metadata", "metadata_property": "round"},
        {"entity": "metadata", "metadata_property": "turn"},
        {"entity": "metadata", "metadata_property": "share"},
        {"entity": "response", "question": "stars"},
        {"entity": "suggestion", "question": "label", "property": "value"},
        {"entity": "suggestion", "question": "tags", "property": "value"},
    ]
    hidden: list[dict[str, Any]] = [
        {"entity": "metadata", "metadata_property": "hidden"},
        {"entity": "suggestion", "question": "tags", "property": "score"},
        {"entity": "suggestion", "question": "label", "property": "agent"},
    ]
    scope = rng.choice(scopes + hidden if user == "owner" else scopes)
    return {"scope": scope, "order": rng.choice(("asc", "desc"))}


def check_queries(ours: Side, theirs: Side, *, seed: int, queries: int) -> None:
    """Ask both the same random queries; fail with the first that they answer differently."""
    rng = Random(seed)
    found = 0
    for _ in range(queries):
        asked = random_query(rng, len(ours.times))
        here, there = ask(ours, asked), ask_and_compare(theirs, asked)
        assert here.total == there.total, asked
        order = list if asked.is_ordered else sorted
        assert order(here.found) == order(there.found), asked
        assert all(map(_equal, here.scores, there.scores)), asked
        found += bool(here.total)
    assert found > queries / 2  # else little was compared


def _equal(here: float, there: float) -> bool:
    return math.isclose(here, there, abs_tol=1e-9)
