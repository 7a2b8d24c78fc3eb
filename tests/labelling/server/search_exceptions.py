"""Where the answers of our search engine differ from those of Argilla's own, and why.

Each is asked of both engines on the records of `RECORDS`. Not asked, since the stand-in for
OpenSearch differs from it there:

- Vectors: ours are compared exactly, and filtered first. OpenSearch looks at some of them, takes
  the nearest, and filters what it took, so it may find fewer than there are. The stand-in has none.
- A sort by a label or a status of an answer: OpenSearch refuses the mean of texts; ours sorts.
- A text where the property is a number (`turn` among `x`): OpenSearch fails; ours finds nothing.
- An annotator's progress counts that annotator's answers; Argilla's engines count, on the records
  that the annotator answered, everybody's (asked in `test_search_differential`).
- `updated_at` is the record's; Argilla's engines do not hear of a status that changes it.
- A metadata property that is made later is found on older records too.
- Numbers of a float property are exact here; OpenSearch keeps 32 bits of them.
"""

from dataclasses import dataclass
from typing import Any

from search_study import Side

RECORDS: dict[str, dict[str, Any]] = {
    "joined": {"said": "see example.com and snake_case"},
    "talk": {"said": "one", "talk": [{"role": "user", "content": "hello world"}]},
    "page": {"said": "two", "page": {"k1": ["gamma", "delta"]}},
    "street": {"said": "Straße"},
    "tokyo": {"said": "東京に行く"},
    "seldom": {"said": "rare " + "word " * 9},
    "often": {"said": "rare " * 9},
}


@dataclass(frozen=True)
class Difference:
    """A search on which the engines differ: what each finds; `ordered` if the order matters."""

    why: str
    body: dict[str, Any]
    ours: list[str]
    theirs: list[str]
    ordered: bool = False


def _text(q: str, **field: str) -> dict[str, Any]:
    return {"query": {"text": {"q": q, **field}}}


def _where(scope: dict[str, Any], *values: str) -> dict[str, Any]:
    return {"filters": {"and": [{"type": "terms", "scope": scope, "values": list(values)}]}}


ALL = list(RECORDS)
DIFFERENCES = [
    Difference(
        "a sign inside joins words there; here each is found", _text("example"), ["joined"], []
    ),
    Difference("as before: an underscore", _text("case"), ["joined"], []),
    Difference("the role of a message is no text of it", _text("user"), [], ["talk"]),
    Difference("the names in a custom field are no text of it", _text("k1"), [], ["page"]),
    Difference(
        "no phrase goes on in another text of a custom field", _text('"gamma delta"'), [], ["page"]
    ),
    Difference("ß is ss", _text("strasse"), ["street"], []),
    Difference("signs of a language without spaces stand together", _text("京東"), [], ["tokyo"]),
    Difference(
        "what holds no letter or digit asks nothing", _text("rare %"), ["often", "seldom"], []
    ),
    Difference("what asks nothing is no query", _text("%"), ALL, []),
    Difference("words are taken as they are written", _text("strase~1"), [], ["street"]),
    Difference(
        "a phrase is taken as it is written",
        _text('"see example.com snake_case"~2'),
        [],
        ["joined"],
    ),
    Difference("a beginning after a sign", _text("hello-wor*"), ["talk"], []),
    Difference(
        "no relevance: in the order of insertion",
        _text("rare"),
        ["seldom", "often"],
        ["often", "seldom"],
        True,
    ),
    Difference(
        "an answer in text is found",
        _where({"entity": "response", "question": "free"}, "said so"),
        ["talk"],
        [],
    ),
    Difference(
        "no property of a suggestion is its value",
        _where({"entity": "suggestion", "question": "label", "property": None}, "yes"),
        ["page"],
        [],
    ),
]


def fill(side: Side) -> None:
    """The records above, an answer to `talk` and a suggestion for `page`."""
    items = [{"external_id": name, "fields": fields} for name, fields in RECORDS.items()]
    path = f"/datasets/{side.dataset}/records/bulk"
    made = side.call("owner", "POST", path, {"items": items})["items"]
    side.records |= {one["external_id"]: one["id"] for one in made}
    values = {"label": {"value": "yes"}, "free": {"value": "said so"}}
    body = {"status": "draft", "values": values}
    side.call("owner", "POST", f"/records/{side.records['talk']}/responses", body)
    suggestion = {"question_id": side.questions["label"], "value": "yes"}
    side.call("owner", "PUT", f"/records/{side.records['page']}/suggestions", suggestion)
