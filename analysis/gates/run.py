"""Runs one gate over conversations -> rows of `proposals` and `gate_turns`.

A gate runs on every visible user turn of a session, in order, and sees the past only. Its evidence
is checked here, once: a quote that does not stand verbatim in a user's turn outside injected text
turns the proposal into a `reject` with its reason; nothing is thrown away.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from analysis.gates import Context, Event, Proposal, Span, Turn
from analysis.gates.registry import NamedGate
from labelling.tables import content_id

OFFERED = ("admit", "confirm", "log")


@dataclass(frozen=True)
class Session:
    """A conversation as gates see it: its visible turns, and its events by turn."""

    session_id: str
    turns: tuple[Turn, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Replayed:
    """Rows of `proposals` and `gate_turns` of one gate."""

    proposals: list[dict[str, Any]]
    gate_turns: list[dict[str, Any]]


def conversations(
    sessions: pl.DataFrame, turns: pl.DataFrame, events: pl.DataFrame
) -> Iterator[Session]:
    """The study's sessions in order of their ids."""
    users = dict(sessions.select("session_id", "user_id").iter_rows())
    visible = turns.filter(~pl.col("hidden")).sort("session_id", "turn")
    happened: dict[str, list[Event]] = {}
    for row in events.sort("session_id", "turn").iter_rows(named=True):
        event = Event(row["turn"], row["event"], row["statement"], row["at"])
        happened.setdefault(row["session_id"], []).append(event)
    for (session_id,), part in visible.group_by("session_id", maintain_order=True):
        spoken = tuple(_turn(row, users) for row in part.iter_rows(named=True))
        yield Session(str(session_id), spoken, tuple(happened.get(str(session_id), ())))


def run(gate: NamedGate, sessions: Iterable[Session]) -> Replayed:
    """Run one gate over sessions. A gate that raises gives a failure row, never an exception."""
    proposals: list[dict[str, Any]] = []
    gate_turns: list[dict[str, Any]] = []
    roles = getattr(gate.run, "roles", ("user",))
    for session in sessions:
        for position, turn in enumerate(session.turns):
            if turn.role in roles:
                found, ran = _one(gate, session, position)
                proposals += found
                gate_turns.append(ran)
    return Replayed(proposals, gate_turns)


def grounded(proposal: Proposal, turn: Turn, history: Sequence[Turn]) -> Proposal:
    """The proposal with its evidence located and checked; what fails becomes a reject."""
    seen = {t.turn: t for t in (*history, turn)}
    spans = proposal.evidence or _located(proposal.quote, turn, history)
    reason = _flaw(spans, seen)
    quote = proposal.quote
    if quote is None and spans and reason != "quote_not_found":
        quote = seen[spans[0].turn].text[spans[0].start : spans[0].end]
    checked = replace(proposal, evidence=() if reason == "quote_not_found" else spans, quote=quote)
    if reason and proposal.verdict in OFFERED:
        return replace(checked, verdict="reject", reject_reason=reason)
    return checked


def proposal_row(
    gate: str, setting: str, basis: str, turn: Turn, proposal: Proposal, place: int
) -> dict[str, Any]:
    """A row of `proposals`; its id is a hash of what it says, where, and its place in the run."""
    row = asdict(proposal) | {"gate": gate, "setting": setting, "basis": basis}
    row |= {"session_id": turn.session_id, "turn": turn.turn}
    row["expires_at"] = _aware(proposal.expires_at)
    parts = (proposal.statement, proposal.quote, proposal.scope, proposal.polarity, place)
    row["proposal_id"] = content_id(gate, setting, turn.session_id, turn.turn, *parts)
    return row


def _turn(row: Mapping[str, Any], users: Mapping[str, str]) -> Turn:
    return Turn(
        session_id=row["session_id"],
        turn=row["turn"],
        role=row["role"],
        text=row["text"],
        speaker=row["speaker"],
        user_id=users.get(row["session_id"], row["session_id"]),
        at=row["at"],
        tokens=row["tokens"],
        injected_spans=tuple((span["start"], span["end"]) for span in row["injected_spans"]),
    )


def _one(
    gate: NamedGate, session: Session, position: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    turn = session.turns[position]
    history = session.turns[:position]
    past = tuple(event for event in session.events if event.turn <= turn.turn)
    began = time.perf_counter_ns()
    try:
        offered, failure = list(gate.run(turn, Context(history, past))), None
    except Exception as error:  # a gate is anybody's code: its failure is a row
        offered, failure = [], f"{type(error).__name__}: {error}"[:200]
    latency_ms = (time.perf_counter_ns() - began) / 1e6
    checked = [grounded(proposal, turn, history) for proposal in offered]
    rows = [
        proposal_row(gate.name, gate.setting, "live", turn, proposal, place)
        for place, proposal in enumerate(checked)
    ]
    run = {
        "gate": gate.name,
        "setting": gate.setting,
        "session_id": turn.session_id,
        "turn": turn.turn,
        "proposals": len(rows),
        "latency_ms": latency_ms,
        "on_path": gate.on_path,
        "failure": failure,
        "basis": "live",
    }
    return rows, run


def _located(quote: str | None, turn: Turn, history: Sequence[Turn]) -> tuple[Span, ...]:
    """Where a quote stands: in the turn itself, else in the user's latest turn that has it."""
    for said in (turn, *(t for t in reversed(history) if t.role == "user")):
        start = said.text.find(quote) if quote else -1
        if quote and start >= 0:
            return (Span(said.turn, said.role, start, start + len(quote)),)
    return ()


def _flaw(spans: Sequence[Span], seen: Mapping[int, Turn]) -> str | None:
    """The first thing wrong with evidence: not there, not the user's, or injected."""
    if not spans or not all(_stands(span, seen) for span in spans):
        return "quote_not_found"
    users = [span for span in spans if seen[span.turn].role == "user"]
    if not users:
        return "assistant_turn"
    return "injected" if all(_touched(span, seen[span.turn]) for span in users) else None


def _stands(span: Span, seen: Mapping[int, Turn]) -> bool:
    said = seen.get(span.turn)
    return (
        said is not None and said.role == span.role and 0 <= span.start < span.end <= len(said.text)
    )


def _touched(span: Span, turn: Turn) -> bool:
    return any(start < span.end and span.start < end for start, end in turn.injected_spans)


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
