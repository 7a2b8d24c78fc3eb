"""What every format has in common whose objects are conversations that hold a list of messages.

A message that cannot be taken is a reject of its own, and the conversation goes on without it. A
conversation without any message, or without a usable name, is a reject as a whole.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from labelling.transcripts import fields
from labelling.transcripts.fields import Unusable
from labelling.transcripts.model import Conversation, Message, Place, Reject
from labelling.transcripts.source import Item, Source

Take = Callable[[Place, fields.Object], Iterable[Message | Reject]]


def conversations(
    source: Source, key: str, take: Take, about: Callable[[Item], dict[str, Any]]
) -> Iterator[Conversation | Reject]:
    """A conversation of every object of the source.

    `key` names the list of messages, `take` makes turns of one message and `about` gives the
    conversation's own fields, session_id among them; both may raise Unusable.
    """
    for item in source.objects():
        if isinstance(item, Reject):
            yield item
            continue
        try:
            said, raw = about(item), fields.items(item.value, key)
        except Unusable as reason:
            yield item.reject(reason)
        else:
            yield from _conversation(item, said, list(_taken(item, key, raw, take)))


def session_id(item: Item, *keys: str) -> str:
    """The first of the keys that is there, else `<file stem>-<0-based conversation>`."""
    return fields.first_identifier(item.value, *keys) or f"{item.place.stem}-{item.number}"


def _conversation(
    item: Item, said: dict[str, Any], taken: list[Message | Reject]
) -> Iterator[Conversation | Reject]:
    yield from (one for one in taken if isinstance(one, Reject))
    messages = tuple(one for one in taken if isinstance(one, Message))
    if messages:
        yield Conversation(place=item.place, messages=messages, **said)
    elif not taken:
        yield item.reject("a conversation without messages")


def _taken(item: Item, key: str, raw: list[Any], take: Take) -> Iterator[Message | Reject]:
    for number, value in enumerate(raw):
        place = item.place.inside(f".{key}[{number}]")
        if not isinstance(value, dict):
            yield place.reject("not a JSON object", value)
            continue
        try:
            yield from take(place, value)
        except Unusable as reason:
            yield place.reject(str(reason), value)
