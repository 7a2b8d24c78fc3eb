"""What a task is, as plain data: fields that are shown, questions that are asked, guidelines.

A record's external id is the key of what it shows. Blind: a record carries what has to be judged
and nothing of a gate, a stratum or a score; there is no metadata at all. Argilla refuses new
questions once a dataset is published, so every question is there from the first version on.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

TASK = "task"
"""The question of a label row that says: this annotator discarded the record, or only opened it."""


class Guidelines(NamedTuple):
    """What annotators read (Markdown, at most 10,000 characters) and its version."""

    text: str
    version: str


@dataclass(frozen=True)
class Option:
    """An answer: the value that is stored, the words on the button."""

    value: str
    words: str


@dataclass(frozen=True)
class Question:
    """A question with options to choose one from; without options the answer is free text.

    One that `marks` a text field has an option for each kind of passage in it.
    """

    name: str
    title: str
    description: str
    options: tuple[Option, ...] = ()
    required: bool = False
    marks: str | None = None


@dataclass(frozen=True)
class Field:
    """What is shown: text, or a page of ours (`template`) that draws it."""

    name: str
    title: str
    template: str | None = None


@dataclass(frozen=True)
class Task:
    """A labelling task; a record counts as done after `min_submitted` answers, and takes more."""

    fields: tuple[Field, ...]
    questions: tuple[Question, ...]
    guidelines: Guidelines
    min_submitted: int = 2


@dataclass(frozen=True)
class Record:
    """Something to label; `fields` maps a field's name to its text or plain data."""

    external_id: str
    fields: dict[str, Any]


def guidelines(name: str = "candidates") -> Guidelines:
    """The text annotators read, and its version."""
    text = (Path(__file__).parent.parent / "guidelines" / f"{name}.md").read_text(encoding="utf-8")
    return Guidelines(text, guidelines_version(text))


def guidelines_version(text: str) -> str:
    """A version is the content's hash: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
