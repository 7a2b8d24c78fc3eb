"""The history of answers read back, a change at a time; `history` says how it is written."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

PAUSE = 600.0
"""Seconds since the previous submit count up to here: whoever took longer was away."""

FINISHED = ("submitted", "discarded")
"""A person who submits or discards has finished a record; the next one's time begins."""

PAGE = """SELECT h.id, h.at, h.action, h.response_id, h.user_id, h.external_id, h.dataset,
        h.old_values, h.new_values, h.old_status, h.new_status, h.guidelines_id,
        (SELECT p.at FROM gates_history p WHERE p.user_id = h.user_id AND p.id < h.id
            AND p.new_status IN ('submitted', 'discarded') ORDER BY p.id DESC LIMIT 1) AS previous
    FROM gates_history h WHERE h.workspace = :workspace AND h.id > :after
    ORDER BY h.id LIMIT :limit"""
"""Changes of a workspace's answers; `previous` is when that person last finished a record."""


def change(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `PAGE` as plain data: ids as texts, times with their zone, values as objects.

    `seconds` since that person's previous submit or discard (at most `PAUSE`) stand where this
    change is one itself.
    """
    at, previous = _time(row["at"]), row["previous"] and _time(row["previous"])
    finished = row["action"] in ("insert", "update") and row["new_status"] in FINISHED
    passed = (at - previous).total_seconds() if previous and finished else None
    return {
        **{name: row[name] for name in ("id", "action", "external_id", "dataset")},
        **{name: row[name] for name in ("old_status", "new_status", "guidelines_id")},
        "at": at.isoformat(),
        "response_id": str(UUID(str(row["response_id"]))),
        "user_id": str(UUID(str(row["user_id"]))),
        "old_values": _values(row["old_values"]),
        "new_values": _values(row["new_values"]),
        "seconds": None if passed is None else min(max(passed, 0.0), PAUSE),
    }


def _time(stored: str | datetime) -> datetime:
    """SQLite has a time as a text, PostgreSQL as a time."""
    time = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return time.replace(tzinfo=UTC)


def _values(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored
