"""What a live gate wrote, as JSON lines -> rows of `proposals` and `gate_turns`.

A line is one record: session_id, turn, statement; optionally quote, score, latency_ms, at, setting,
kind, scope, slot, value, polarity, expires_at. It was written, so it is admitted; whether it
deserved that is judged later. A gate turn stands for every visible user turn of the covered
sessions and for every turn with a record.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from analysis.gates import Proposal
from analysis.gates.run import Session, grounded, proposal_row
from labelling.tables import InputError, check, frame

SHAPE = "a JSON object with session_id, turn and statement"


@dataclass(frozen=True)
class Imported:
    """Rows of the two tables, and the lines that fit nothing."""

    proposals: pl.DataFrame
    gate_turns: pl.DataFrame
    rejects: list[dict[str, Any]]


class _Unfit(ValueError):
    """Why one line was refused."""


def read_records(
    file: Path, gate: str, sessions: Sequence[Session], sessions_file: Path | None = None
) -> Imported:
    """Read a file of records against the study's sessions. Raises InputError if nothing fits.

    `sessions_file` lists, one id a line, the sessions the live gate covered (else all of them).
    """
    covered = _covered(sessions, sessions_file)
    rows: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    latencies: dict[tuple[str, str, int], float | None] = {}
    for number, line in enumerate(_lines(file), 1):
        try:
            record = _parsed(line)
            row = _row(record, gate, covered, len(rows))
        except _Unfit as unfit:
            text = line.decode("utf-8", "replace")[:500]
            rejects.append({"file": file.name, "line": number, "reason": str(unfit), "text": text})
            continue
        rows.append(row)
        place = (row["setting"], row["session_id"], row["turn"])
        latencies[place] = _slowest(latencies.get(place), record.get("latency_ms"))
    checked = check("proposals", frame("proposals", rows))
    if checked.good.is_empty():
        raise InputError(
            f"{file} has no record that fits the study: {_first(rejects, checked.rules)}",
            expected=f"{SHAPE} a line, naming sessions of the study",
            then="compare its session_id and turn with `gates export turns --csv`",
        )
    rejects += [
        {"file": file.name, "reason": f"breaks {checked.rules}", "text": row["statement"]}
        for row in checked.bad.iter_rows(named=True)
    ]
    return Imported(checked.good, _gate_turns(gate, checked.good, covered, latencies), rejects)


def _covered(sessions: Sequence[Session], file: Path | None) -> dict[str, Session]:
    known = {session.session_id: session for session in sessions}
    if file is None:
        return known
    listed = [line.decode("utf-8", "replace").strip() for line in _lines(file)]
    unknown = [name for name in listed if name and name not in known]
    if unknown or not any(listed):
        raise InputError(
            f"{file} lists {'unknown session ' + unknown[0] if unknown else 'no session'}",
            expected="one session id of the study a line",
            then="see `gates export sessions --csv`",
        )
    return {name: known[name] for name in listed if name}


def _lines(file: Path) -> list[bytes]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file} cannot be read ({error.strerror})", expected="a file of JSON lines"
        ) from error
    return [line for line in content.splitlines() if line.strip()]


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _Unfit("not UTF-8") from error
    except ValueError as error:
        raise _Unfit(f"not JSON ({error})") from error
    if not isinstance(value, dict):
        raise _Unfit(f"{type(value).__name__} instead of {SHAPE}")
    return value


def _row(
    record: Mapping[str, Any], gate: str, covered: Mapping[str, Session], place: int
) -> dict[str, Any]:
    session = covered.get(_text(record, "session_id"))
    if session is None:
        raise _Unfit(f"session {record['session_id']!r} is not among the covered sessions")
    position = record.get("turn")
    at = next((i for i, t in enumerate(session.turns) if t.turn == position), None)
    if at is None or isinstance(position, bool):
        raise _Unfit(f"turn {position!r} is not a visible turn of {session.session_id}")
    turn = session.turns[at]
    offered = Proposal(
        statement=" ".join(_text(record, "statement").split()),
        quote=_optional(record, "quote"),
        kind=_optional(record, "kind"),
        scope=_optional(record, "scope"),
        slot=_optional(record, "slot"),
        value=_optional(record, "value"),
        polarity=_typed(record, "polarity", bool),
        expires_at=_moment(record),
        score=_number(record, "score"),
        score_kind="as recorded" if record.get("score") is not None else None,
    )
    _number(record, "latency_ms")
    proposal = offered
    if offered.quote is not None:
        found = grounded(offered, turn, session.turns[:at])
        proposal = replace(found, verdict="admit")  # it was written, whatever it rests on
    setting = _optional(record, "setting") or "as recorded"
    return proposal_row(gate, setting, "recorded", turn, proposal, place)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _Unfit(f"{name} is {value!r}; expected text")
    return value


def _optional(record: Mapping[str, Any], name: str) -> str | None:
    return None if record.get(name) is None else _text(record, name)


def _typed(record: Mapping[str, Any], name: str, kind: type) -> Any:
    value = record.get(name)
    if value is not None and not isinstance(value, kind):
        raise _Unfit(f"{name} is {value!r}; expected {kind.__name__}")
    return value


def _number(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e308:
        raise _Unfit(f"{name} is {value!r}; expected a finite number")
    return float(value)


def _moment(record: Mapping[str, Any]) -> datetime | None:
    text = _optional(record, "expires_at")
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise _Unfit(f"expires_at is {text!r}; expected an ISO date") from error


def _slowest(one: float | None, other: float | None) -> float | None:
    return max((x for x in (one, other) if x is not None), default=None)


def _gate_turns(
    gate: str,
    proposals: pl.DataFrame,
    covered: Mapping[str, Session],
    latencies: Mapping[tuple[str, str, int], float | None],
) -> pl.DataFrame:
    places = [(s.session_id, turn) for s in covered.values() for turn in _user_turns(s)]
    keys = ("setting", "session_id", "turn")
    counts = {(a, b, c): n for a, b, c, n in proposals.group_by(keys).len().iter_rows()}
    settings = sorted(set(proposals["setting"]))
    runs = {(setting, *place) for setting in settings for place in places} | set(counts)
    return frame(
        "gate_turns",
        (
            {
                "gate": gate,
                "setting": setting,
                "session_id": session_id,
                "turn": turn,
                "proposals": counts.get((setting, session_id, turn), 0),
                "latency_ms": latencies.get((setting, session_id, turn)),
                "on_path": True,
                "basis": "recorded",
            }
            for setting, session_id, turn in sorted(runs)
        ),
    )


def _user_turns(session: Session) -> list[int]:
    """Where a gate runs; a session in which no user speaks counts by its first turn."""
    user = [turn.turn for turn in session.turns if turn.role == "user"]
    return user or [session.turns[0].turn]


def _first(rejects: Sequence[Mapping[str, Any]], rules: Mapping[str, int]) -> str:
    if rejects:
        return f"line {rejects[0]['line']}: {rejects[0]['reason']}"
    return f"rules broken: {dict(rules)}" if rules else "it is empty"
