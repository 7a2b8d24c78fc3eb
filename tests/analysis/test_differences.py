"""Paired differences and the step between two gates; the chapter's own steps."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.differences import LEAST, MEASURES, differences, holm, p_value, step, trade
from analysis.points import point
from analysis.slices import paired
from labelling.statistics import Interval, wilson
from tests.scored import slices
from tests.studies import GOLDEN

TABLE = json.loads((GOLDEN / "chapters.json").read_text(encoding="utf-8"))["gate_table"]
DERIVED = TABLE["derived"]
NAMES = ("worth", "durable", "heuristic", "explicit")
STEPS = ("worth_to_durable", "durable_to_heuristic", "heuristic_to_explicit")


def printed(name):
    """A row of the chapter's table; recalls follow from 23 of 410 and the printed gaps."""
    gaps = [TABLE["recall_gaps_points"][one] / 100 for one in STEPS][NAMES.index(name) :]
    row = TABLE["rows"][NAMES.index(name)]
    wrong = 1000 * row["write_rate"] * (1 - row["precision"])
    return {
        "precision": row["precision"],
        "recall": 23 / TABLE["reference_facts"] + sum(gaps),
        "wrong_per_1000_turns": wrong,
        "assistant_turns": TABLE["turns"],
        "reference_weight": TABLE["reference_facts"],
    }


@pytest.mark.parametrize("name", STEPS)
def test_the_steps_are_read_as_the_chapter_reads_its_table(name):
    before, after = name.split("_to_")
    found = trade(printed(before), printed(after))
    assert found.recall_points == pytest.approx(TABLE["recall_gaps_points"][name])
    assert found.precision_points == pytest.approx(DERIVED["precision_gaps_points"][name])
    expected = DERIVED["wrong_records_avoided_per_fact_lost"][name]
    assert found.avoided_per_fact == pytest.approx(expected, abs=5e-3 if expected < 10 else 5e-2)


def test_a_step_that_loses_no_fact_has_no_rate_of_exchange():
    found = trade(printed("durable"), printed("worth"))
    assert (found.avoided_per_fact, found.reason) == (None, "on balance no fact is lost")
    assert found.recall_points == pytest.approx(-7)
    unknown = {**printed("durable"), "precision": None, "wrong_per_1000_turns": None}
    assert trade(printed("worth"), unknown).reason == "recall or wrong records are undefined"


def gates(users=40):
    """A loose and a strict gate: the loose one writes every fact and a trap of each user."""
    sessions = [{"session_id": f"s{u}", "user_id": f"user {u}"} for u in range(users)]
    cards, records = [], []
    for u in range(users):
        for decision in ("accepted", "accepted", "rejected"):
            card = len(cards)
            cards.append({"decision": decision, "session_id": f"s{u}"})
            records.append({"card": card, "gate": "loose"})
            if card % 2 and (decision == "accepted" or u % 20 == 0):
                records.append({"card": card, "gate": "strict"})
    return slices(cards, records, sessions)


def test_differences_are_those_of_the_points():
    loose, strict = paired(gates())
    table = {row["measure"]: row for row in differences([loose, strict]).to_dicts()}
    for measure in MEASURES:
        row = table[measure]
        assert row["value"] == pytest.approx(point(strict)[measure] - point(loose)[measure])
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
        assert row["p"] <= row["p_holm"] < 0.01


def test_a_gate_does_not_differ_from_itself():
    loose, _ = gates()
    for row in differences([loose, loose]).to_dicts():
        assert row["value"] == 0
        assert row["p"] > 0.99


def test_what_is_undefined_has_its_reason():
    cards = [{"decision": "accepted"}]
    found = slices(cards, [{"card": 0, "gate": "a"}, {"card": None, "gate": "b"}])
    table = {row["measure"]: row for row in differences(found).to_dicts()}
    assert table["precision"]["p_holm"] is table["precision"]["ci_low"] is None
    assert table["precision"]["reason"] == "nothing in the denominator"


def test_the_step_in_words():
    words = step(*gates())
    assert words.startswith("From loose/default to strict/default costs 50.0 points of recall (")
    assert "and buys " in words
    assert " wrong records avoided per fact lost (" in words
    back = step(*reversed(gates()))
    assert "wins 50.0 points of recall" in back
    assert back.endswith("on balance no fact is lost.")
    assert words.split("recall (")[1][:12] == back.split("recall (")[1][:12]  # the same ends


def test_a_step_that_loses_facts_and_writes_more_junk_says_so():
    cards = [{"decision": d} for d in ("accepted", "rejected")]
    found = slices(cards, [{"card": 0, "gate": "good"}, {"card": 1, "gate": "junk"}])
    words = step(*found)
    assert words.endswith("1.00 wrong records more for each fact lost, on balance.")
    assert "(−" in words, "one minus sign in all figures"
    assert "(-" not in words


@given(st.floats(0.02, 0.98), st.integers(20, 400))
def test_p_is_where_the_interval_s_end_meets_0(p, n):
    def at(level):
        low, high = wilson(p, n, level)
        return Interval(p - 0.5, low - 0.5, high - 0.5, "Wilson")

    found = p_value(at)
    edge = at(1 - found)
    if LEAST < found < 0.99:
        assert min(abs(edge.low), abs(edge.high)) < 1e-3
    for level in (0.5, 0.9, 0.95):
        away = at(level).low > 0 or at(level).high < 0
        assert not away or found <= 1.001 * (1 - level)


def test_few_users_have_an_interval_at_95_percent_before_they_have_one_far_out():
    def at(level):
        ends = (0.1, 0.3) if level <= 0.99 else (None, None)
        return Interval(0.2, *ends, "any")

    assert p_value(at) == pytest.approx(0.01, rel=0.01)


@pytest.mark.parametrize(("users", "told"), [(3, True), (4, False)])
def test_three_users_have_no_p_value(users, told):
    for row in differences(gates(users)).to_dicts():
        assert (row["p"] is None) == told
        assert (row["reason"] == "no p-value from fewer than 4 users") == told


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1) | st.none(), max_size=8))
def test_holm_never_lowers_and_keeps_the_order(values):
    found = holm(values)
    for p, q in zip(values, found, strict=True):
        assert (p is None) == (q is None)
        assert p is None or p <= q <= 1
    known = sorted((p, q) for p, q in zip(values, found, strict=True) if p is not None)
    assert [q for _, q in known] == sorted(q for _, q in known)
