"""The export formats that can be read: one table, in the order in which they are tried.

A format is a module with `recognise(source)` (why it is this one, or None) and
`conversations(source)` (conversations and rejects); what it keeps and its traps are said here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from labelling.tables import InputError
from labelling.transcripts import ikat, jsonl, openai, sharegpt
from labelling.transcripts.model import Conversation, Reject
from labelling.transcripts.source import Source


@dataclass(frozen=True)
class Format:
    """A way in: its name for `--format`, what it looks like, what is kept, what to mind."""

    name: str
    looks: str
    keeps: str
    traps: str
    recognise: Callable[[Source], str | None]
    conversations: Callable[[Source], Iterator[Conversation | Reject]]


FORMATS = (
    Format(
        "jsonl",
        "an object a turn: session_id, role, text",
        "every column of sessions, turns and events",
        "turn numbers are renumbered from 0; a session has one user, partner and licence",
        jsonl.recognise,
        jsonl.conversations,
    ),
    Format(
        "openai",
        "an object a conversation with messages of role and content",
        "roles, texts, names, user, created",
        "images, sound and tool calls are left out; tool-only messages become hidden turns",
        openai.recognise,
        openai.conversations,
    ),
    Format(
        "sharegpt",
        "an object a conversation with conversations of from and value",
        "ids, roles, texts",
        "no users and no times; a conversation may begin with the assistant",
        sharegpt.recognise,
        sharegpt.conversations,
    ),
    Format(
        "ikat",
        "a list of topics with number and turns of utterance and response",
        "utterances and responses",
        "ptkb facts are never said by the user and are not taken",
        ikat.recognise,
        ikat.conversations,
    ),
)
"""Tried in this order where `--format auto` has to choose."""


@dataclass(frozen=True)
class Choice:
    """A format and why it was chosen."""

    format: Format
    because: str


def choose(source: Source, name: str = "auto") -> Choice:
    """The format of that name, or the first that recognises the source. Raises InputError."""
    if name != "auto":
        return Choice(_named(name), "it was asked for")
    for one in FORMATS:
        because = one.recognise(source)
        if because:
            return Choice(one, because)
    raise InputError(
        f"{source.name} {_nature(source)}",
        expected="one of: " + "; ".join(f"{one.name} ({one.looks})" for one in FORMATS),
        then="name the format with --format, or turn the file into one of these",
    )


def _named(name: str) -> Format:
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        names = ", ".join(["auto", *(one.name for one in FORMATS)])
        raise InputError(f"there is no format {name!r}", expected=f"one of: {names}")
    return found


def _nature(source: Source) -> str:
    """What an unknown input is: objects of another shape, other JSON, or none."""
    if source.first_objects:
        return f"has objects of no known format ({', '.join(list(source.first_objects[0])[:6])})"
    try:
        return f"is JSON, but holds no objects ({type(source.document).__name__})"
    except InputError as error:
        return error.found.removeprefix(f"{source.name} ")
