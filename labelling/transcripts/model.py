"""What a reader yields: plain conversations, and rejects for whatever does not go through.

A message is one turn in the order of the source; positions are counted later, in one place. A
reject is a whole line, message or conversation that was left out, or a piece of one (its `path`
then points inside what was kept). Times are raw here: `build` reads them.
"""

import reprlib
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import polars as pl

PARTNERS = ("assistant", "agent", "person")
"""Whom the user talks with."""

EXCERPT = 300
"""Characters of a rejected text that are kept; the source file has all of it."""

_BRIEF = reprlib.Repr()  # cuts as it goes: what is rejected may be huge or nested without end
_BRIEF.maxstring = _BRIEF.maxother = 100


@dataclass(frozen=True)
class Reject:
    """Something of a file that did not go through, and why. `line` is 1-based."""

    file: str
    line: int | None
    path: str | None
    reason: str
    text: str


@dataclass(frozen=True)
class Place:
    """Where something stands: line of a JSON Lines file, JSON path inside that line or document."""

    file: str
    line: int | None = None
    path: str = ""

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return PurePath(self.file).stem

    @property
    def ref(self) -> str:
        """`<file>#<line><path>`; the file is what stands before the last #."""
        return f"{self.file}#{self.line or ''}{self.path}"

    def inside(self, step: str) -> "Place":
        """A place further in, such as `.messages[3]`."""
        return replace(self, path=(self.path or "$") + step)

    def reject(self, reason: str, value: object) -> Reject:
        """A reject of what stands here."""
        text = value if isinstance(value, str) else _BRIEF.repr(value)
        return Reject(self.file, self.line, self.path or None, reason, _excerpt(text))


@dataclass(frozen=True)
class Message:
    """A turn. `number` is the source's own; `injected_spans` are (start, end) code points."""

    place: Place
    role: str
    text: str
    speaker: str | None = None
    number: int | None = None
    at: object = None
    tokens: int | None = None
    hidden: bool = False
    injected_spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Event:
    """A press or an answer at the 0-based position `turn` of its conversation."""

    place: Place
    event: str
    turn: int
    statement: str | None = None
    at: object = None


@dataclass(frozen=True)
class Conversation:
    """A session: its messages in order; without `user_id` the session is its own user."""

    place: Place
    session_id: str
    messages: tuple[Message, ...]
    events: tuple[Event, ...] = ()
    user_id: str | None = None
    started_at: object = None
    partner: str | None = None
    licence: str | None = None


@dataclass(frozen=True)
class Read:
    """A file as tables, with what was left out; `format` and `because` say how it was read."""

    sessions: pl.DataFrame
    turns: pl.DataFrame
    events: pl.DataFrame
    rejects: list[Reject] = field(default_factory=list)
    format: str = ""
    because: str = ""


def _excerpt(text: str) -> str:
    safe = text.encode("utf-8", "replace").decode("utf-8").strip()
    return safe if len(safe) <= EXCERPT else safe[:EXCERPT] + "…"
