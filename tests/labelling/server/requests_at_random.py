"""Requests made from the server's own OpenAPI document: mostly well formed, now and then hostile.

An operation is a route with a method; what is drawn depends on the random numbers alone.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NUMBERS = (0, 1, -1, 2, 50, 1000, 1001, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, 1e308)
TEXTS = (
    "",
    "a",
    "durable",
    "c0",
    "yes",
    "\u0000",
    "\ud83d",
    "🙂" * 30,
    "x" * 3000,
    "%00",
    "' OR 1=1 --",
    '"*"',
    "(((",
    "-1",
    "1e400",
    "a\u202eb",
    "../..",
    "{{x}}",
    "[]",
)
OTHER = (None, True, [], {}, [[]], {"": ""}, [None], {"and": [{}]})


@dataclass(frozen=True)
class Operation:
    """What the document says of a route and a method; `body` is a schema."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None


def operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    """Every operation of the document whose body is JSON or none."""
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            query = {one["name"]: one["schema"] for one in said.get("parameters", [])}
            content = said.get("requestBody", {}).get("content", {"application/json": {}})
            if "application/json" in content:
                body = content["application/json"].get("schema")
                inside = {name: one for name, one in query.items() if f"{{{name}}}" not in path}
                yield Operation(method.upper(), path, inside, body)


class Draw:
    """Draws values of the document's schemas; one in `hostile` is of another kind."""

    def __init__(self, document: Mapping[str, Any], chance: random.Random, known: Any) -> None:
        self.named = document["components"]["schemas"]
        self.chance = chance
        self.known = known  # name of a property or parameter -> values that exist
        self.hostile = 0.04

    def value(self, schema: Mapping[str, Any], name: str = "") -> Any:
        if self.chance.random() < self.hostile:
            return self.chance.choice((*NUMBERS, *TEXTS, *OTHER))
        if "$ref" in schema:
            return self.value(self.named[schema["$ref"].rsplit("/", 1)[-1]], name)
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                return self.value(self.chance.choice(schema[several]), name)
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        kind = schema.get("type", "string")
        return getattr(self, f"_{kind}")(schema, name)

    def _object(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        listed = schema.get("properties", {})
        required = schema.get("required", ())
        made = {
            key: self.value(one, key)
            for key, one in listed.items()
            if key in required or self.chance.random() < 0.5
        }
        if "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
            key = self.chance.choice(self.known.get("name", TEXTS))
            made[key] = self.value(schema["additionalProperties"], key)
        return made

    def _array(self, schema: Mapping[str, Any], name: str) -> list[Any]:
        count = self.chance.choice((0, 1, 1, 2))
        return [self.value(schema.get("items", {}), name) for _ in range(count)]

    def _string(self, schema: Mapping[str, Any], name: str) -> str:
        found = self.known.get(name, ())
        if found and self.chance.random() < 0.8:
            return str(self.chance.choice(found))
        if schema.get("format") == "uuid":
            return f"00000000-0000-4000-8000-{self.chance.randrange(16**12):012x}"
        if schema.get("format") == "date-time":
            return self.chance.choice(("2026-01-01T00:00:00", "2026-01-01", "0001-01-01T00:00:00Z"))
        return self.chance.choice(TEXTS)

    def _integer(self, schema: Mapping[str, Any], name: str) -> Any:
        return self.chance.choice(NUMBERS)

    _number = _integer

    def _boolean(self, schema: Mapping[str, Any], name: str) -> bool:
        return self.chance.random() < 0.5

    def _null(self, schema: Mapping[str, Any], name: str) -> None:
        return None
