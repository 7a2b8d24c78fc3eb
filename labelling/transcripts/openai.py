"""OpenAI chat JSON Lines: an object a conversation, `{"messages": [{"role", "content"}, …]}`.

Names: session_id, conversation_id or id, else counted; the user is user_id or user. `content` is a
text or a list of parts, of which the text parts are joined by line breaks. What is no text (images,
sound, tool calls) is left out and said. An assistant's message that only calls a tool is a hidden
turn: nobody saw it.
"""

from collections.abc import Iterator
from typing import Any

from labelling.transcripts import fields, nested
from labelling.transcripts.fields import Unusable
from labelling.transcripts.model import Conversation, Message, Place, Reject
from labelling.transcripts.source import Item, Source

_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_CALLS = ("tool_calls", "function_call")


def recognise(source: Source) -> str | None:
    """Why this is OpenAI's format, or None."""
    if any(isinstance(value.get("messages"), list) for value in source.first_objects):
        return "its objects have a list of messages"
    return None


def conversations(source: Source) -> Iterator[Conversation | Reject]:
    """The conversations in the order of the file, with rejects."""
    return nested.conversations(source, "messages", _turn, _about)


def _about(item: Item) -> dict[str, Any]:
    return {
        "session_id": nested.session_id(item, "session_id", "conversation_id", "id"),
        "user_id": fields.first_identifier(item.value, "user_id", "user"),
        "started_at": item.value.get("created"),
    }


def _turn(place: Place, value: fields.Object) -> Iterator[Message | Reject]:
    role = fields.choice(value, "role", _ROLES)
    calls = [call for call in _CALLS if value.get(call)]
    parts = list(_parts(place, value, may_lack=bool(calls)))
    text = "\n".join(part for part in parts if isinstance(part, str))
    yield from (part for part in parts if isinstance(part, Reject))
    for call in calls:
        yield place.inside(f".{call}").reject("a call, which is no text; left out", value[call])
    speaker = fields.optional_text(value, "name")
    yield Message(place, role, text, speaker, hidden=bool(calls) and not text)


def _parts(place: Place, value: fields.Object, *, may_lack: bool) -> Iterator[str | Reject]:
    """The texts of a message, and a reject for each part that has none."""
    content = value.get("content")
    if isinstance(content, list):
        for number, part in enumerate(content):
            yield _part(place.inside(f".content[{number}]"), part)
    elif content is not None:
        yield fields.text(value, "content")
    elif value.get("refusal") is not None:
        yield fields.text(value, "refusal")
    elif not may_lack:
        raise Unusable("content is missing")


def _part(place: Place, part: object) -> str | Reject:
    if isinstance(part, str):
        return fields.clean(part)
    key = _TEXT_PARTS.get(str(part.get("type"))) if isinstance(part, dict) else None
    text = part.get(key) if isinstance(part, dict) and key else None
    if isinstance(text, str):
        return fields.clean(text)
    return place.reject("a part that is no text; left out", part)
