"""What a gate is scored on: restatements counted once, known facts, variants, users left out."""

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.points import decided_by, error_kinds, latencies, point
from analysis.slices import of_sessions, of_users, paired
from tests.scored import scored, slices
from tests.studies import REJECT, WRITE, row, votes

ANN = [{"session_id": "s1", "user_id": "ann"}, {"session_id": "s2", "user_id": "ann"}]
SAME = {"decision": "accepted", "slot": "warehouse", "value": "BigQuery"}
RESTATED = [SAME, {**SAME, "session_id": "s2"}]


def figures(cards, records, *names, variant="headline", **more):
    (found,) = slices(cards, records, more.pop("sessions", ANN), variant=variant, **more)
    made = point(found)
    return [made[name] for name in names]


# per user


def test_a_fact_that_is_restated_counts_once_for_its_user():
    records = [{"card": 1}, {"card": 1}]
    wanted = ("reference_facts", "captured_facts", "recall", "correct_records", "precision")
    assert figures(RESTATED, records, *wanted) == [2, 1, 0.5, 2, 1]
    assert figures(RESTATED, records, *wanted, variant="per_user") == [1, 1, 1, 2, 1]


def test_a_restated_fact_was_found_by_any_of_its_routes():
    # missed by both draws with 1/2 x 3/4: weight 1 / (1 - 3/8) = 1.6
    cards = [{**SAME, "inclusion_probability": 0.5}, {**RESTATED[1], "inclusion_probability": 0.25}]
    names = ("reference_weight", "recall")
    assert figures(cards, [], *names) == [6, 0]
    assert figures(cards, [], *names, variant="per_user") == pytest.approx([1.6, 0])


def test_a_dispute_about_a_fact_that_was_accepted_elsewhere_is_settled():
    cards = [SAME, {**RESTATED[1], "decision": "disputed"}]
    names = ("recall_low", "recall_high")
    assert figures(cards, [{"card": 0}], *names) == [0.5, 1]
    assert figures(cards, [{"card": 0}], *names, variant="per_user") == [1, 1]


def test_other_users_say_the_same_for_themselves():
    others = [ANN[0], {**ANN[1], "user_id": "ben"}]
    found = figures(RESTATED, [], "reference_facts", variant="per_user", sessions=others)
    assert found == [2]


# known facts

KNOWN = {"card": 1, "verdict": "known", "turn": 4}


@pytest.mark.parametrize(
    ("records", "captured"),
    [
        ([{"card": 0}, KNOWN], 2),
        ([KNOWN], 0),  # nothing was written before
        ([{"card": 0, "gate": "y"}, KNOWN], 0),  # another gate wrote it
        ([{"card": 0, "verdict": "confirm"}, KNOWN], 0),  # offered, never accepted
        ([{"card": 1, "turn": 6}, {**KNOWN, "card": 0}], 1),  # written later only
    ],
)
def test_a_known_proposal_captures_what_its_gate_wrote_before(records, captured):
    found = [s for s in slices(RESTATED, records, ANN) if s.ground.gate == "x"]
    made = point(found[0])
    assert made["captured_facts"] == captured
    assert made["records"] == sum(
        r.get("verdict") is None and r.get("gate") is None for r in records
    )


def test_known_is_in_no_precision_and_no_write_rate():
    with_known, without = (
        figures(RESTATED, records, "precision", "write_rate", "duplicates_per_fact", "recall")
        for records in ([{"card": 0}, KNOWN], [{"card": 0}])
    )
    assert with_known[:2] == without[:2]
    assert (with_known[3], without[3]) == (1, 0.5)


def test_at_a_threshold_what_is_known_needs_a_record_that_reaches_it():
    (found,) = slices(RESTATED, [{"card": 0, "score": 0.5}, KNOWN], ANN)
    assert [point(found, t)["recall"] for t in (0.5, 0.6)] == [1, 0]


def test_of_sessions_with_times_the_earlier_one_comes_first():
    times = [
        {**ANN[0], "started_at": "2026-02-02T00:00:00Z"},
        {**ANN[1], "started_at": "2026-02-01T00:00:00Z"},
    ]
    sessions = [
        {**s, "started_at": pl.Series([s["started_at"]]).str.to_datetime(time_zone="UTC")[0]}
        for s in times
    ]
    assert figures(RESTATED, [{"card": 0}, KNOWN], "captured_facts", sessions=sessions) == [1]


# variants


def test_every_variant_there_is_is_scored():
    cards = [{"decision": "disputed"}, {"decision": "accepted"}]
    judge = row("labels", candidate_id="c0", annotator="j", question="adjudication", answer="write")
    found = scored(cards, [{"card": 0}, {"card": 1}], labels=[judge])
    recall = {r["variant"]: r["recall"] for r in found.operating_points().to_dicts()}
    assert recall == dict.fromkeys(
        (
            *("headline", "per_user", "matching:strict", "matching:lenient"),
            *("annotator:a0", "annotator:a1", "either", "adjudicated"),
        ),
        1,
    )
    precise = {
        r["variant"]: (r["correct_records"], r["wrong_records"], r["disputed_records"])
        for r in found.operating_points().to_dicts()
    }
    assert precise["headline"] == (1, 0, 1)
    assert precise["annotator:a0"] == precise["either"] == precise["adjudicated"] == (2, 0, 0)
    assert precise["annotator:a1"] == (1, 1, 0)


