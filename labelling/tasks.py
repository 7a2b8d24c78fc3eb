"""The Argilla tasks as plain data: what is shown, what is asked, and one record per candidate.

A record's external id is its candidate_id. Blind: a record carries the statement, its details and
its conversation, and nothing of the gate, the stratum or a score; there is no metadata at all.
Argilla refuses new questions once a dataset is published, so every question is there from the
first version on.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from labelling import transcript_field
from labelling.tables import scope_parts
from labelling.tables.schemas import ERROR_KINDS, EVIDENCE_FORMS
from labelling.untrusted import for_html

TASK = "task"
"""The question of a label row that says: this annotator discarded the record, or only opened it."""

_KINDS = {"fact": "a fact", "preference": "a preference"}
_ERRORS = {
    "situational": "about now, over soon",
    "assistant_claim": "the assistant's words, not the user's",
    "scope_invented": "true, but wider or narrower than said",
    "output_correction": "a remark on one answer taken for a habit",
    "third_person": "somebody else's fact",
    "negated_or_hypothetical": "not, if, maybe, or a question",
    "injected": "from pasted text that gives orders",
    "echo": "an old memory read back",
    "stale": "was true, is no longer",
    "unsupported": "the conversation does not say that",
    "other": "say what in the note",
}
_FORMS = {
    "stated": "in so many words",
    "oblique": "read out of something else",
    "multi_turn": "only several turns together say it",
}


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
    """A question with options to choose one from; without options the answer is free text."""

    name: str
    title: str
    description: str
    options: tuple[Option, ...] = ()
    required: bool = False


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
    text = (Path(__file__).parent / "guidelines" / f"{name}.md").read_text(encoding="utf-8")
    return Guidelines(text, guidelines_version(text))


def guidelines_version(text: str) -> str:
    """A version is the content's hash: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def candidates_task() -> Task:
    """Should this be remembered? Three required questions, four optional ones."""
    return Task(_FIELDS, _QUESTIONS, guidelines())


def record(candidate: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> Record:
    """A candidate (a row of `candidates`) beside its conversation (its session's `turns` rows)."""
    shown = {
        "statement": for_html(candidate["statement"]),
        "details": for_html(details(candidate)),
        "transcript": transcript_field.value(candidate, turns),
    }
    return Record(candidate["candidate_id"], shown)


def details(candidate: Mapping[str, Any]) -> str:
    """Kind, scope, slot and value, expiry in plain words, on one line; what is unknown says so."""
    parts = {
        "Kind": _KINDS.get(candidate["kind"] or "", "not given"),
        "Holds": _scope(candidate["scope"]),
        "About": _slot(candidate),
        "Expires": _day(candidate["expires_at"]),
    }
    return " · ".join(f"{name}: {words}" for name, words in parts.items() if words)


def _scope(scope: str | None) -> str:
    if scope is None:
        return "as the statement says"
    what, name = scope_parts(scope)
    return f"only in this {what}: {name}" if name else "everywhere"


def _slot(candidate: Mapping[str, Any]) -> str:
    slot, value = candidate["slot"], candidate["value"]
    if slot is None or value is None:
        return slot or ""
    return f"{slot} {'is not' if candidate['polarity'] is False else 'is'} {value}"


def _day(moment: datetime | None) -> str:
    return f"{moment.day} {moment:%B %Y}" if moment else "no date given"


def _options(words: Mapping[str, str], values: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(value, f"{value} – {words[value]}") for value in values)


_YES, _NO = Option("yes", "yes"), Option("no", "no")
_FIELDS = (
    Field("statement", "Should this be remembered?"),
    Field("details", "Details"),
    Field("transcript", "Conversation", transcript_field.template()),
)
_QUESTIONS = (
    Question(
        "durable",
        "Durable: will it still help in three months?",
        "Still true in three months, and a conversation next month would be worse without it. "
        "until = true until the expiry date in the details (without a date: no).",
        (_YES, Option("until", "until the expiry date"), _NO),
        required=True,
    ),
    Question(
        "well_evidenced",
        "Well evidenced: did the user say it, and mean it?",
        "The user said it or plainly accepted it. Not the assistant alone, not a remark on one "
        "answer, not negated, imagined, asked, over, quoted, pasted, or about somebody else.",
        (_YES, _NO),
        required=True,
    ),
    Question(
        "scope_ok",
        "Scope right: does it reach as far as the user said?",
        "Neither wider nor narrower. No scope in the details: yes.",
        (_YES, _NO),
        required=True,
    ),
    Question(
        "evidence_form",
        "How was it said?",
        "For a fact you would keep.",
        _options(_FORMS, EVIDENCE_FORMS),
    ),
    Question(
        "reject_reason",
        "Why not?",
        "After any no: the reason that weighs most.",
        _options(_ERRORS, ERROR_KINDS),
    ),
    Question(
        "corrected",
        "Corrected statement",
        "If a small change would make it worth keeping: the whole statement as it should be.",
    ),
    Question("note", "Note", "Doubts, or a lasting fact that nobody has asked about."),
)
