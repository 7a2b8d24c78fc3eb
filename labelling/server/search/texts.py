"""Text queries in SQL, on the tables of `text_index`: which records hold the words."""

import re
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
from sqlalchemy.dialects.postgresql import TSQUERY
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

_SHORT_WORD = re.compile(r"[a-z0-9]{1,200}")


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
        found = _found_sqlite(asked) if IS_SQLITE else _found_postgresql(asked)
        return Record.id.in_(found.where(_texts.c.field == field) if field else found)
    both = _holds(asked.left, field), _holds(asked.right, field)
    return or_(*both) if asked.either else and_(*both)


def _found_sqlite(asked: OneField) -> Select[Any]:
    spaced = [_quoted(one) for one in asked.terms if not _UNSPACED.search(one.text)]
    found = select(_texts.c.record_id).join(_words, _words.c.rowid == _texts.c.id)
    if spaced:
        found = found.where(literal_column("gates_words").op("MATCH")(" AND ".join(spaced)))
    parts = [_folded(one.text) for one in asked.terms if _UNSPACED.search(one.text)]
    return found.where(*(_words.c.words.contains(part, autoescape=True) for part in parts))


def _quoted(term: Term) -> str:
    """The term in FTS5's language; the same letters are one as in the triggers."""
    text = _folded(term.text).replace('"', " ").replace("\0", " ")
    return f'"{text}" *' if term.prefix else f'"{text}"'


def _folded(text: str) -> str:
    return text.replace("ß", "ss").replace("ẞ", "ss")


def _found_postgresql(asked: OneField) -> Select[Any]:
    return select(_texts.c.record_id).where(*map(_in_words, asked.terms))


def _in_words(term: Term) -> ColumnElement[bool]:
    words = func.gates_words(cast(literal(term.text), Text))
    if _UNSPACED.search(term.text):
        return _texts.c.words.like("%" + func.btrim(words) + "%")
    ended = func.rtrim(words) if term.prefix else words
    in_order = _texts.c.words.like("%" + ended + "%")
    every = _texts.c.lexemes.op("@@")(_lexemes(words, term.prefix))
    if _SHORT_WORD.fullmatch(term.text.lower()):
        return or_(every, and_(_texts.c.lexemes.is_(None), in_order))
    return and_(or_(every, _texts.c.lexemes.is_(None)), in_order)


def _lexemes(words: ColumnElement[str], prefix: bool) -> ColumnElement[Any]:
    """All words, in PostgreSQL's language: 'so' & 'written':* for a prefix."""
    quoted = "'" + func.replace(func.btrim(words), " ", "' & '") + ("':*" if prefix else "'")
    return cast(quoted, TSQUERY)
