"""Our own JSON Lines: one object a turn, named as the columns of `turns` and `sessions`.

Needed: session_id, role, text. A line with `event` instead of `text` is an event. What else holds:

- Turns stand in the order of their `turn` numbers where they have them, else in that of the file; a
  turn without a number stays behind the one before it. A number used twice: the first stays.
- What a line says of its session (user_id, partner, licence, started_at) must not differ from what
  an earlier line said; a line that does is a reject, so two persons never share a session.
- An event belongs to its `turn` (as the turns are numbered), else to the last turn before it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from labelling.tables.schemas import EVENTS, ROLES
from labelling.transcripts import fields
from labelling.transcripts.fields import Unusable
from labelling.transcripts.model import PARTNERS, Conversation, Event, Message, Read, Reject
from labelling.transcripts.source import Item, Source

_ROLES = {role: role for role in ROLES} | {"developer": "system"}


def recognise(source: Source) -> str | None:
    """Why this is our own JSONL, or None."""
    for value in source.first_objects:
        if "session_id" in value and ({"role", "text", "event"} & set(value)):
            return "its objects have session_id and role, text or event"
    return None


def conversations(source: Source) -> Iterator[Conversation | Reject]:
    """The sessions in the order of their first lines; rejects as they are met."""
    sessions: dict[str, _Session] = {}
    for item in source.objects():
        if isinstance(item, Reject):
            yield item
            continue
        try:
            session_id = fields.identifier(item.value, "session_id")
            session = sessions.get(session_id) or _Session(item)
            session.take(item)
            sessions[session_id] = session
        except Unusable as reason:
            yield item.reject(reason)
    for session_id, session in sessions.items():
        yield from session.close(session_id)


def lines(read: Read) -> Iterator[str]:
    """A file of this format, line by line, that reads back as the same conversations."""
    turns, events = _by_session(read.turns.sort("turn")), _by_session(read.events)
    for session in read.sessions.drop("source_format", "source_ref", "split").rows(named=True):
        name = session["session_id"]
        for row in [*turns.get(name, []), *events.get(name, [])]:
            yield json.dumps({**session, **row}, ensure_ascii=False, default=datetime.isoformat)


def _by_session(table: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    return table.rows_by_key("session_id", named=True)


@dataclass(frozen=True)
class _EventLine:
    """An event before its turn is known; `after` counts the turns before it in the file."""

    item: Item
    event: str
    statement: str | None
    turn: int | None
    after: int


@dataclass
class _Session:
    """What the lines of a session have said so far; `numbered` maps turn numbers to messages."""

    item: Item
    about: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    numbered: dict[int, int] = field(default_factory=dict)
    events: list[_EventLine] = field(default_factory=list)

    def take(self, item: Item) -> None:
        """Add a line, or raise Unusable and stay as it was."""
        about = _about(item.value)
        for name, said in about.items():
            if self.about.get(name, said) != said:
                raise Unusable(f"{name} differs from an earlier line of the session")
        if item.value.get("event") is None:
            self._add(_message(item))
        else:
            self.events.append(_event_line(item, len(self.messages)))
        self.about.update(about)

    def close(self, session_id: str) -> Iterator[Conversation | Reject]:
        """The session, its turns in order, and a reject for each event without its turn."""
        order = self._order()
        position = {index: turn for turn, index in enumerate(order)}
        events = [self._event(line, position) for line in self.events]
        yield from (event for event in events if isinstance(event, Reject))
        if order:
            yield Conversation(
                self.item.place,
                session_id,
                tuple(self.messages[index] for index in order),
                tuple(event for event in events if isinstance(event, Event)),
                **self.about,
            )

    def _add(self, message: Message) -> None:
        if message.number is not None:
            if message.number in self.numbered:
                raise Unusable(f"turn {message.number} of the session is already there")
            self.numbered[message.number] = len(self.messages)
        self.messages.append(message)

    def _order(self) -> list[int]:
        keys: list[float] = []
        for message in self.messages:
            before = keys[-1] if keys else float("-inf")
            keys.append(before if message.number is None else message.number)
        return sorted(range(len(keys)), key=keys.__getitem__)

    def _event(self, line: _EventLine, position: dict[int, int]) -> Event | Reject:
        if line.turn is None:
            index = line.after - 1
        else:
            index = self.numbered.get(line.turn, -1) if self.numbered else line.turn
        if index not in position:
            return line.item.reject("an event whose turn is not in the session")
        at = line.item.value.get("at")
        return Event(line.item.place, line.event, position[index], line.statement, at)


def _about(value: fields.Object) -> dict[str, Any]:
    """What a line says of its session."""
    said = {
        "user_id": fields.optional_identifier(value, "user_id"),
        "partner": fields.optional_choice(value, "partner", PARTNERS),
        "licence": fields.optional_text(value, "licence"),
        "started_at": value.get("started_at"),
    }
    return {name: found for name, found in said.items() if found is not None}


def _message(item: Item) -> Message:
    value = item.value
    text = fields.text(value, "text")
    return Message(
        item.place,
        fields.choice(value, "role", _ROLES),
        text,
        speaker=fields.optional_text(value, "speaker"),
        number=fields.whole_number(value, "turn"),
        at=value.get("at"),
        tokens=fields.count(value, "tokens"),
        hidden=fields.flag(value, "hidden"),
        injected_spans=fields.spans(value, "injected_spans", len(text)),
    )


def _event_line(item: Item, after: int) -> _EventLine:
    value = item.value
    if value.get("text") is not None:
        raise Unusable("a line has either text or event, not both")
    event = fields.choice(value, "event", {name: name for name in EVENTS})
    statement = fields.optional_text(value, "statement")
    return _EventLine(item, event, statement, fields.whole_number(value, "turn"), after)
