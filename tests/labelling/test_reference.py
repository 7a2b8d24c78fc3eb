"""What two people agree on: facts with their weight and source, and what they split on."""

from datetime import UTC, datetime

from labelling.reference import (
    disagreements,
    fact_key,
    make_reference,
    on_shared_words,
    reference_facts,
)
from labelling.tables import read
from tests.studies import REJECT, WRITE, own_data, row, rows, save, votes  # noqa: F401


def facts(labels, *candidates):
    people = rows("sessions", {}, {"session_id": "s2"})
    return reference_facts(rows("labels", *labels), rows("candidates", *candidates), people)


def test_an_accepted_candidate_is_a_fact(data):
    until = datetime(2027, 1, 1, tzinfo=UTC)
    candidate = {"slot": "warehouse", "value": "BigQuery", "expires_at": until}
    given = {**candidate, "inclusion_probability": 0.25}
    (fact,) = facts(votes("c1", WRITE, ("until", "yes", "yes")), given).to_dicts()
    assert fact["fact_id"] == "c1"
    assert {name: fact[name] for name in candidate} == candidate
    assert (fact["weight"], fact["source"], fact["split"]) == (4.0, "agreed", "test")


def test_what_is_not_accepted_is_no_fact():
    for answers in ([], [WRITE], [WRITE, REJECT], [REJECT, REJECT], [WRITE, WRITE, REJECT]):
        assert facts(votes("c1", *answers), {}).is_empty()


def test_an_unknown_probability_gives_no_weight():
    (fact,) = facts(votes("c1", WRITE, WRITE), {"inclusion_probability": None}).to_dicts()
    assert fact["weight"] is None


def test_a_correction_is_known_as_such():
    wrote = row("labels", candidate_id="c0", question="corrected", answer=" The right\nwords. ")
    candidates = [{"candidate_id": "c0"}, {"candidate_id": "c1", "statement": "The right words."}]
    blank = row("labels", candidate_id="c1", question="corrected", answer=None)
    found = facts([blank, wrote, *votes("c1", WRITE, WRITE)], *candidates)
    assert found.select("fact_id", "source").rows() == [("c1", "corrected")]
    elsewhere = [{**candidates[0], "session_id": "s2"}, candidates[1]]
    assert facts([wrote, *votes("c1", WRITE, WRITE)], *elsewhere)["source"].to_list() == ["agreed"]


def test_a_data_set_s_own_label_makes_a_corpus_fact_alone_where_nobody_decided():
    own = [{**label, "annotator": "source:locomo"} for label in votes("c1", WRITE)]
    assert facts(own, {})["source"].to_list() == ["corpus"]
    assert facts(own + votes("c1", WRITE), {})["source"].to_list() == ["corpus"]
    assert facts(own + votes("c1", WRITE, WRITE), {})["source"].to_list() == ["agreed"]
    for answers in ([REJECT, REJECT], [WRITE, REJECT]):
        assert facts(own + votes("c1", *answers), {}).is_empty()
    for never in ({"status": "draft"}, {"pilot": True}, {"answer": "no"}):
        assert facts([{**label, **never} for label in own], {}).is_empty()


def test_a_form_counts_where_all_who_named_one_agree():
    def form(*answers):
        named = [
            row("labels", annotator=f"a{n}", question="evidence_form", answer=answer)
            for n, answer in enumerate(answers)
        ]
        return facts(votes("c1", WRITE, WRITE) + named, {})["evidence_form"][0]

    assert form("oblique", "oblique") == "oblique"
    assert form("oblique") == "oblique"
    assert form("oblique", "stated") is None
    assert form() is None


def test_restatements_share_a_key():
    key = fact_key("ana", "Uses BigQuery.", "warehouse", "BigQuery", "global")
    assert key == fact_key("ana", "It is BigQuery.", "warehouse", "bigquery", "global")
    assert key != fact_key("bob", "Uses BigQuery.", "warehouse", "BigQuery", "global")
    assert key != fact_key("ana", "Uses BigQuery.", "warehouse", "BigQuery", "project:x")
    assert fact_key("ana", "A.", None, None, None) == fact_key("ana", "a", "slot", None, None)


def test_splits_of_a_disputed_candidate_are_listed():
    labels = rows("labels", *votes("c1", WRITE, ("no", "yes", "no")))
    found = disagreements(labels, rows("candidates", {}))
    assert found["question"].to_list() == ["durable", "scope_ok", "write"]
    assert found["answers"][2].to_list() == [
        {"annotator": "a0", "answer": "yes"},
        {"annotator": "a1", "answer": "no"},
    ]


def judge(decision, reason="ambiguous", **more):
    given = {"adjudication": decision, "reason_code": reason}
    return [row("labels", annotator="j", question=q, answer=a, **more) for q, a in given.items()]


def test_what_a_judge_would_write_is_an_adjudicated_fact_of_the_same_weight():
    split = votes("c1", WRITE, REJECT)
    given = {"inclusion_probability": 0.25}
    (fact,) = facts(split + judge("write"), given).to_dicts()
    assert (fact["source"], fact["weight"], fact["fact_id"]) == ("adjudicated", 4.0, "c1")
    assert facts(split + judge("reject"), given).is_empty()
    assert facts(votes("c1", WRITE, WRITE) + judge("reject"), given)["source"][0] == "agreed"


def test_a_settled_split_says_how_and_why():
    for decision in ("write", "reject"):
        labels = rows("labels", *votes("c1", WRITE, REJECT), *judge(decision))
        found = disagreements(labels, rows("candidates", {}))
        assert set(found.select("resolved", "reason_code").rows()) == {(decision, "ambiguous")}
    found = disagreements(rows("labels", *votes("c1", WRITE, REJECT)), rows("candidates", {}))
    assert set(found.select("resolved", "reason_code").rows()) == {(None, None)}


def test_splits_under_one_decision_are_agreement_s_alone():
    for answers in ([REJECT, ("yes", "no", "yes")], [WRITE]):
        labels = rows("labels", *votes("c1", *answers))
        assert disagreements(labels, rows("candidates", {})).is_empty()


def test_the_step_writes_three_tables_and_counts(data):
    names = ("c1", "c2", "c3", "c4")
    save(
        sessions=[{}],
        candidates=[{"candidate_id": name, "statement": name} for name in names],
        labels=votes("c1", WRITE, WRITE) + votes("c2", REJECT, REJECT) + votes("c3", WRITE, REJECT),
    )
    outcome = make_reference("study")
    assert outcome.wrote["reference_facts"] == 1
    assert outcome.details["decisions"] == {
        "accepted": 1,
        "rejected": 1,
        "disputed": 1,
        "unjudged": 1,
    }
    assert read("study", "disagreements")["candidate_id"].unique().to_list() == ["c3"]
    assert read("study", "agreement").height


def test_facts_on_the_same_words_are_counted():
    def span(start, end):
        return [{"turn": 0, "role": "user", "start": start, "end": end}]

    cards = rows(
        "candidates",
        {"candidate_id": "a", "evidence": span(0, 10)},
        {"candidate_id": "b", "evidence": span(5, 30)},
        {"candidate_id": "c", "evidence": span(26, 40)},
    )
    found = rows("reference_facts", *({"fact_id": name} for name in "abc"))
    # b takes half of a's ten; c shares 4 of its 14 with b
    assert on_shared_words(found, cards) == 1
