"""From conversations to tables: the one place that counts positions, reads times and splits users.

`turn` is the 0-based position; times are UTC; a time that cannot be read is a reject of its own and
null in the table. Of two conversations with one session id in a file, or two equal events, the
first stays and the other is a reject.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from labelling.tables import frame, split_of
from labelling.transcripts.fields import Unusable, moment
from labelling.transcripts.model import Conversation, Event, Message, Place, Read, Reject

Row = dict[str, Any]


@dataclass(frozen=True)
class Defaults:
    """What holds where the source says nothing."""

    partner: str = "assistant"
    licence: str | None = None


def build(
    pieces: Iterable[Conversation | Reject], *, source_format: str, because: str, defaults: Defaults
) -> Read:
    """The tables of a file, in its order, and all rejects in the order of their lines."""
    rows = _Rows(source_format, defaults)
    for piece in pieces:
        if isinstance(piece, Reject):
            rows.rejects.append(piece)
        else:
            rows.add(piece)
    return Read(
        frame("sessions", rows.sessions.values()),
        frame("turns", rows.turns),
        frame("events", rows.events.values()),
        sorted(rows.rejects, key=lambda reject: reject.line or 0),
        source_format,
        because,
    )


@dataclass
class _Rows:
    format: str
    defaults: Defaults
    sessions: dict[str, Row] = field(default_factory=dict)
    turns: list[Row] = field(default_factory=list)
    events: dict[tuple[object, ...], Row] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)

    def add(self, conversation: Conversation) -> None:
        name = conversation.session_id
        if name in self.sessions:
            reason = "a second conversation with this session id; left out"
            self.rejects.append(conversation.place.reject(reason, name))
            return
        turns = [self._turn(name, i, one) for i, one in enumerate(conversation.messages)]
        self.sessions[name] = self._session(conversation, turns)
        self.turns.extend(turns)
        for event in conversation.events:
            self._add_event(name, event)

    def _session(self, conversation: Conversation, turns: list[Row]) -> Row:
        user = conversation.user_id or conversation.session_id
        started = self._moment(conversation.place, "started_at", conversation.started_at)
        times = [turn["at"] for turn in turns if turn["at"]]
        return {
            "session_id": conversation.session_id,
            "user_id": user,
            "started_at": started or min(times, default=None),
            "partner": conversation.partner or self.defaults.partner,
            "split": split_of(user),
            "licence": conversation.licence or self.defaults.licence,
            "source_format": self.format,
            "source_ref": conversation.place.ref,
        }

    def _turn(self, session_id: str, position: int, message: Message) -> Row:
        number = "" if message.number is None else f";turn={message.number}"
        return {
            "session_id": session_id,
            "turn": position,
            "role": message.role,
            "speaker": message.speaker or message.role,
            "text": message.text,
            "at": self._moment(message.place, "at", message.at),
            "tokens": message.tokens,
            "hidden": message.hidden,
            "injected_spans": [{"start": s, "end": e} for s, e in message.injected_spans],
            "source_ref": message.place.ref + number,
        }

    def _add_event(self, session_id: str, event: Event) -> None:
        key = (session_id, event.turn, event.event, event.statement)
        if key in self.events:
            self.rejects.append(event.place.reject("the same event again; left out", event.event))
            return
        values = dict(zip(("session_id", "turn", "event", "statement"), key, strict=True))
        self.events[key] = {**values, "at": self._moment(event.place, "at", event.at)}

    def _moment(self, place: Place, name: str, value: object) -> datetime | None:
        try:
            return moment(value)
        except Unusable as reason:
            self.rejects.append(place.inside(f".{name}").reject(str(reason), value))
            return None
