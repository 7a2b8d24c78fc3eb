"""Marks of readers: which count, what is the same place, when a session is judged whole."""

import json

import pytest

from labelling.tables.marks import (
    judged_whole,
    marks,
    open_marks,
    same_place,
    unsettled,
)
from tests.studies import REJECT, WRITE, read_whole, row, rows, votes


def piece(start, end, turn=0, **more):
    return {"turn": turn, "start": start, "end": end, **more}


def marked(annotator, *pieces, session_id="s1", **more):
    answer = json.dumps([{"label": "fact", **one} for one in pieces])
    given = {"candidate_id": session_id, "question": "marked", "annotator": annotator}
    return row("labels", **given, answer=answer, **more)


def labels(*given):
    return rows("labels", *given)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([piece(0, 10)], [piece(5, 30)], True),  # half of the shorter
        ([piece(0, 10)], [piece(6, 30)], False),
        ([piece(0, 10)], [piece(0, 10, turn=1)], False),
        ([piece(0, 9), piece(0, 9, turn=2)], [piece(0, 9, turn=2)], True),
        ([piece(0, 5)], [piece(5, 9)], False),
    ],
)
def test_the_same_place_is_half_of_the_shorter_piece(one, other, same):
    assert same_place(one, other) == same_place(other, one) == same


def test_marks_count_where_two_read_the_session_whole_and_said_so():
    given = [marked("a0", piece(0, 5)), marked("a1", piece(3, 9, turn=1), piece(0, 2))]
    found = marks(labels(*given, *read_whole()))
    assert [(m.annotator, [dict(p) for p in m.pieces]) for m in found] == [
        ("a0", [piece(0, 5)]),
        ("a1", [piece(0, 2)]),
        ("a1", [piece(3, 9, turn=1)]),
    ]
    assert marks(labels(*given, *read_whole("s1", "a0"))) == []
    third = [marked("a2", piece(0, 5)), marked("a0", piece(0, 5), session_id="s2")]
    assert marks(labels(*given, *third, *read_whole())) == found
    for never in ({"status": "draft"}, {"pilot": True, "occasion": 2}, {"occasion": 1}):
        assert marks(labels(*({**one, **never} for one in given), *read_whole())) == []


def test_pieces_of_one_mark_stay_together():
    answer = [piece(4, 9, mark=0), piece(0, 3, turn=1, mark=0), piece(0, 2, mark=1)]
    found = marks(labels(marked("a0", *answer), *read_whole()))
    assert [[p["start"] for p in mark.pieces] for mark in found] == [[0], [4, 0]]


def test_a_session_is_judged_whole_once_all_that_was_marked_is_a_candidate():
    given = labels(marked("a0", piece(0, 5)), *read_whole())
    evidence = [{**piece(0, 8), "role": "user"}]
    assert judged_whole(given, rows("candidates")) == []
    assert judged_whole(given, rows("candidates", {"evidence": evidence})) == ["s1"]
    assert judged_whole(given, rows("candidates", {"session_id": "s2", "evidence": evidence})) == []
    assert judged_whole(labels(*read_whole()), rows("candidates")) == ["s1"]
    one = labels(marked("a0", piece(0, 5)), *read_whole("s1", "a0"))
    assert unsettled(given, rows("candidates")) == unsettled(one, rows("candidates")) == {"s1"}
    assert unsettled(given, rows("candidates", {"evidence": evidence})) == set()


def test_a_rejected_proposal_stands_for_no_mark_and_anything_else_there_does():
    evidence = [{**piece(0, 8), "role": "user"}]
    given = [marked("a0", piece(0, 5)), *read_whole()]

    def unasked(*answers, strata):
        table = rows("candidates", {"evidence": evidence, "strata": strata})
        return len(open_marks(labels(*given, *votes("c1", *answers)), table))

    assert unasked(REJECT, REJECT, strata=["proposed"]) == 1
    assert unasked(REJECT, WRITE, strata=["proposed"]) == unasked(strata=["proposed"]) == 0
    for strata in (["sampled"], ["read"], ["proposed", "read"]):
        assert unasked(REJECT, REJECT, strata=strata) == 0
