"""What judges are shown: both answers without names; and auditors: a record with its words."""

import pytest

from labelling.tables import columns, frame
from labelling.tasks import (
    Record,
    adjudication,
    adjudication_record,
    adjudication_task,
    audit_record,
    audit_task,
    candidates_task,
)
from tests.studies import talk


def given(write, **answers):
    return {"write": write, "durable": "yes", "well_evidenced": "yes", "scope_ok": "yes", **answers}


def test_both_answers_are_shown_by_question_and_what_they_split_on_comes_first():
    of_a = given("yes", evidence_form="stated")
    of_b = given("no", scope_ok="no", note="Two\nlines")
    assert adjudication.in_words([of_a, of_b]).splitlines() == [
        "A would write it; B would not.",
        "▶ SPLIT · Scope right – A: yes · B: no",
        "Durable – A and B: yes",
        "Well evidenced – A and B: yes",
        "How was it said? – A: stated – in so many words",
        "Note – B: Two lines",
    ]


def test_three_answers_are_all_shown():
    said = adjudication.in_words([given("no"), given("yes"), given("yes")])
    assert said.startswith("B and C would write it; A would not.")
    assert "Durable – A, B and C: yes" in said


def test_who_is_a_changes_from_candidate_to_candidate():
    said = {"ann": given("yes"), "bo": given("no", durable="no")}
    firsts = []
    for n in range(40):
        shown = Record(f"{n:016x}", {})
        one = adjudication_record(shown, said)
        turned = adjudication_record(shown, dict(reversed(said.items())))
        assert one == turned
        firsts.append(one.fields["answers"].startswith("A would write"))
    assert 10 < sum(firsts) < 30


@pytest.mark.parametrize("turn", [0, 2, 4, None])
def test_the_words_of_a_record_are_marked_where_the_user_said_them_last(turn):
    drawn = {
        **dict.fromkeys(columns("audit_records")),
        "candidate_id": "a" * 16,
        "statement": "Uses BigQuery.",
        "quote": "BigQuery",
        "turn": turn,
    }
    said = talk("BigQuery 🙂 it is.", "BigQuery?", "Yes: BigQuery.", "BigQuery!", "Thanks.")
    turns = frame("turns", said).to_dicts()
    fields = audit_record(drawn, turns).fields["transcript"]["turns"]
    marked = [one["number"] - 1 for one in fields for p in one["pieces"] if p["as"] == "evidence"]
    assert marked == [0 if turn == 0 else 2]


@pytest.mark.parametrize("task", [adjudication_task(), audit_task()])
def test_guidelines_fit_argilla_and_explain_every_answer(task):
    text = task.guidelines.text
    assert len(text) <= 10_000
    answers = [option.value for question in task.questions for option in question.options]
    assert [one for one in answers if f"**{one}**" not in text and f"*{one}*" not in text] == []


def test_an_audit_asks_what_candidates_ask_and_a_judge_names_no_question_of_theirs():
    assert audit_task().questions == candidates_task().questions
    mine = {question.name for question in adjudication_task().questions}
    assert mine.isdisjoint(question.name for question in candidates_task().questions)
    assert adjudication_task().min_submitted == 1
