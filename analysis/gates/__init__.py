"""What a gate is: a callable `(turn: Turn, context: Context) -> list[Proposal]`.

A gate runs on the visible user turns of a session and sees the past only. It may be any callable;
`roles = ("user", "assistant")` set on it lets it run on other turns too. Guards return a proposal
with verdict `reject` and its reason rather than nothing, so that what was refused can be counted.
Offsets count Unicode code points of `Turn.text`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Span:
    """A piece of a turn: `text[start:end]`."""

    turn: int
    role: str
    start: int
    end: int


@dataclass(frozen=True)
class Event:
    """A press or an answer of the user on a turn."""

    turn: int
    event: str
    statement: str | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Turn:
    """The turn a gate runs on."""

    session_id: str
    turn: int
    role: str
    text: str
    speaker: str = ""
    user_id: str = ""
    at: datetime | None = None
    tokens: int | None = None
    injected_spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Context:
    """What is known when the gate runs: visible earlier turns, and events up to this turn.

    Both are in the order of the session, read-only, and behave like tuples.
    """

    history: Sequence[Turn] = ()
    events: Sequence[Event] = ()


@dataclass(frozen=True)
class Proposal:
    """What a gate offers; `evidence` may be left out where `quote` stands in the turn itself."""

    statement: str = ""
    quote: str | None = None
    evidence: tuple[Span, ...] = ()
    kind: str | None = None
    scope: str | None = None
    slot: str | None = None
    value: str | None = None
    polarity: bool | None = None
    expires_at: datetime | None = None
    score: float | None = None
    score_kind: str | None = None
    rule_id: str | None = None
    verdict: str = "admit"
    reject_reason: str | None = None


Gate = Callable[[Turn, Context], list[Proposal]]
