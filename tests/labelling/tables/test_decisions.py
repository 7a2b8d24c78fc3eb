"""From answers to decisions: every combination, what never counts, and that order never matters."""

from datetime import UTC, datetime
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.tables import frame
from labelling.tables.decisions import annotator_decisions, decisions, judgements, settled
from labelling.tables.decisions import read_whole as sessions_read_whole
from tests.studies import REJECT, WRITE, read_whole, row, rows, votes

DAY = datetime(2027, 1, 1, tzinfo=UTC)
ANSWERS = list(product(("yes", "until", "no"), ("yes", "no"), ("yes", "no")))


def decision(labels, **candidate):
    found = decisions(frame("labels", labels), rows("candidates", candidate))
    return found["decision"][0]


@pytest.mark.parametrize("answers", ANSWERS, ids="-".join)
@pytest.mark.parametrize("expires_at", [None, DAY])
def test_every_combination_of_one_annotator(answers, expires_at):
    durable, evidenced, scope_ok = answers
    write = durable == "yes" or (durable == "until" and expires_at is not None)
    write = write and evidenced == scope_ok == "yes"
    found = annotator_decisions(
        frame("labels", votes("c1", answers)), rows("candidates", {"expires_at": expires_at})
    )
    assert found["write"].to_list() == [write]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], "unjudged"),
        ([WRITE], "unjudged"),
        ([REJECT], "unjudged"),
        ([WRITE, WRITE], "accepted"),
        ([REJECT, ("yes", "no", "no")], "rejected"),
        ([WRITE, REJECT], "disputed"),
        ([WRITE, WRITE, WRITE], "accepted"),
        ([WRITE, WRITE, REJECT], "disputed"),
        ([REJECT, REJECT, WRITE], "disputed"),
        ([REJECT, REJECT, REJECT], "rejected"),
    ],
)
def test_two_make_a_decision_and_three_need_unanimity(answers, expected):
    assert decision(votes("c1", *answers)) == expected


NEVER = [
    {"status": "draft"},
    {"status": "discarded"},
    {"pilot": True},
    {"occasion": 1},
    {"annotator": "source:locomo"},
]


@pytest.mark.parametrize("fault", NEVER, ids=lambda fault: next(iter(fault)))
def test_what_never_counts(fault):
    second = [{**label, **fault} for label in votes("c1", WRITE, WRITE)[3:]]
    assert decision(votes("c1", WRITE) + second) == "unjudged"
    third = [{**label, "annotator": "a2", **fault} for label in votes("c1", REJECT)]
    assert decision(votes("c1", WRITE, WRITE) + third) == "accepted"


def test_a_discard_or_an_adjudication_is_no_vote():
    more = [
        row("labels", annotator="a1", question="task", answer=None, status="discarded"),
        row("labels", annotator="judge", question="adjudication", answer="write"),
    ]
    assert decision(votes("c1", WRITE) + more) == "unjudged"


def test_an_incomplete_answer_is_no_vote():
    assert decision(votes("c1", WRITE, WRITE)[:-1]) == "unjudged"


voters = st.lists(st.sampled_from(ANSWERS), max_size=4)


@given(st.dictionaries(st.sampled_from(["c1", "c2", "c3"]), voters), st.randoms())
def test_order_never_matters_and_a_person_s_going_touches_only_what_they_answered(given_, random):
    candidates = rows("candidates", *({"candidate_id": c} for c in ("c1", "c2", "c3")))
    labels = [label for c, answers in given_.items() for label in votes(c, *answers)]
    whole = decisions(frame("labels", labels), candidates)
    random.shuffle(labels)
    assert decisions(frame("labels", labels), candidates).equals(whole)
    without = decisions(
        frame("labels", [lb for lb in labels if lb["annotator"] != "a0"]), candidates
    )
    for before, after in zip(whole.to_dicts(), without.to_dicts(), strict=True):
        answered = bool(given_.get(before["candidate_id"]))
        assert after["annotators"] == before["annotators"] - answered
        assert answered or after == before


def test_a_session_is_read_whole_by_two():
    labels = read_whole("s1") + read_whole("s2", "a0") + read_whole("s3", "a0", "source:x")
    no = [{**label, "answer": "no"} for label in read_whole("s4")]
    assert sessions_read_whole(frame("labels", labels + no)) == ["s1"]


def judged(*given, annotators=("a0", "a1")):
    """Of candidate c1, on which a0 and a1 split: (judge, answer, reason code) each."""
    labels = [
        row("labels", annotator=judge, question=question, answer=answer)
        for judge, *answers in given
        for question, answer in zip(("adjudication", "reason_code"), answers, strict=True)
    ]
    return rows("labels", *votes("c1", WRITE, REJECT), *labels), rows("candidates", {})


def test_a_judge_settles_what_two_split_on():
    assert settled(*judged(("j", "write", "slip"))).rows() == [("c1", True, "slip")]
    assert settled(*judged(("j", "reject", None))).rows() == [("c1", False, None)]
    both = judged(("j", "write", "slip"), ("k", "write", "scope"))
    assert settled(*both).rows() == [("c1", True, None)]


def test_nothing_is_settled_by_judges_who_differ_by_labellers_or_where_nobody_split():
    assert settled(*judged(("j", "write", "slip"), ("k", "reject", "slip"))).is_empty()
    own = judged(("a1", "write", "slip"))
    assert settled(*own).is_empty()
    assert judgements(*own).rows() == [("c1", "a1", True, "slip", True)]
    for never in ({"status": "draft"}, {"pilot": True}, {"occasion": 1}):
        labels, candidates = judged(("j", "write", "slip"))
        asked = pl.col("annotator") == "j"
        changed = [pl.when(asked).then(pl.lit(v)).otherwise(c).alias(c) for c, v in never.items()]
        kept = rows("labels", *labels.with_columns(changed).to_dicts())
        assert settled(kept, candidates).is_empty()
    agreed = rows(
        "labels",
        *votes("c1", WRITE, WRITE),
        row("labels", annotator="j", question="adjudication", answer="reject"),
    )
    assert settled(agreed, rows("candidates", {})).is_empty()
