"""The task *adjudication*: what two people split on, with both answers and without their names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from labelling import transcript_field
from labelling.tables import content_id
from labelling.tasks.candidates import candidates_task
from labelling.tasks.shapes import Field, Option, Question, Record, Task, guidelines
from labelling.untrusted import for_html

SPLIT = "▶ SPLIT"
"""What stands before a question that they answered differently."""

Answers = Mapping[str, str]
"""Question -> answer, with `write` (yes or no) for what the answers come to."""


def adjudication_task() -> Task:
    """Should this be remembered after all, and why did they split? One judge is enough."""
    return Task(_FIELDS, _QUESTIONS, guidelines("adjudication"), min_submitted=1)


def adjudication_record(shown: Record, answers: Mapping[str, Answers]) -> Record:
    """A candidate as annotators saw it, with what each of them (annotator -> answers) said."""
    fields = {**shown.fields, "answers": for_html(in_words(_shuffled(shown.external_id, answers)))}
    return replace(shown, fields=fields)


def in_words(answers: Sequence[Answers]) -> str:
    """Everybody's answers as A, B, …, a line a question; what they split on is marked, and first.

    >>> print(in_words([{"write": "yes", "durable": "yes"}, {"write": "no", "durable": "no"}]))
    A would write it; B would not.
    ▶ SPLIT · Durable – A: yes · B: no
    """
    people = list(zip(ascii_uppercase, answers, strict=False))
    lines = [line for question in candidates_task().questions for line in _line(question, people)]
    return "\n".join([_decisions(people), *sorted(lines, key=lambda one: SPLIT not in one)])


def _shuffled(candidate_id: str, answers: Mapping[str, Answers]) -> list[Answers]:
    """In the order of a hash, another one for each candidate: A is not always the same person."""
    order = sorted(answers, key=lambda one: content_id("adjudication", candidate_id, one))
    return [answers[one] for one in order]


def _decisions(people: Sequence[tuple[str, Answers]]) -> str:
    sides = {"yes": "would write it", "no": "would not"}
    parts = [
        f"{_all([letter for letter, given in people if given['write'] == side])} {words}"
        for side, words in sides.items()
    ]
    return "; ".join(parts) + "."


def _line(question: Question, people: Sequence[tuple[str, Answers]]) -> Iterator[str]:
    """Its title with each answer; nothing where nobody gave one."""
    words = {option.value: option.words for option in question.options}
    given: dict[str, list[str]] = {}
    for letter, one in people:
        if answer := one.get(question.name):
            given.setdefault(" ".join(words.get(answer, answer).split()), []).append(letter)
    if given:
        told = " · ".join(f"{_all(letters)}: {answer}" for answer, letters in given.items())
        split = f"{SPLIT} · " if question.required and len(given) > 1 else ""
        yield f"{split}{question.title.partition(':')[0]} – {told}"


def _all(letters: Sequence[str]) -> str:
    *others, last = letters
    return f"{', '.join(others)} and {last}" if others else last


_REASONS = {
    "guideline_gap": "the guidelines do not say how to judge this",
    "ambiguous": "the conversation can be read either way",
    "slip": "somebody overlooked or misread something",
    "scope": "they take it to reach differently far, or to last differently long",
    "speaker": "they differ on who said it, or whether the user meant it",
}
_FIELDS = (
    Field("statement", "Should this be remembered?"),
    Field("details", "Details"),
    Field("answers", "What they answered"),
    Field("transcript", "Conversation", transcript_field.template()),
)
_QUESTIONS = (
    Question(
        "adjudication",
        "Your decision: should it be remembered?",
        "By the guidelines and the conversation, not by who argues better.",
        (
            Option("write", "write – durable, well evidenced and right in scope"),
            Option("reject", "reject – at least one of the three is not so"),
        ),
        required=True,
    ),
    Question(
        "reason_code",
        "Why did they split?",
        "The reason that weighs most.",
        tuple(Option(code, f"{code} – {words}") for code, words in _REASONS.items()),
        required=True,
    ),
    Question(
        "adjudication_note",
        "Note",
        "What the guidelines should say, or what made the difference.",
    ),
)
