"""Typed values out of JSON objects: each function gives the value or raises Unusable with a reason.

A null counts as absent. Every text is made storable: a lone surrogate or a NUL becomes U+FFFD, one
for one, so offsets hold. Identifiers are not mended but refused, since two could become one.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeGuard

Object = Mapping[str, Any]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MILLISECONDS = 1e11  # as seconds this is the year 5138: a larger number counts milliseconds

_KINDS = {
    type(None): "missing",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


class Unusable(Exception):
    """A value that cannot be taken; the message is the reason for the user."""


def clean(text: str) -> str:
    """Replace what UTF-8 or a database cannot hold, character by character."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def text(value: Object, key: str) -> str:
    """A string that must be there; it may be empty."""
    found = optional_text(value, key)
    if found is None:
        raise Unusable(f"{key} is missing")
    return found


def optional_text(value: Object, key: str) -> str | None:
    """A string, or None."""
    found = value.get(key)
    if found is None or isinstance(found, str):
        return None if found is None else clean(found)
    raise Unusable(f"{key} is {_kind(found)}, expected text")


def identifier(value: Object, key: str) -> str:
    """A non-empty string or a whole number, as a string, that must be there."""
    found = optional_identifier(value, key)
    if found is None:
        raise Unusable(f"{key} is missing")
    return found


def optional_identifier(value: Object, key: str) -> str | None:
    """A non-empty string or a whole number, as a string, or None."""
    found = value.get(key)
    if found is None:
        return None
    if _is_whole(found):
        return str(found)
    if not isinstance(found, str) or not found.strip():
        kind = "empty" if isinstance(found, str) else _kind(found)
        raise Unusable(f"{key} is {kind}, expected a name or a whole number")
    if clean(found) != found:
        raise Unusable(f"{key} holds a character that cannot be stored")
    return found


def first_identifier(value: Object, *keys: str) -> str | None:
    """The identifier under the first of the keys that has one, or None."""
    return next((found for key in keys if (found := optional_identifier(value, key))), None)


def choice(value: Object, key: str, options: Mapping[str, str]) -> str:
    """What one of the option names stands for; it must be there."""
    found = text(value, key)
    if found not in options:
        raise Unusable(f"{key} is {found[:40]!r}, expected one of: {', '.join(options)}")
    return options[found]


def optional_choice(value: Object, key: str, options: tuple[str, ...]) -> str | None:
    """One of the options, or None."""
    return None if value.get(key) is None else choice(value, key, {o: o for o in options})


def flag(value: Object, key: str) -> bool:
    """True or false; absent is false."""
    found = value.get(key)
    if found is None or isinstance(found, bool):
        return bool(found)
    raise Unusable(f"{key} is {_kind(found)}, expected true or false")


def whole_number(value: Object, key: str) -> int | None:
    """An integer, or None."""
    found = value.get(key)
    if found is None:
        return None
    if not _is_whole(found):
        raise Unusable(f"{key} is {_kind(found)}, expected a whole number")
    return int(found)


def count(value: Object, key: str) -> int | None:
    """A whole number from 0 that 64 bits hold, or None."""
    found = whole_number(value, key)
    if found is not None and not 0 <= found < 2**63:
        raise Unusable(f"{key} is {found}, expected a number from 0")
    return found


def items(value: Object, key: str) -> list[Any]:
    """A list that must be there."""
    found = value.get(key)
    if not isinstance(found, list):
        raise Unusable(f"{key} is {_kind(found)}, expected a list")
    return found


def spans(value: Object, key: str, length: int) -> tuple[tuple[int, int], ...]:
    """(start, end) pairs out of a list of {start, end} inside a text of `length` code points."""
    found = [] if value.get(key) is None else items(value, key)
    return tuple(_span(span, key, length) for span in found)


def moment(found: object) -> datetime | None:
    """A UTC time out of ISO 8601 (without an offset it is UTC), or of seconds since 1970."""
    try:
        if found is None:
            return None
        if isinstance(found, str):
            return _utc(datetime.fromisoformat(found.strip()))
        if isinstance(found, int | float) and not isinstance(found, bool):
            seconds = found / 1000 if abs(found) >= _MILLISECONDS else found
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unusable("no time that can be read (expected such as 2026-11-30T08:15:00Z); left empty")


def _utc(found: datetime) -> datetime:
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _span(found: object, key: str, length: int) -> tuple[int, int]:
    start, end = (found.get("start"), found.get("end")) if isinstance(found, dict) else (None, None)
    if not (_is_whole(start) and _is_whole(end) and 0 <= start < end <= length):
        raise Unusable(f"{key} holds {str(found)[:40]}, expected a start and end inside the text")
    return start, end


def _is_whole(found: object) -> TypeGuard[int]:
    return isinstance(found, int) and not isinstance(found, bool)


def _kind(found: object) -> str:
    return _KINDS.get(type(found), "of another kind")
