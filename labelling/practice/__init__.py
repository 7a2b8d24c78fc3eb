"""Practice: candidates with known answers, for people who are about to label.

Conversations of our own, and what we would answer and why, which the page shows on demand. They
are a dataset of their own, `practice`: answers to it are nobody's labels.
"""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from labelling import transcripts
from labelling.tasks import Option, Record, Task, candidates_task, record
from labelling.transcript_field import with_answer

PRACTICE = "practice"
"""What the dataset is called."""

FOLDER = Path(__file__).parent
EVERYBODY = 1_000
"""Answers after which a record counts as done, and leaves the queue of those who come later."""


def practice_task() -> Task:
    """The task *candidates*, for more people than will ever come."""
    return replace(candidates_task(), min_submitted=EVERYBODY)


def practice_records() -> list[Record]:
    """A record per item, with the answers in its conversation."""
    turns = transcripts.read(FOLDER / "transcripts.jsonl").turns.sort("session_id", "turn")
    talks = {str(key): own.to_dicts() for (key,), own in turns.group_by("session_id")}
    return [_record(item, talks[item["session_id"]]) for item in practice_items()]


def practice_items() -> list[dict[str, Any]]:
    """Rows as of `candidates`, with `answers` (question -> answer) and `why`."""
    lines = (FOLDER / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = map(json.loads, lines)
    return [item | {"expires_at": _moment(item["expires_at"])} for item in items]


def _record(item: dict[str, Any], turns: list[dict[str, Any]]) -> Record:
    plain = record(item, turns)
    shown = with_answer(plain.fields["transcript"], in_words(item["answers"]), item["why"])
    return replace(plain, fields={**plain.fields, "transcript": shown})


def in_words(answers: dict[str, str]) -> str:
    """The answers as the page words them, a line each."""
    asked = {question.name: question for question in candidates_task().questions}
    return "\n".join(
        f"{asked[name].title} {_words(asked[name].options, answer)}"
        for name, answer in answers.items()
    )


def _words(options: tuple[Option, ...], answer: str) -> str:
    return next(one.words for one in options if one.value == answer)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
