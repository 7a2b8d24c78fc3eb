"""The task *transcripts*: read a whole session and mark what should be remembered of it.

A record per session, known by its session_id. Passages are marked in a plain text that
`labelling.reading.page` writes and reads back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from labelling.reading import page
from labelling.tables.decisions import WHOLE_READING
from labelling.tables.marks import MARKED
from labelling.tasks.shapes import Field, Option, Question, Record, Task, guidelines

TEXT = "transcript"
"""The field that shows the session."""


def transcripts_task() -> Task:
    """Mark the passages, then say that all of it was read."""
    return Task(_FIELDS, _QUESTIONS, guidelines("transcripts"))


def session_record(session_id: str, turns: Sequence[Mapping[str, Any]]) -> Record:
    """A session; `turns` are its rows of `turns` in order."""
    return Record(session_id, {TEXT: page(turns).text})


_FIELDS = (Field(TEXT, "The whole conversation"),)
_QUESTIONS = (
    Question(
        MARKED,
        "Mark what a good memory would keep",
        "Choose fact or preference, then draw over the user's words that say it, so many that they "
        "can be understood alone. Nothing to mark is a usual answer.",
        (Option("fact", "fact"), Option("preference", "preference")),
        marks=TEXT,
    ),
    Question(
        WHOLE_READING,
        "Did you read the conversation whole?",
        "yes – from the first turn to the last. no – you skipped some: what you did not mark then "
        "says nothing.",
        (Option("yes", "yes, all of it"), Option("no", "no, not all")),
        required=True,
    ),
)
