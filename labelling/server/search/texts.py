"""Text queries in SQL, on the tables of `text_index`: which records hold the words."""

import re
from functools import reduce
from typing import Any

from argilla_server.models import Record
from argilla_server.search_engine import TextQuery
from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    cast,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.dialects.postgresql import TSQUERY, array
from sqlalchemy.types import Uuid

from labelling.server.search.dialect import IS_SQLITE
from labelling.server.simple_query import Node, Not, OneField, Term, parse

_texts = table(
    "gates_texts",
    column("id"),
    column("record_id", Uuid()),
    column("field", Text()),
    column("words", Text()),
    column("lexemes"),
)
_words = table("gates_words", column("rowid"), column("words", Text()))

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Letters of languages that put no space between words: what is asked for may be a part."""

_SHORT_WORD = re.compile(r"[a-z0-9]{1,100}")
_LONG_WORD = re.compile(r"\S{101}")
"""Of a word in a text, the index of PostgreSQL has the first 200 letters."""


def has_text(query: TextQuery | str | None) -> ColumnElement[bool]:
    """What a record must satisfy to hold what the query asks for, in all fields or in one.

    Raises ValueError for a query that is too long.
    """
    query = TextQuery(q=query) if isinstance(query, str) else query
    asked = parse(query.q) if query else None
    return true() if query is None or asked is None else _holds(asked, query.field)


def _holds(asked: Node, field: str | None) -> ColumnElement[bool]:
    if isinstance(asked, Not):
        return ~_holds(asked.part, field)
    if isinstance(asked, OneField):
        found = _found_sqlite(asked, field) if IS_SQLITE else _found_postgresql(asked, field)
        return Record.id.in_(found)
    both = _holds(asked.left, field), _holds(asked.right, field)
    return or_(*both) if asked.either else and_(*both)


def _found_sqlite(asked: OneField, field: str | None) -> Select[Any]:
    spaced = [_quoted(one) for one in asked.terms if not _UNSPACED.search(one.text)]
    parts = [_folded(one.text) for one in asked.terms if _UNSPACED.search(one.text)]
    words = select(_words.c.rowid)
    if spaced:
        words = words.where(literal_column("gates_words").op("MATCH")(" AND ".join(spaced)))
    words = words.where(*(_words.c.words.contains(part, autoescape=True) for part in parts))
    found = select(_texts.c.record_id).where(_texts.c.id.in_(words))
    return found.where(_texts.c.field == field) if field else found


def _quoted(term: Term) -> str:
    """The term in FTS5's language; the same letters are one as in the triggers."""
    text = _folded(term.text).replace('"', " ").replace("\0", " ")
    return f'"{text}" *' if term.prefix else f'"{text}"'


def _folded(text: str) -> str:
    return text.replace("ß", "ss").replace("ẞ", "ss")


def _found_postgresql(asked: OneField, field: str | None) -> Select[Any]:
    words = [(one, func.gates_words(cast(literal(one.text), Text))) for one in asked.terms]
    indexed = [_lexemes(said, one.prefix) for one, said in words if _is_indexed(one.text)]
    patterns = [_pattern(one, said) for one, said in words]
    if not indexed:
        found = select(_texts.c.record_id).where(*map(_texts.c.words.like, patterns))
        return found.where(_texts.c.field == field) if field else found
    lexemes = cast(reduce(lambda one, other: one + " & " + other, indexed), TSQUERY)
    exact = all(_SHORT_WORD.fullmatch(one.text.lower()) for one in asked.terms)
    return select(func.gates_found(lexemes, exact, array(patterns), cast(field, Text)))


def _is_indexed(text: str) -> bool:
    return not _UNSPACED.search(text) and not _LONG_WORD.search(text)


def _pattern(term: Term, words: ColumnElement[str]) -> ColumnElement[str]:
    """What the words of a field are like; a word there has a space before and behind."""
    if _UNSPACED.search(term.text):
        words = func.btrim(words)
    elif term.prefix:
        words = func.rtrim(words)
    return "%" + words + "%"


def _lexemes(words: ColumnElement[str], prefix: bool) -> ColumnElement[str]:
    """All words, in PostgreSQL's language: 'so' & 'written':* for a prefix; null for none."""
    every = func.nullif(func.btrim(words), "")
    return "'" + func.replace(every, " ", "' & '") + ("':*" if prefix else "'")
