"""Runs one gate over conversations -> rows of `proposals` and `gate_turns`.

A gate runs on every visible user turn of a session, in order, and sees the past only. Its evidence
is checked here, once: a quote that does not stand verbatim in a user's turn outside injected text
turns the proposal into a `reject` with its reason; nothing is thrown away.
"""

import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from operator import attrgetter
from typing import Any, get_type_hints

import polars as pl

from analysis.gates import Context, Event, Proposal, Span, Turn, foreign
from analysis.gates.prefix import Prefix
from analysis.gates.registry import NamedGate
from labelling.tables import content_id, normalise
from labelling.transcripts.fields import clean

OFFERED = ("admit", "confirm", "log")
IDENTITY = (
    "gate",
    "setting",
    "session_id",
    "turn",
    "statement",
    "quote",
    "kind",
    "scope",
    "slot",
    "value",
    "polarity",
)
"""The columns that tell one proposal from another."""
_NUMBER = attrgetter("turn")
_TYPES = {
    Proposal: get_type_hints(Proposal) | {"evidence": Iterable, "score": int | float | None},
    Span: get_type_hints(Span),
}


@dataclass(frozen=True)
class Session:
    """A conversation as gates see it: its visible turns and its events, in order of turns."""

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
    """Run one gate over sessions. A gate that raises gives a failure row, never an exception.

    What it prints goes to stderr.
    """
    proposals: list[dict[str, Any]] = []
    gate_turns: list[dict[str, Any]] = []
    with foreign.aside():
        for session in sessions:
            for position, own in enumerate(_copies(session)):
                if session.turns[position].role in gate.roles:
                    found, ran = _one(gate, session, position, own)
                    proposals += found
                    gate_turns.append(ran)
    return Replayed(proposals, gate_turns)


def past(session: Session, position: int) -> Context:
    """What a gate knows on the turn at a position: earlier turns, and events up to this one."""
    happened = bisect_right(session.events, session.turns[position].turn, key=_NUMBER)
    return Context(Prefix(session.turns, position), Prefix(session.events, happened))


def place(turns: Sequence[Turn], number: int) -> int | None:
    """The position of the turn of a number among turns in order; None where there is none."""
    found = bisect_left(turns, number, key=_NUMBER)
    return found if found < len(turns) and turns[found].turn == number else None


def grounded(proposal: Proposal, turn: Turn, context: Context) -> Proposal:
    """The proposal with its evidence located and checked; what fails becomes a reject."""
    spans = proposal.evidence or _located(proposal.quote, turn, context.history)
    seen = _named(spans, turn, context.history)
    flaw = _flaw(proposal.quote, spans, seen)
    spans = () if flaw == "quote_not_found" else tuple(spans)
    quote = proposal.quote
    if quote is None and spans:
        quote = seen[spans[0].turn].text[spans[0].start : spans[0].end]
    checked = replace(proposal, evidence=spans, quote=quote)
    if flaw and proposal.verdict in OFFERED and not _pressed(proposal.statement, context.events):
        return replace(checked, verdict="reject", reject_reason=flaw)
    return checked


def proposal_row(
    gate: str, setting: str, basis: str, turn: Turn, proposal: Proposal, before: Counter[str]
) -> dict[str, Any]:
    """A row of `proposals`; its id is a hash of what it says, where, and how often `before`."""
    row = asdict(proposal) | {"gate": gate, "setting": setting, "basis": basis}
    row |= {"session_id": turn.session_id, "turn": turn.turn}
    row["expires_at"] = _aware(proposal.expires_at)
    row["score"] = None if proposal.score is None else float(proposal.score)
    row = {name: clean(value) if isinstance(value, str) else value for name, value in row.items()}
    says = content_id(*(row[name] for name in IDENTITY))
    row["proposal_id"] = content_id(says, before[says])
    before[says] += 1
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


def _copies(session: Session) -> Iterator[tuple[Turn, Context]]:
    """What a gate is given, turn by turn: copies of its own, which it can spoil for nobody else.

    What comes later is not even behind it: the lists grow as the session goes on.
    """
    said: list[Turn] = []
    happened: list[Event] = []
    for turn in session.turns:
        until = bisect_right(session.events, turn.turn, key=_NUMBER)
        happened += map(replace, session.events[len(happened) : until])
        own = replace(turn)
        yield own, Context(Prefix(said), Prefix(happened))
        said.append(own)


