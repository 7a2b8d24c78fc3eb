"""Random datasets for the search engine: the same one on several servers, and then changed.

A dataset has every kind of field, question and metadata, and a vector. What is random comes from a
seed, so each server gets the same; records are known by their external ids (`c0`, `c1`, ...), since
every server gives ids and times of its own.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

import httpx
from services_fixture import session

from labelling.services import Services

ANNOTATORS = ("annotator_a", "annotator_b")
WORDS = (
    "alpha beta gamma delta epsilon zeta Alpha BETA gammas deltoid Straße ÉCOLE naïve Привет "
    "don't example.com 3.7 snake_case foo-bar x86 2024 alphabet"
).split()
LABELS = ("yes", "until", "no")
TAGS = ("red", "green", "blue", "grey")
AGENTS = ("gate-1", "gate-2", "rule")
FLOATS = (0.125, 0.5, -1.75, 2.0, 1024.5)  # exact in the 32 bits that OpenSearch keeps
DIMENSIONS = 3


@dataclass
class Side:
    """One server's copy of a dataset."""

    clients: dict[str, httpx.Client]
    dataset: str
    questions: dict[str, str]  # name -> id
    users: dict[str, str]
    records: dict[str, str] = field(default_factory=dict)  # external id -> id
    times: dict[str, str] = field(default_factory=dict)  # external id -> when it was inserted
    vectors: dict[str, list[float]] = field(default_factory=dict)
    responses: dict[tuple[str, str], str] = field(default_factory=dict)

    def call(self, user: str, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """The JSON of an answer; anything but success fails the test."""
        answer = self.clients[user].request(method, path, json=body, params=params)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None


def sides(services: list[Services], seed: int, records: int = 60) -> list[Side]:
    """The random dataset of the seed on each of the servers, answered and changed."""
    made = [publish(one) for one in services]
    rng = Random(seed)
    items = [_record(rng, i) for i in range(records)]
    for side in made:
        _fill(side, items)
    for _ in range(2 * records):
        name, *what = _change(rng, records)
        for side in made:
            _CHANGES[name](side, *what)
    return made


def publish(services: Services) -> Side:
    clients = {name: session(services, name) for name in ("owner", *ANNOTATORS)}
    users = {name: client.get("/me").json()["id"] for name, client in clients.items()}
    side = Side(clients, "", {}, users)
    call = side.call
    workspace = call("owner", "POST", "/workspaces", {"name": f"w-{uuid4().hex[:8]}"})["id"]
    for name in ANNOTATORS:
        call("owner", "POST", f"/workspaces/{workspace}/users", {"user_id": users[name]})
    overlap = {"strategy": "overlap", "min_submitted": 2}
    body = {"name": "searched", "workspace_id": workspace, "distribution": overlap}
    side.dataset = call("owner", "POST", "/datasets", body)["id"]
    for kind, part in _PARTS:
        made = call("owner", "POST", f"/datasets/{side.dataset}/{kind}", part)
        if kind == "questions":
            side.questions[part["name"]] = made["id"]
    call("owner", "PUT", f"/datasets/{side.dataset}/publish")
    return side


def _part(
    kind: str, name: str, settings: dict[str, Any], **more: Any
) -> tuple[str, dict[str, Any]]:
    return kind, {"name": name, "title": name, "settings": settings, **more}


def _options(values: Any) -> list[dict[str, Any]]:
    return [{"value": value, "text": str(value)} for value in values]


_PARTS = [
    _part("fields", "said", {"type": "text", "use_markdown": False}, required=True),
    _part("fields", "more", {"type": "text", "use_markdown": True}),
    _part("fields", "talk", {"type": "chat", "use_markdown": False}),
    _part("fields", "page", {"type": "custom", "template": "<i></i>", "advanced_mode": True}),
    _part("fields", "picture", {"type": "image"}),
    _part(
        "questions",
        "label",
        {"type": "label_selection", "options": _options(LABELS)},
        required=True,
    ),
    _part("questions", "tags", {"type": "multi_label_selection", "options": _options(TAGS)}),
    _part("questions", "stars", {"type": "rating", "options": [{"value": i} for i in range(6)]}),
    _part("questions", "rank", {"type": "ranking", "options": _options(("x", "y"))}),
    _part("questions", "free", {"type": "text", "use_markdown": False}),
    _part(
        "questions",
        "spans",
        {
            "type": "span",
            "field": "said",
            "options": _options(("a", "b")),
            "allow_overlapping": False,
        },
    ),
    _part("metadata-properties", "round", {"type": "terms"}, visible_for_annotators=True),
    _part("metadata-properties", "turn", {"type": "integer"}, visible_for_annotators=True),
    _part("metadata-properties", "share", {"type": "float"}, visible_for_annotators=True),
    _part("metadata-properties", "hidden", {"type": "terms"}, visible_for_annotators=False),
    ("vectors-settings", {"name": "meaning", "title": "meaning", "dimensions": DIMENSIONS}),
]


def _text(rng: Random, most: int = 8) -> str:
    return rng.choice((" ", ", ", " – ")).join(rng.choices(WORDS, k=rng.randint(1, most)))


def _fields(rng: Random) -> dict[str, Any]:
    message = {"role": "user", "content": ""}
    talk = [{**message, "content": _text(rng)} for _ in range(rng.randint(1, 3))]
    page = {
        "k1": _text(rng),
        "k2": {"k3": [{"k4": _text(rng, 3)}, None]},
        "k5": rng.randint(90, 99),
    }
    maybe = {
        "more": _text(rng),
        "talk": talk,
        "page": page,
        "picture": "https://alpha.test/beta.png",
    }
    return {"said": _text(rng)} | {name: one for name, one in maybe.items() if rng.random() < 0.6}


def _metadata(rng: Random) -> dict[str, Any]:
    values = {
        "round": rng.sample(TAGS, k=rng.randint(1, 3)) if rng.random() < 0.5 else rng.choice(TAGS),
        "turn": rng.randint(-3, 12),
        "share": rng.choice(FLOATS),
        "hidden": rng.choice(AGENTS),
        "unknown": rng.choice(WORDS),
    }
    return {name: value for name, value in values.items() if rng.random() < 0.8}


def _values(rng: Random, said: str) -> dict[str, Any]:
    """Answers to all questions: name -> value."""
    start = rng.randrange(len(said))
    spans = [{"label": rng.choice("ab"), "start": start, "end": start + 1}]
    answers = {
        "tags": rng.sample(TAGS, k=rng.randint(1, 3)),
        "stars": rng.randint(0, 5),
        "rank": [{"value": "x", "rank": 1}, {"value": "y", "rank": rng.randint(1, 2)}],
        "free": _text(rng),
        "spans": spans,
    }
    some = {name: value for name, value in answers.items() if rng.random() < 0.7}
    return {"label": rng.choice(LABELS), **some}


def _suggestion(rng: Random, said: str) -> dict[str, Any]:
    """A suggestion to one question, which is named by `question`."""
    name, value = rng.choice(list(_values(rng, said).items()))
    scores = [rng.choice(FLOATS[:2]) for _ in (value if isinstance(value, list) else "a")]
    return {
        "question": name,
        "value": value,
        "type": rng.choice(("model", "human")),
        "agent": rng.choice(AGENTS),
        "score": rng.choice((None, scores if isinstance(value, list) else scores[0])),
    }


def _record(rng: Random, i: int) -> dict[str, Any]:
    fields = _fields(rng)
    suggestions = {
        one["question"]: one for one in (_suggestion(rng, fields["said"]) for _ in "abc")
    }
    vector = {"meaning": [rng.uniform(-1, 1) for _ in range(DIMENSIONS)]}
    return {
        "external_id": f"c{i}",
        "fields": fields,
        "metadata": _metadata(rng),
        "suggestions": list(suggestions.values()),
        "vectors": vector if rng.random() < 0.8 else {},
    }


def _fill(side: Side, items: list[dict[str, Any]]) -> None:
    for start in range(0, len(items), 20):
        part = [
            {**item, "suggestions": [_put(side, one) for one in item["suggestions"]]}
            for item in items[start : start + 20]
        ]
        made = side.call("owner", "POST", f"/datasets/{side.dataset}/records/bulk", {"items": part})
        side.records |= {one["external_id"]: one["id"] for one in made["items"]}
        side.times |= {one["external_id"]: one["inserted_at"] for one in made["items"]}
    side.vectors = {one["external_id"]: v for one in items for v in one["vectors"].values()}


def _put(side: Side, suggestion: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in suggestion.items() if name != "question"}
    return {"question_id": side.questions[suggestion["question"]], **rest}


def _change(rng: Random, records: int) -> tuple[Any, ...]:
    """One change, as the name of a function below and its arguments."""
    one, user = f"c{rng.randrange(records)}", rng.choice(ANNOTATORS)
    name = rng.choices(list(_CHANGES), weights=[12, 2, 2, 2, 2, 2, 1])[0]
    drawn = {
        "answer": lambda: (
            user,
            rng.choice(("submitted", "draft", "discarded")),
            _values(rng, "a"),
        ),
        "withdraw": lambda: (user,),
        "describe": lambda: (_metadata(rng),),
        "rewrite": lambda: (_fields(rng),),
        "suggest": lambda: (_suggestion(rng, "a"),),
        "unsuggest": lambda: (rng.random(),),
        "remove": lambda: (),
    }
    return name, one, *drawn[name]()


def _answer(side: Side, one: str, user: str, status: str, values: dict[str, Any]) -> None:
    if one in side.records:
        body = {"status": status, "values": {n: {"value": v} for n, v in values.items()}}
        known = side.responses.get((one, user))
        path = f"/responses/{known}" if known else f"/records/{side.records[one]}/responses"
        made = side.call(user, "PUT" if known else "POST", path, body)
        side.responses[one, user] = made["id"]


def _withdraw(side: Side, one: str, user: str) -> None:
    if (one, user) in side.responses:
        side.call(user, "DELETE", f"/responses/{side.responses.pop((one, user))}")


def _describe(side: Side, one: str, metadata: dict[str, Any]) -> None:
    if one in side.records:
        side.call("owner", "PATCH", f"/records/{side.records[one]}", {"metadata": metadata})


def _rewrite(side: Side, one: str, fields: dict[str, Any]) -> None:
    if one in side.records:
        body = {"items": [{"id": side.records[one], "fields": fields}]}
        side.call("owner", "PUT", f"/datasets/{side.dataset}/records/bulk", body)


def _suggest(side: Side, one: str, suggestion: dict[str, Any]) -> None:
    if one in side.records:
        path = f"/records/{side.records[one]}/suggestions"
        side.call("owner", "PUT", path, _put(side, suggestion))


def _unsuggest(side: Side, one: str, which: float) -> None:
    if one in side.records:
        path = f"/records/{side.records[one]}/suggestions"
        names = {made: name for name, made in side.questions.items()}
        found = side.call("owner", "GET", path)["items"]
        found.sort(key=lambda suggestion: names[suggestion["question_id"]])
        if found:
            side.call("owner", "DELETE", path, ids=found[int(which * len(found))]["id"])


def _remove(side: Side, one: str) -> None:
    if one in side.records:
        made = side.records.pop(one)
        side.call("owner", "DELETE", f"/datasets/{side.dataset}/records", ids=made)
        side.responses = {key: value for key, value in side.responses.items() if key[0] != one}


_CHANGES: dict[str, Any] = {
    "answer": _answer,
    "withdraw": _withdraw,
    "describe": _describe,
    "rewrite": _rewrite,
    "suggest": _suggest,
    "unsuggest": _unsuggest,
    "remove": _remove,
}
