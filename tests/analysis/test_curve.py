"""The curve over thresholds: each row is the point at its threshold, and none is invented."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from analysis.curve import MOST, NOT_DRAWN, curve, sweep, thinned
from analysis.points import point
from analysis.ratios import COUNTS
from labelling.tables import check
from tests.scored import slices

DECISIONS = ("accepted", "rejected", "disputed", "unjudged")
cards = st.lists(
    st.fixed_dictionaries(
        {
            "decision": st.sampled_from(DECISIONS),
            "inclusion_probability": st.sampled_from([1.0, 0.3, 0.7]),
            "session_id": st.sampled_from(["s1", "s2"]),
        }
    ),
    min_size=1,
    max_size=6,
)
offers = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0, None]),
        st.booleans(),
        st.sampled_from([0, 2, 4]),
    ),
    max_size=10,
)
SESSIONS = [{"session_id": "s1", "user_id": "ann"}, {"session_id": "s2", "user_id": "ben"}]


def offered(drawn, cards):
    """Records of the cards there are; those below their gate's threshold are rejected."""
    below = {"verdict": "reject", "reject_reason": "below_threshold"}
    for number, score, admitted, turn in drawn:
        if number < len(cards) and (admitted or score is not None):
            yield {"card": number, "score": score, "turn": turn, **({} if admitted else below)}


@settings(max_examples=40, deadline=None)
@given(cards, offers)
def test_each_row_is_the_point_at_its_threshold(cards, drawn):
    (found,) = slices(cards, list(offered(drawn, cards)), SESSIONS)
    table = curve(found)
    assert check("curve", table).bad.is_empty()
    for row in table.to_dicts():
        expected = point(found, row["threshold"])
        reasons = {one["column"]: one["reason"] for one in row.pop("reasons")}
        assert reasons == {one["column"]: one["reason"] for one in expected.pop("reasons")}
        assert row == pytest.approx(expected)
        assert {c for c, v in row.items() if v is None} - {"threshold"} <= reasons.keys()


@settings(max_examples=40, deadline=None)
@given(cards, offers)
def test_a_higher_threshold_adds_nothing(cards, drawn):
    (found,) = slices(cards, list(offered(drawn, cards)), SESSIONS)
    table = curve(found)
    for column in {"records", "captured_facts", "captured_weight"} | set(COUNTS) & set(
        table.columns
    ) - {"assistant_turns", "reference_facts", "reference_weight"}:
        values = table[column].to_list()
        assert values == sorted(values, reverse=True)
    assert table["threshold"].is_unique().all()


def test_a_gate_without_scores_is_one_point_as_it_ran():
    (found,) = slices([{"decision": "accepted"}], [{"card": 0}])
    (row,) = curve(found).to_dicts()
    assert (row["threshold"], row["precision"], row["recall"]) == (None, 1, 1)


def test_facts_that_nobody_proposed_stay_in_recall_s_denominator():
    facts = [{"decision": "accepted"}] * 4
    (found,) = slices(facts, [{"card": 0, "score": 0.9}, {"card": 1, "score": 0.4}])
    assert curve(found)["recall"].to_list() == [0.5, 0.25]


scores = st.lists(
    st.tuples(st.floats(-3, 3, allow_nan=False), st.booleans()), min_size=1, max_size=40
)


@given(scores)
def test_where_definitions_coincide_scikit_learn_agrees(drawn):
    score, right = map(np.array, zip(*drawn, strict=True))
    found = sweep(score, right)
    assert (found.thresholds == np.unique(score)).all()
    if right.any():
        # of a corpus whose facts were all proposed, once each
        precision, recall, thresholds = precision_recall_curve(right, score)
        wrong, correct = found.reaching
        assert found.thresholds == pytest.approx(thresholds)
        assert correct / (correct + wrong) == pytest.approx(precision[:-1])
        assert correct / right.sum() == pytest.approx(recall[:-1])


def test_scores_of_any_size_are_swept_alike():
    small = np.array([0.0, -0.0, 0.5, 1.9])
    groups = [0, 1, 2, 3]
    packed, ranked = sweep(small, groups, groups=4), sweep(small - 3, groups, groups=4)
    assert packed.reaching.tolist() == ranked.reaching.tolist()
    assert packed.thresholds.tolist() == [0, 0.5, 1.9]
    assert sweep([], []).reaching.shape == (2, 0)


def many(n=MOST + 50):
    """A gate with more thresholds than are drawn."""
    cards = [{"decision": "accepted" if i % 3 else "rejected"} for i in range(n)]
    (found,) = slices(cards, [{"card": i, "score": i / n} for i in range(n)])
    return curve(found)


def test_what_is_drawn_keeps_ends_and_extremes_and_has_the_intervals():
    whole = many()
    drawn = thinned(whole)
    assert drawn.height <= MOST < whole.height
    assert drawn["threshold"].is_sorted()
    for column in ("threshold", "precision", "recall", "wrong_per_1000_turns"):
        for extreme in (pl.Series.min, pl.Series.max):
            assert extreme(drawn[column]) == extreme(whole[column])
    assert drawn["precision_ci_low"].null_count() == 0
    other = whole.join(drawn, on="threshold", how="anti")
    assert other["precision_ci_low"].null_count() == other.height
    why = other["reasons"].explode().struct.unnest().filter(pl.col("column") == "recall_ci_low")
    assert set(why["reason"]) == {NOT_DRAWN}


def test_few_points_are_all_drawn():
    whole = many(MOST)
    assert thinned(whole).equals(whole)
    assert whole.height == MOST
    assert whole["recall_ci_low"].null_count() == 0