def _one(
    gate: NamedGate, session: Session, position: int, own: tuple[Turn, Context]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    turn = session.turns[position]
    began = time.perf_counter_ns()
    try:
        with foreign.held():
            offered = list(gate.run(*own))
            ended, failure = time.perf_counter_ns(), None
            rows = _rows(gate, turn, past(session, position), offered)
    except foreign.Failure as error:
        ended, rows, failure = time.perf_counter_ns(), [], str(error)
    run = {
        "gate": gate.name,
        "setting": gate.setting,
        "session_id": turn.session_id,
        "turn": turn.turn,
        "proposals": len(rows),
        "latency_ms": (ended - began) / 1e6,
        "on_path": gate.on_path,
        "failure": failure,
        "basis": "live",
    }
    return rows, run


def _rows(
    gate: NamedGate, turn: Turn, context: Context, offered: Sequence[Proposal]
) -> list[dict[str, Any]]:
    before: Counter[str] = Counter()
    rows = []
    for proposal in offered:
        _check_types(proposal, Proposal)
        whole = replace(proposal, evidence=tuple(proposal.evidence))
        for span in whole.evidence:
            _check_types(span, Span)
        checked = grounded(whole, turn, context)
        rows.append(proposal_row(gate.name, gate.setting, "live", turn, checked, before))
    return rows


def _check_types(given: object, wanted: type) -> None:
    """Raises TypeError for what is no `wanted`, or has a field of another type than it says."""
    if not isinstance(given, wanted):
        raise TypeError(f"it gave {type(given).__name__} instead of {wanted.__name__}")
    for name, hint in _TYPES[wanted].items():
        if not isinstance(getattr(given, name), hint):
            raise TypeError(f"{name} of a {wanted.__name__} is {getattr(given, name)!r}")


def _located(quote: str | None, turn: Turn, history: Sequence[Turn]) -> tuple[Span, ...]:
    """Where a quote stands: in the turn itself, else in the latest of a user, else of others."""
    if not quote:
        return ()
    users = (said for said in reversed(history) if said.role == "user")
    others = (said for said in reversed(history) if said.role != "user")
    found = next((said for said in chain((turn,), users, others) if quote in said.text), None)
    start = found.text.index(quote) if found else 0
    return (Span(found.turn, found.role, start, start + len(quote)),) if found else ()


def _named(spans: Sequence[Span], turn: Turn, history: Sequence[Turn]) -> dict[int, Turn]:
    """Number -> turn, of the turns that evidence names and that were said by now."""
    places = {span.turn: place(history, span.turn) for span in spans}
    seen = {number: history[at] for number, at in places.items() if at is not None}
    return seen | {turn.turn: turn}


def _flaw(quote: str | None, spans: Sequence[Span], seen: Mapping[int, Turn]) -> str | None:
    """The first thing wrong with evidence: not there, not the user's, or injected."""
    if not spans or not all(_stands(span, seen) for span in spans):
        return "quote_not_found"
    if quote is not None and not any(quote in seen[span.turn].text for span in spans):
        return "quote_not_found"
    users = [span for span in spans if seen[span.turn].role == "user"]
    if not users:
        return "assistant_turn"
    return "injected" if all(_touched(span, seen[span.turn]) for span in users) else None


def _pressed(statement: str, events: Iterable[Event]) -> bool:
    """Whether the user pressed `remember` for this very statement: evidence of its own."""
    return any(
        event.event == "remember_pressed"
        and event.statement is not None
        and normalise(event.statement) == normalise(statement)
        for event in events
    )


def _stands(span: Span, seen: Mapping[int, Turn]) -> bool:
    said = seen.get(span.turn)
    return (
        said is not None and said.role == span.role and 0 <= span.start < span.end <= len(said.text)
    )


def _touched(span: Span, turn: Turn) -> bool:
    return any(start < span.end and span.start < end for start, end in turn.injected_spans)


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