def test_labels_without_a_second_annotator_or_a_judge_have_no_such_variants():
    lone = votes("c0", WRITE)
    found = scored([{"decision": "unjudged"}], [{"card": 0}], labels=lone)
    variants = {view.variant for view in found.views}
    assert variants == {
        *("headline", "per_user", "matching:strict", "matching:lenient", "annotator:a0")
    }


# parts of users

DECISIONS = ("accepted", "rejected", "disputed", "unjudged")
cards_drawn = st.lists(
    st.fixed_dictionaries(
        {
            "decision": st.sampled_from(DECISIONS),
            "session_id": st.sampled_from(["s1", "s2"]),
            "inclusion_probability": st.sampled_from([1.0, 0.5]),
        }
    ),
    min_size=1,
    max_size=6,
)
SUMS = ("records", "correct_records", "wrong_records", "captured_weight", "reference_weight")
BOTH = [{"session_id": "s1", "user_id": "ann"}, {"session_id": "s2", "user_id": "ben"}]


@settings(max_examples=30, deadline=None)
@given(
    cards_drawn, st.lists(st.integers(0, 5), max_size=8), st.sampled_from(["headline", "either"])
)
def test_the_parts_of_a_slice_add_up_and_leave_each_other_alone(cards, drawn, variant):
    records = [{"card": n} for n in drawn if n < len(cards)]
    assume({card["decision"] for card in cards} != {"unjudged"})  # nobody to be either of
    found = slices(cards, records, BOTH, variant=variant)
    whole = point(found[0])
    parts = [point(of_users(found[0], pl.Series([user]))) for user in ("ann", "ben")]
    for column in SUMS:
        assert whole[column] == pytest.approx(sum(part[column] for part in parts))


def test_gates_are_compared_on_the_sessions_that_both_covered():
    ran = [
        {"gate": "x", "session_id": "s1", "basis": "recorded"},
        *({"gate": "y", "session_id": s, "basis": "recorded"} for s in ("s1", "s2")),
    ]
    records = [{"card": 0, "gate": "x"}, {"card": 0, "gate": "y"}, {"card": 1, "gate": "y"}]
    cut = paired(slices(RESTATED, records, BOTH, gate_turns=ran))
    assert [one.ground.sessions["session_id"].to_list() for one in cut] == [["s1"], ["s1"]]
    assert [point(one)["records"] for one in cut] == [1, 1]
    assert point(of_sessions(cut[0], BOTH_SESSIONS.head(0)))["recall"] is None


BOTH_SESSIONS = pl.DataFrame(BOTH)

# details


def test_how_many_records_each_rule_decided():
    cards = [{"decision": "accepted"}, {"decision": "unjudged"}]
    (found,) = slices(cards, [{"card": 0}, {"card": 0}, {"card": 1}])
    rules = {r["how"]: (r["records"], r["share"]) for r in decided_by(found)}
    assert rules == {
        "own_candidate": (2, pytest.approx(2 / 3)),
        "nobody judged it": (1, pytest.approx(1 / 3)),
    }


def test_wrong_records_are_counted_by_kind():
    why = [
        row(
            "labels", candidate_id="c0", annotator=a, question="reject_reason", answer="situational"
        )
        for a in ("a0", "a1")
    ]
    cards = [{"decision": "rejected"}, {"decision": "rejected"}, {"decision": "accepted"}]
    records = [{"card": 0}, {"card": 0}, {"card": 1}, {"card": 2}]
    (found,) = slices(cards, records, labels=why)
    counted = [(r["error_kind"], r["records"]) for r in error_kinds(found)]
    assert counted == [("situational", 2), ("not said", 1)]


def test_latency_on_and_off_the_path_includes_what_failed():
    ran = [
        {"turn": 0, "latency_ms": 1.0},
        {"turn": 2, "latency_ms": 9.0, "failure": "boom"},
        {"turn": 4, "latency_ms": 50.0, "on_path": False},
    ]
    (found,) = slices([], [], gate_turns=ran)
    on, off = latencies(found)
    assert (on["runs"], on["failures"], on["latency_p95_ms"]) == (2, 1, 9.0)
    assert (off["on_path"], off["latency_p50_ms"]) == (False, 50.0)


def test_an_annotator_alone_may_reject_what_both_dispute():
    (found,) = slices([{"decision": "disputed"}], [{"card": 0}], variant="annotator:a1")
    assert (point(found)["wrong_records"], REJECT[0]) == (1, "no")
