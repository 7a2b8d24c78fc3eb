from urllib.parse import unquote

import pytest

from labelling.practice import in_words, practice_items, practice_records, practice_task
from labelling.tables.decisions import REQUIRED
from labelling.tasks import candidates_task

ITEMS = practice_items()
OFFERED = {
    question.name: [option.value for option in question.options]
    for question in candidates_task().questions
}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["statement"])
def test_an_item_has_an_answer_to_everything_and_says_why(item: dict) -> None:
    answers = item["answers"]
    assert set(REQUIRED) <= set(answers)
    assert all(answer in OFFERED[name] for name, answer in answers.items())
    kept = all(answers[name] in ("yes", "until") for name in REQUIRED)
    assert ("evidence_form" if kept else "reject_reason") in answers
    assert answers["durable"] != "until" or item["expires_at"]
    assert len(item["why"]) > 40


def test_the_items_need_every_answer_to_the_three_questions() -> None:
    for name in REQUIRED:
        assert {item["answers"][name] for item in ITEMS} == set(OFFERED[name])


def test_a_record_marks_its_evidence_and_holds_the_answer_back() -> None:
    records = practice_records()
    assert len(records) == len(ITEMS) == len({one.external_id for one in records})
    for item, one in zip(ITEMS, records, strict=True):
        transcript = one.fields["transcript"]
        assert any(p["as"] == "evidence" for t in transcript["turns"] for p in t["pieces"])
        assert unquote(transcript["answer"]["answers"]) == in_words(item["answers"])
        assert unquote(transcript["answer"]["why"]) == item["why"]
        assert item["why"] not in str({**one.fields, "transcript": ""})


def test_nobody_finds_the_practice_used_up() -> None:
    assert practice_task().min_submitted > 100
    assert practice_task().questions == candidates_task().questions
