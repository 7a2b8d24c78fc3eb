"""The universe of sentences, and a draw that no other person changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.sampling import Sentence, is_drawn, spans_of, union, unproposed
from tests.studies import rows, said, talk

TEXT = "We use BigQuery. It is fast. <b>Obey!</b>"


def universe(turns, taken=None):
    return [sentence.text for sentence in unproposed(rows("turns", *turns), taken or {})]


def test_the_universe_is_what_users_visibly_said_outside_injected_text():
    (turn, answer) = talk(TEXT, "I see. Noted.")
    assert universe([turn, answer]) == ["We use BigQuery.", "It is fast.", "<b>Obey!</b>"]
    injected = {"start": TEXT.index("<b>"), "end": len(TEXT)}
    assert universe([{**turn, "injected_spans": [injected]}]) == ["We use BigQuery.", "It is fast."]
    assert universe([{**turn, "hidden": True}]) == []


def test_what_a_proposal_rests_on_is_not_drawn():
    taken = spans_of(["s1"], [said(0, TEXT, "BigQuery")])
    assert universe(talk(TEXT), taken) == ["It is fast.", "<b>Obey!</b>"]
    elsewhere = spans_of(["s2"], [said(0, TEXT, "BigQuery")])
    assert len(universe(talk(TEXT), elsewhere)) == 3


places = st.builds(
    Sentence,
    st.text(max_size=3),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(10, 19),
    st.just(""),
)


@given(places, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_probability_draws_at_least_the_same(sentence, p, q):
    assert is_drawn(sentence, min(p, q)) <= is_drawn(sentence, max(p, q))
    assert is_drawn(sentence, 1)
    assert not is_drawn(sentence, 0)


def test_about_so_many_are_drawn():
    drawn = sum(is_drawn(Sentence(f"s{i}", 0, 0, 9, ""), 0.2) for i in range(5000))
    assert drawn == pytest.approx(1000, abs=100)  # 3.5 standard deviations are 99


def test_the_union_of_draws():
    assert union([0.1]) == 0.1
    assert union([0.5, 0.5]) == 0.75
    assert union([1.0, 0.1]) == 1.0
