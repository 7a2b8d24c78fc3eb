"""TREC iKAT topics: an object a conversation, `{"number", "turns": [{"utterance", "response"}]}`.

A turn of the source is two turns here, the user's utterance and the assistant's response (left out
where there is none yet); its `turn_id` is in `source_ref`. The session is `<file stem>-<number>`.
The `ptkb` (facts of the user that are never said) and the provenances are not taken.
"""

from collections.abc import Iterator
from typing import Any

from labelling.transcripts import fields, nested
from labelling.transcripts.model import Conversation, Message, Place, Reject
from labelling.transcripts.source import Item, Source


def recognise(source: Source) -> str | None:
    """Why these are iKAT topics, or None."""
    for value in source.first_objects:
        if "number" in value and isinstance(value.get("turns"), list):
            return "its objects have a number and a list of turns"
    return None


def conversations(source: Source) -> Iterator[Conversation | Reject]:
    """The topics in the order of the file, with rejects."""
    return nested.conversations(source, "turns", _turns, _about)


def _about(item: Item) -> dict[str, Any]:
    number = fields.identifier(item.value, "number")
    return {"session_id": f"{item.place.stem}-{number}"}


def _turns(place: Place, value: fields.Object) -> Iterator[Message | Reject]:
    number = fields.whole_number(value, "turn_id")
    utterance, response = fields.text(value, "utterance"), fields.optional_text(value, "response")
    yield Message(place, "user", utterance, number=number)
    if response is not None:
        yield Message(place, "assistant", response, number=number)
