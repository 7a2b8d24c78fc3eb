"""Counts beside the measures, worked out by hand."""

from hand_made import forms

from analysis import columns, summary, tallies
from tests.scored import slices

CARDS = [{"decision": "rejected"}] * 3 + [{"decision": "accepted"}, {"decision": "disputed"}]
MARKED = {"annotator": "a0", "question": "reject_reason"}


def made(**more):
    records = [{"card": n, "turn": 2 * n, "gate": "confirm"} for n in range(4)]
    declined = {"card": 4, "turn": 8, "gate": "confirm", "verdict": "confirm"}
    return slices(CARDS, [*records, declined], **more)


def test_wrong_records_by_kind_the_most_frequent_first():
    kinds = tallies.error_kinds(made())
    (row,) = kinds.to_dicts()
    assert row["wrong_records"] == 3
    assert ">1.00 (3 of 3)<" in summary.show(kinds, columns.kinds(kinds)).html
    assert tallies.error_kinds([]).is_empty()


def test_offers_and_acceptances_multiply_into_the_write_rate():
    (row,) = tallies.confirmations(made()).to_dicts()
    assert (row["assistant_turns"], row["offers"], row["accepted"]) == (10, 5, 4)
    assert (row["offer_share"], row["accepted_share"], row["write_rate"]) == (0.5, 0.8, 0.4)
    assert tallies.confirmations(slices(CARDS, [{"card": 0}])).is_empty()


def test_hard_facts_are_the_oblique_and_those_over_several_turns():
    rows = tallies.hard_facts(forms()).to_dicts()
    assert [(r["gate"], r["captured_facts"], r["reference_facts"], r["recall"]) for r in rows] == [
        ("heuristic", 0, 2, 0.0),
        ("nothing", 0, 2, 0.0),
    ]
    none = forms().filter(evidence_form="stated")
    assert tallies.hard_facts(none).is_empty()


def test_a_gate_is_timed_on_the_path_and_off_it():
    ran = [
        {"gate": "confirm", "turn": n, "on_path": n < 2, "latency_ms": 10.0 * n} for n in range(4)
    ]
    rows = tallies.latencies(made(gate_turns=ran)).to_dicts()
    assert [(r["on_path"], r["runs"], r["latency_p95_ms"]) for r in rows] == [
        (True, 2, 10.0),
        (False, 2, 30.0),
    ]


def test_what_was_agreed_and_what_was_dropped_is_said():
    assert "People agreed on 1 facts" in tallies.agreed_and_dropped(made())
    assert "On 1 candidates people split" in tallies.agreed_and_dropped(made())
    assert tallies.agreed_and_dropped([]) == "No gate was scored."
