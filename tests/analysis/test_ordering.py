"""The ordering claim: how often the order of recall is the reverse order of precision."""

import numpy as np
import pytest

from analysis.ordering import draws_of, ordering, sentence
from analysis.points import point
from analysis.slices import of_users, paired
from tests.analysis.test_differences import gates
from tests.scored import slices


def test_a_clear_order_holds_in_every_draw():
    found = ordering(gates()[::-1])
    assert found.order == ("loose/default", "strict/default")
    assert (found.holds, found.share, found.undefined_draws) == (True, 1.0, 0)
    assert "in 100.0 % of 2,000 draws" in sentence(found)


def test_a_gate_that_is_better_in_both_breaks_it():
    cards = [
        {"decision": d, "session_id": s} for s in ("s1", "s2") for d in ("accepted", "rejected")
    ]
    records = [{"card": n, "gate": "good"} for n in (0, 2)] + [{"card": 1, "gate": "bad"}]
    sessions = [{"session_id": s, "user_id": s} for s in ("s1", "s2")]
    found = ordering(slices(cards, records, sessions))
    assert (found.order[0], found.holds, found.share) == ("good/default", False, 0.0)
    # the bad gate's only record is of one user: a quarter of the draws are without it
    assert found.undefined_draws / found.draws == pytest.approx(0.25, abs=0.04)


def test_without_precision_there_is_no_share():
    found = ordering(slices([{"decision": "accepted"}], [{"card": None, "gate": g} for g in "ab"]))
    assert found.share is None
    assert "undefined" in sentence(found)


def test_what_is_drawn_is_said_and_a_single_one_is_not_drawn():
    cards = [{"decision": "accepted", "session_id": s} for s in ("s1", "s2")]
    records = [{"card": n, "gate": g} for n in (0, 1) for g in "ab"]
    sessions = [{"session_id": s} for s in ("s1", "s2")]  # of one user
    assert "2,000 draws of sessions" in sentence(ordering(slices(cards, records, sessions)))
    alone = ordering(slices(cards[:1], [{"card": 0, "gate": g} for g in "ab"]))
    assert (alone.share, alone.reason) == (None, "a single session cannot be drawn in two ways")
    assert "By falling recall: a/default, b/default." in sentence(alone)


def test_draws_are_joint_and_their_middle_is_what_was_seen():
    cut = paired(gates())
    drawn = draws_of(cut, 7)
    again = draws_of(cut[::-1], 7)
    assert np.array_equal(drawn.precision, again.precision[:, ::-1], equal_nan=True)
    for place, one in enumerate(cut):
        made = point(one)
        assert drawn.recall[:, place].mean() == pytest.approx(made["recall"], abs=0.01)
        assert drawn.precision[:, place].mean() == pytest.approx(made["precision"], abs=0.02)
        wrong = made["wrong_per_1000_turns"] * made["assistant_turns"] / 1000
        assert drawn.wrong[:, place].mean() == pytest.approx(wrong, rel=0.05, abs=0.1)


def test_a_user_left_out_leaves_the_others_counts_alone():
    (loose, _) = gates(3)
    users = loose.ground.sessions["user_id"].unique().sort()
    fewer = draws_of([of_users(loose, users[1:])], 7, draws=50)
    assert fewer.units == 2
    assert set(np.unique(fewer.captured)) <= {4.0}  # two facts of each of two draws
