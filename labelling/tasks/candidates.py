"""The task *candidates*: should this be remembered? A record per candidate, known by its id."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from labelling import transcript_field
from labelling.tables import scope_parts
from labelling.tables.schemas import ERROR_KINDS, EVIDENCE_FORMS
from labelling.tasks.shapes import Field, Option, Question, Record, Task, guidelines
from labelling.tasks.wording import one_form
from labelling.untrusted import for_html

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


def candidates_task() -> Task:
    """Should this be remembered? Three required questions, four optional ones."""
    return Task(_FIELDS, _QUESTIONS, guidelines())


def record(candidate: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> Record:
    """A candidate (a row of `candidates`) beside its conversation (its session's `turns` rows)."""
    shown = {
        "statement": for_html(one_form(candidate["statement"])),
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
    slot, value = (candidate["slot"] or "").replace("_", " "), candidate["value"]
    if not slot or value is None:
        return slot
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
        "If it is true: will it be so in three months, and would a conversation next month be "
        "worse without it? With an expiry date in the details: until. It ends without one: no.",
        (_YES, Option("until", "until the expiry date"), _NO),
        required=True,
    ),
    Question(
        "well_evidenced",
        "Well evidenced: did the user say it, and mean it?",
        "Said or plainly accepted by the user, about themselves. No: only the assistant said it; a "
        "remark on one answer; not, if, maybe; a question; the past; somebody else; pasted text.",
        (_YES, _NO),
        required=True,
    ),
    Question(
        "scope_ok",
        "Scope right: does it reach as far as the user said?",
        "Neither wider nor narrower. Nothing after “Holds” but “as the statement says”: yes.",
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
