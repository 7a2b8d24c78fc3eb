"""What became of disputed candidates: counted by hand, and nothing said where nobody judged."""

import pytest

from labelling.once_disputed import once_disputed
from tests.studies import REJECT, WRITE, row, rows, votes


def judged(*given):
    """Five disputed candidates of as many sessions, an agreed one; (n, judge, answer, reason)."""
    cards = [{"candidate_id": f"c{n}", "session_id": f"s{n}"} for n in range(6)]
    labels = [label for n in range(5) for label in votes(f"c{n}", WRITE, REJECT)]
    labels += votes("c5", WRITE, WRITE)
    for n, judge, answer, reason in given:
        called = {"candidate_id": f"c{n}", "annotator": judge}
        labels.append(row("labels", question="adjudication", answer=answer, **called))
        labels.append(row("labels", question="reason_code", answer=reason, **called))
    return once_disputed(rows("labels", *labels), rows("candidates", *cards))


def test_settled_ones_are_counted_by_answer_and_by_reason():
    found = judged(
        (0, "j", "write", "slip"),
        (1, "j", "write", "guideline_gap"),
        (2, "j", "reject", "guideline_gap"),
        (3, "a1", "write", "slip"),  # labelled it
        (5, "j", "reject", "slip"),  # nobody split on it
    )
    assert (found.disputed, found.settled, found.written, found.open, found.own) == (5, 3, 2, 2, 1)
    assert list(found.reasons.items()) == [("guideline_gap", 2), ("slip", 1)]
    assert found.to_write.value == pytest.approx(2 / 3)
    # 2 of 3, Clopper-Pearson
    assert (found.to_write.low, found.to_write.high) == pytest.approx((0.0943, 0.9916), abs=1e-4)
    said = "\n".join(found.in_words())
    assert "of 5 disputed candidates 3 are settled: 2 to write (66.7 %, 9.43 to 99.2)" in said
    assert "guideline gap 2, slip 1" in said
    assert "do not count: 1, by people who labelled" in said


def test_where_nobody_judged_the_share_is_null_with_a_reason():
    found = judged()
    assert found.in_words() == []
    assert found.plain()["to_write_share"] is None
    assert found.plain()["reason"] == "no disputed candidate is settled"
