"""What a store holds: its records out of JSON lines, or those of a study's gate.

A line is one record: record_id, user_id, statement; optionally session_id, turn, quote, kind,
scope, created_at, expires_at, and `corrected`: true where the user corrected or deleted it, false
where not. A record that the user deleted may come without its statement: it counts among the
corrected and cannot be drawn. What fits nothing is a reject with its reason.
"""

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from labelling.settings import one_setting
from labelling.tables import InputError, columns, read
from labelling.tables.schemas import KINDS, SCOPE
from labelling.transcripts.fields import (
    Object,
    Unusable,
    count,
    identifier,
    moment,
    optional_choice,
    optional_identifier,
    optional_text,
)
from labelling.transcripts.model import Reject
from labelling.transcripts.source import source_of

STORE = "store"
"""The source of records that came in a file."""
SHAPE = "JSON lines of records with record_id, user_id and statement"
COLUMNS = {
    name: kind
    for name, kind in columns("audit_records").items()
    if name not in {"audit", "candidate_id", "source", "drawn_at", "inclusion_probability"}
}


@dataclass(frozen=True)
class Store:
    """Records (COLUMNS; statement null where it is gone), and the lines that fit nothing."""

    source: str
    records: pl.DataFrame
    rejects: list[dict[str, Any]] = field(default_factory=list)


def read_store(file: Path) -> Store:
    """The records of a file (`-`: standard input); raises InputError where none fits."""
    source = source_of(file)
    source.check_text()
    rows: list[tuple[Any, ...]] = []
    known: set[str] = set()
    rejects: list[Reject] = []
    for item in source.objects():
        if isinstance(item, Reject):
            rejects.append(item)
            continue
        try:
            row = _row(item.value)
            if row["record_id"] in known:
                raise Unusable(f"record {row['record_id']!r} was there before")
        except Unusable as unfit:
            rejects.append(item.reject(unfit))
        else:
            known.add(row["record_id"])
            rows.append(tuple(row[name] for name in COLUMNS))
    if not rows:
        raise InputError(
            f"{source.name} has no record: {_where(rejects[0])}",
            expected=SHAPE,
            then="export the store again",
        )
    table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return Store(STORE, table, [asdict(reject) for reject in rejects])


def gate_records(study: str, name: str) -> Store:
    """The records that a gate (`gate` or `gate/setting`) wrote in a study."""
    proposals, sessions = read(study, "proposals"), read(study, "sessions")
    admitted = proposals.filter(pl.col("verdict") == "admit")
    gate, setting = one_setting(name, admitted, study)
    own = admitted.filter(pl.col("gate") == gate, pl.col("setting") == setting)
    users = sessions.select("session_id", "user_id", "started_at")
    table = own.join(users, on="session_id", maintain_order="left").with_columns(
        record_id="proposal_id", created_at="started_at", corrected=pl.lit(None, pl.Boolean)
    )
    return Store(f"gate:{gate}/{setting}", table.select(list(COLUMNS)))


def _row(line: Object) -> dict[str, Any]:
    statement = optional_text(line, "statement")
    words = " ".join(statement.split()) if statement else ""
    corrected = _truth(line, "corrected")
    if not words and not corrected:
        raise Unusable("statement is missing (only a record that its user deleted may lack it)")
    turn = count(line, "turn")
    if turn is not None and turn >= 2**31:
        raise Unusable(f"turn is {turn}, expected a position in a conversation")
    return {
        "record_id": identifier(line, "record_id"),
        "user_id": identifier(line, "user_id"),
        "session_id": optional_identifier(line, "session_id"),
        "turn": turn,
        "statement": words or None,
        "quote": optional_text(line, "quote"),
        "kind": optional_choice(line, "kind", KINDS),
        "scope": _scope(line),
        "created_at": _at(line, "created_at"),
        "expires_at": _at(line, "expires_at"),
        "corrected": corrected,
    }


def _scope(line: Object) -> str | None:
    scope = optional_text(line, "scope")
    if scope is not None and not re.fullmatch(SCOPE, scope):
        raise Unusable(f"scope is {scope[:40]!r}, expected global or <what>:<name>")
    return scope


def _truth(line: Object, key: str) -> bool | None:
    found = line.get(key)
    if found is None or isinstance(found, bool):
        return found
    raise Unusable(f"{key} is {str(found)[:40]!r}, expected true or false")


def _at(line: Object, key: str) -> Any:
    try:
        return moment(line.get(key))
    except Unusable as error:
        found = str(line[key])[:40]
        raise Unusable(f"{key} is {found!r}, expected such as 2026-11-30T08:15:00Z") from error


def _where(reject: Reject) -> str:
    return f"{f'line {reject.line}: ' if reject.line else ''}{reject.reason}"
