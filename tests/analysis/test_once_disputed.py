"""Precision among the once-disputed: by hand, beside a headline that it does not change."""

import pytest

from analysis.once_disputed import lines
from analysis.truth import truths
from tests.scored import scored, study
from tests.studies import row


def judge(*answers):
    """Of candidates c0, c1, …: what the judge would do."""
    return [
        row("labels", candidate_id=f"c{n}", annotator="j", question="adjudication", answer=answer)
        for n, answer in enumerate(answers)
        if answer
    ]


CARDS = [{"decision": "disputed"}] * 4 + [{"decision": "accepted"}]
RECORDS = [{"card": n} for n in range(5)]


def test_of_a_gate_s_disputed_records_those_that_a_judge_would_write_are_right():
    found = scored(CARDS, RECORDS, labels=judge("write", "write", "reject"))
    (one,) = found.once_disputed()
    counts = [one[f"{name}_records"] for name in ("disputed", "settled", "correct")]
    assert counts == [4, 3, 2]
    assert one["precision"] == pytest.approx(2 / 3)
    (headline,) = found.operating_points().filter(variant="headline").to_dicts()
    assert (headline["correct_records"], headline["disputed_records"]) == (1, 4)
    assert headline["precision"] == 1
    (after,) = found.operating_points().filter(variant="adjudicated").to_dicts()
    # the agreed one and two of three
    assert (after["correct_records"], after["wrong_records"]) == (3, 1)
    assert (after["reference_facts"], after["disputed_records"]) == (3, 1)


def test_the_adjudicated_variant_has_the_facts_of_that_source_beside_the_headline_s():
    tables = study(CARDS, RECORDS, labels=judge("write", "reject", "write"))
    source = tables["reference_facts"].select("fact_id", "source").rows()
    assert sorted(source) == [("c0", "adjudicated"), ("c2", "adjudicated"), ("c4", "agreed")]
    facts = {one.variant: set(one.facts["fact_id"]) for one in truths(tables)}
    assert (facts["headline"], facts["adjudicated"]) == ({"c4"}, {"c0", "c2", "c4"})


def test_a_gate_without_a_settled_record_has_no_such_precision():
    found = scored(CARDS, [{"card": 4}], labels=judge("write"))
    (one,) = found.once_disputed()
    assert one["precision"] is None
    assert one["reason"] == "no disputed record is settled"
    assert lines([one]) == ["No gate has a record that was disputed and settled since."]
    assert lines([{**one, "disputed_records": 1}])[1].split() == ["x/default", "–", "0", "0", "1"]


def test_without_a_judge_nothing_is_said():
    assert scored(CARDS, RECORDS).once_disputed() == []
