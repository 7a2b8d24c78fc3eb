"""Filters, sorts and text queries in Python, on the values a search looks at.

A column maps a record's id to the list of values one scope has there (a label's answer, the
terms of a metadata property, a score); a record without a value is not in it. A filter holds
when any value satisfies it; both bounds of a range are inclusive. Records without a value come
last in either order. All orders are stable.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any
from uuid import UUID

from argilla_server.enums import SortOrder
from argilla_server.search_engine import RangeFilter, TermsFilter

Column = Mapping[UUID, list[Any]]
MAX_CHARACTERS = 1000
MAX_WORDS = 50
_WORD_OR_PHRASE = re.compile(r'"([^"]*)"|(\S+)')
_PUNCTUATION = re.compile(r"^\W+|\W+$")


def scalars(value: Any) -> list[Any]:
    """The values in a value: none in null or an object, each item of a list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if item is not None and not isinstance(item, dict | list)]


def holds(condition: TermsFilter | RangeFilter, values: Iterable[Any]) -> bool:
    """Whether any of the values is among the terms, or inside the range."""
    if isinstance(condition, TermsFilter):
        return any(_term(value) in condition.values for value in values)
    return any(_inside(condition, value) for value in values)


def in_order(records: list[UUID], column: Column, order: SortOrder) -> list[UUID]:
    """Records by their least value ascending, or their greatest descending; then those without."""
    descending = order == SortOrder.desc
    best = max if descending else min
    keys = {record: best(map(_sortable, values)) for record, values in column.items() if values}
    present = [record for record in records if record in keys]
    present.sort(key=keys.__getitem__, reverse=descending)
    return present + [record for record in records if record not in keys]


def shuffled(records: list[UUID], user_id: object) -> list[UUID]:
    """Records in an order that is random to the eye, a user's own, and always the same."""
    seed = str(user_id).encode()

    def place(record: UUID) -> bytes:
        return hashlib.blake2b(record.bytes, key=seed[:64], digest_size=8).digest()

    return sorted(records, key=place)


def text_matcher(query: str) -> Callable[[str], bool]:
    """A test for texts that hold every word (and quoted phrase) of the query.

    Case is ignored, words are whole words, and `word*` matches its beginnings. Raises ValueError
    for a query of more than MAX_CHARACTERS characters or MAX_WORDS words.
    """
    _check_length(query)
    patterns = [re.compile(pattern) for pattern in dict.fromkeys(_patterns(query.casefold()))]

    def matches(text: str) -> bool:
        folded = text.casefold()
        return all(pattern.search(folded) for pattern in patterns)

    return matches


def _check_length(query: str) -> None:
    words = len(query.split())
    if len(query) > MAX_CHARACTERS or words > MAX_WORDS:
        raise ValueError(
            f"The search has {len(query)} characters in {words} words; it may have "
            f"{MAX_CHARACTERS} in {MAX_WORDS}: search for fewer words."
        )


def texts(value: Any) -> list[str]:
    """The texts of a field's value: itself, a chat's contents, every text of a custom field."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(_content(item))]
    return [] if value is None else [str(value)]


def _content(item: Any) -> Any:
    is_message = isinstance(item, dict) and set(item) == {"role", "content"}
    return item["content"] if is_message else item


def _patterns(query: str) -> Iterable[str]:
    for phrase, word in _WORD_OR_PHRASE.findall(query):
        words = [_PUNCTUATION.sub("", part) for part in (phrase or word).split()]
        first, *rest = [re.escape(part) for part in words if part] or [""]
        if first:
            # That no word goes on before it is asked last: a pattern that begins with plain
            # letters is searched for ten times as fast.
            body = r"\W+".join([rf"{first}(?<!\w{first})", *rest])
            yield body + ("" if word.endswith("*") else r"(?!\w)")


def _term(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _inside(condition: RangeFilter, value: Any) -> bool:
    low, high = condition.ge, condition.le
    try:
        return (low is None or value >= low) and (high is None or value <= high)
    except TypeError:  # a text against a number is outside, not an error
        return False


def _sortable(value: Any) -> tuple[bool, Any]:
    """Numbers before texts, so that a column of both can be sorted."""
    return (isinstance(value, str), _term(value) if isinstance(value, Enum) else value)
