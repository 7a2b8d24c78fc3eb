"""What a live gate wrote, as JSON lines -> rows of `proposals` and `gate_turns`.

A line is one record: session_id, turn, statement; optionally quote, score, latency_ms, at, setting,
kind, scope, slot, value, polarity, expires_at. It was written, so it is admitted; whether it
deserved that is judged later. A gate turn stands for every visible user turn of the covered
sessions and for every turn with a record.
"""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from analysis.gates import Proposal
from analysis.gates.registry import BASELINES, BUILT_IN, check_name, is_name
from analysis.gates.registry import MOST as LONGEST
from analysis.gates.run import Session, grounded, past, place, proposal_row
from labelling.tables import InputError, frame
from labelling.tables.schemas import KINDS, SCOPE
from labelling.transcripts.fields import Unusable, clean, identifier, moment, whole_number
from labelling.transcripts.source import Source, parse, source_of

MOST = 1e308
SHAPE = "a JSON object with session_id, turn and statement"


@dataclass(frozen=True)
class Imported:
    """Rows of the two tables, and the lines of file `name` that fit nothing."""

    name: str
    proposals: pl.DataFrame
    gate_turns: pl.DataFrame
    rejects: list[dict[str, Any]]

    @property
    def lost_quotes(self) -> int:
        """How many records quote what nobody had said by their turn."""
        return self.proposals.filter(
            pl.col("quote").is_not_null(), pl.col("evidence").list.len() == 0
        ).height


def read_records(
    file: Path, gate: str, sessions: Sequence[Session], sessions_file: Path | None = None
) -> Imported:
    """Read a file of records (`-`: standard input) against the study's sessions.

    `sessions_file` lists, one id a line, the sessions the live gate covered (else all of them).
    Raises InputError if nothing fits, or the name is none for a live gate.
    """
    _check_name(gate)
    source = source_of(file)
    covered = _covered(sessions, sessions_file)
    rows: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    latencies: dict[tuple[str, str, int], float | None] = {}
    before: Counter[str] = Counter()
    for number, line in _lines(source):
        try:
            record = _parsed(line)
            latency = _number(record, "latency_ms", low=0)
            row = _row(record, gate, covered, before)
        except Unusable as unfit:
            text = clean(line.decode("utf-8", "replace")[:500])
            rejects.append(
                {"file": source.name, "line": number, "reason": str(unfit), "text": text}
            )
            continue
        rows.append(row)
        place = (row["setting"], row["session_id"], row["turn"])
        latencies[place] = _slowest(latencies.get(place), latency)
    if not rows:
        first = f"line {rejects[0]['line']}: {rejects[0]['reason']}" if rejects else "it is empty"
        raise InputError(
            f"{source.name} has no record that fits the study: {first}",
            expected=f"{SHAPE} a line, naming sessions of the study",
            then="compare its session_id and turn with `gates export turns --csv`",
        )
    proposals = frame("proposals", rows)
    return Imported(
        source.name, proposals, _gate_turns(gate, proposals, covered, latencies), rejects
    )


def _check_name(gate: str) -> None:
    """Raise InputError for what is no name, or is one of a gate that comes with the project."""
    check_name(gate)
    if gate in (*BUILT_IN, *BASELINES):
        raise InputError(
            f"{gate!r} is a gate of the project",
            expected="a name of its own for a live gate's records",
            then=f"choose another --gate, such as {gate}-live",
        )


def _covered(sessions: Sequence[Session], file: Path | None) -> dict[str, Session]:
    known = {session.session_id: session for session in sessions}
    if file is None:
        return known
    lines = [line.decode("utf-8", "replace") for _, line in _lines(source_of(file))]
    listed = [line if line in known else line.strip() for line in lines]
    unknown = [name for name in listed if name and name not in known]
    if unknown or not any(listed):
        raise InputError(
            f"{file} lists {'unknown session ' + unknown[0] if unknown else 'no session'}",
            expected="one session id of the study a line",
            then="see `gates export sessions --csv`",
        )
    return {name: known[name] for name in listed if name}


def _lines(source: Source) -> list[tuple[int, bytes]]:
    """The lines that are not blank, with their 1-based numbers."""
    with source.opened() as handle:
        content = handle.read().removeprefix(BOM_UTF8)
    return [(n, line) for n, line in enumerate(content.splitlines(), 1) if line.strip()]


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        value = parse(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Unusable("not UTF-8") from error
    if not isinstance(value, dict):
        raise Unusable(f"{type(value).__name__} instead of {SHAPE}")
    return value


def _row(
    record: Mapping[str, Any], gate: str, covered: Mapping[str, Session], before: Counter[str]
) -> dict[str, Any]:
    session = covered.get(identifier(record, "session_id"))
    if session is None:
        raise Unusable(f"session {_short(record['session_id'])} is not among the covered sessions")
    at = _position(record, session)
    turn = session.turns[at]
    offered = Proposal(
        statement=" ".join(_text(record, "statement").split()),
        quote=_optional(record, "quote"),
        kind=_fitting(record, "kind", "|".join(KINDS), " or ".join(KINDS)),
        scope=_fitting(record, "scope", SCOPE, "global or <what>:<name>"),
        slot=_optional(record, "slot"),
        value=_optional(record, "value"),
        polarity=_truth(record, "polarity"),
        expires_at=_moment(record),
        score=_number(record, "score"),
        score_kind="as recorded" if record.get("score") is not None else None,
    )
    proposal = offered
    if offered.quote is not None:
        found = grounded(offered, turn, past(session, at))
        # it was written, whatever it rests on
        proposal = replace(found, verdict="admit", reject_reason=None)
    setting = _setting(record)
    return proposal_row(gate, setting, "recorded", turn, proposal, before)


def _position(record: Mapping[str, Any], session: Session) -> int:
    """Where the record's turn stands among the visible turns."""
    number = whole_number(record, "turn")
    if number is None:
        raise Unusable("turn is missing")
    at = place(session.turns, number)
    if at is None:
        raise Unusable(f"turn {_short(number)} is not a visible turn of {session.session_id}")
    return at


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Unusable(f"{name} is {_short(value)}; expected text")
    return value


def _optional(record: Mapping[str, Any], name: str) -> str | None:
    return None if record.get(name) is None else _text(record, name)


def _setting(record: Mapping[str, Any]) -> str:
    setting = _optional(record, "setting") or "as recorded"
    if not is_name(setting):
        raise Unusable(f"setting is {_short(setting)}; expected 1-{LONGEST} printable characters")
    return setting


def _fitting(record: Mapping[str, Any], name: str, pattern: str, expected: str) -> str | None:
    value = _optional(record, name)
    if value is not None and not re.fullmatch(pattern, value):
        raise Unusable(f"{name} is {_short(value)}; expected {expected}")
    return value


def _truth(record: Mapping[str, Any], name: str) -> bool | None:
    value = record.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise Unusable(f"{name} is {_short(value)}; expected true or false")


def _number(record: Mapping[str, Any], name: str, *, low: float = -MOST) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= MOST:
        least = "" if low else " from 0"
        raise Unusable(f"{name} is {_short(value)}; expected a finite number{least}")
    return float(value)


def _moment(record: Mapping[str, Any]) -> datetime | None:
    try:
        return moment(record.get("expires_at"))
    except Unusable as error:
        found = record["expires_at"]
        raise Unusable(f"expires_at is {_short(found)}; expected such as 2027-01-31") from error


def _short(value: object) -> str:
    """A value as it was written; of a long one, its beginning."""
    told = repr(value)
    return told if len(told) <= 60 else f"{told[:60]}…"


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
