from datetime import UTC, datetime
from typing import Any

import pytest
from round_study import candidate, turn

from labelling.tables.decisions import REQUIRED
from labelling.tables.schemas import ERROR_KINDS, EVIDENCE_FORMS
from labelling.tasks import candidates_task, details, guidelines, guidelines_version, record

QUESTIONS = {question.name: question for question in candidates_task().questions}


def options(name: str) -> tuple[str, ...]:
    return tuple(option.value for option in QUESTIONS[name].options)


def test_every_question_is_there_from_the_first_version_on() -> None:
    optional = ["evidence_form", "reject_reason", "corrected", "note"]
    assert list(QUESTIONS) == [*REQUIRED, *optional]
    assert [name for name, one in QUESTIONS.items() if one.required] == list(REQUIRED)


def test_answers_are_those_of_the_tables() -> None:
    assert options("durable") == ("yes", "until", "no")
    assert options("well_evidenced") == options("scope_ok") == ("yes", "no")
    assert options("evidence_form") == EVIDENCE_FORMS
    assert options("reject_reason") == ERROR_KINDS
    assert options("corrected") == options("note") == ()


def test_guidelines_fit_argilla_and_explain_every_answer() -> None:
    text = guidelines().text
    assert len(text) <= 10_000
    answers = [option.value for one in QUESTIONS.values() for option in one.options]
    assert [answer for answer in answers if f"**{answer}**" not in text] == []


def test_the_version_follows_the_content() -> None:
    text, version = guidelines()
    assert version == guidelines_version(text) != guidelines_version(text + " ")


def test_a_record_tells_nothing_of_where_the_candidate_came_from() -> None:
    turns = [turn(0, "We use pnpm.")]
    sampled = candidate(0, "We use pnpm.")
    origin = {"strata": ["proposed"], "proposal_ids": ["p1"], "inclusion_probability": 0.5}
    assert record(sampled, turns) == record({**sampled, **origin, "round": 3}, turns)


DATED = {"kind": "fact", "scope": "global", "expires_at": datetime(2026, 6, 30, tzinfo=UTC)}
SCOPED = {"kind": "preference", "scope": "repository:web", "slot": "package manager"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Kind: not given · Holds: as the statement says · Expires: no date given"),
        (DATED, "Kind: a fact · Holds: everywhere · Expires: 30 June 2026"),
        (
            {**SCOPED, "value": "npm", "polarity": False},
            "Kind: a preference · Holds: only in this repository: web · "
            "About: package manager is not npm · Expires: no date given",
        ),
    ],
)
def test_details_in_plain_words(changes: dict[str, Any], words: str) -> None:
    assert details(candidate(0, "We use pnpm.", **changes)) == words
