"""ShareGPT: an object a conversation, `{"id", "conversations": [{"from", "value"}, …]}`.

Mostly one JSON list, sometimes JSON Lines. `from` is kept as the speaker. A conversation may begin
with the assistant, since long ones were cut in pieces: that turn stays turn 0. There are no users
and no times: each conversation is its own user.
"""

from collections.abc import Iterator
from typing import Any

from labelling.transcripts import fields, nested
from labelling.transcripts.model import Conversation, Message, Place, Reject
from labelling.transcripts.source import Item, Source

_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "tool": "tool",
}


def recognise(source: Source) -> str | None:
    """Why this is ShareGPT's format, or None."""
    if any(isinstance(value.get("conversations"), list) for value in source.first_objects):
        return "its objects have a list of conversations"
    return None


def conversations(source: Source) -> Iterator[Conversation | Reject]:
    """The conversations in the order of the file, with rejects."""
    return nested.conversations(source, "conversations", _turn, _about)


def _about(item: Item) -> dict[str, Any]:
    return {"session_id": nested.session_id(item, "id")}


def _turn(place: Place, value: fields.Object) -> Iterator[Message | Reject]:
    role = fields.choice(value, "from", _ROLES)
    yield Message(place, role, fields.text(value, "value"), speaker=value["from"])
