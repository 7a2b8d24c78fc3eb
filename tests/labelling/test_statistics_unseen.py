"""What two readers both missed: Chapman's number, its exact interval, and what is undefined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics import unseen


def test_by_hand():
    found = unseen(9, 11, 5)  # 10 x 12 / 6 - 1 = 19 in all, 15 of them seen
    assert (found.value, found.n) == (4, 15)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_ends_lie_around_the_value_and_readers_can_be_swapped(one, other, both):
    both = min(one, other, both)
    found = unseen(one, other, both)
    assert found == unseen(other, one, both)
    if both:
        assert 0 <= found.low <= found.value <= found.high
    else:
        assert found.value is found.low is found.high is None
        assert found.reason


def test_readers_who_marked_the_same_leave_little_unseen():
    found = unseen(30, 30, 30)
    assert (found.value, found.low) == (0, 0)
    assert 0 < found.high <= 3
    assert unseen(3, 3, 3).high > found.high  # few marks say little


def test_the_interval_holds_the_number_that_both_missed():
    random = np.random.default_rng(3)
    held = []
    for _ in range(400):
        found = random.random((2, 60)) < [[0.8], [0.7]]
        one, other = found
        interval = unseen(int(one.sum()), int(other.sum()), int((one & other).sum()))
        held.append(interval.low <= (~one & ~other).sum() <= interval.high)
    assert np.mean(held) >= 0.93  # 95 % and two standard errors; exact intervals hold more


def test_nobody_marked_anything():
    assert unseen(0, 0, 0).reason == "neither marked anything"
    assert unseen(3, 0, 0).reason == "no passage was marked by both"
    assert unseen(3, 2, 1).value == pytest.approx(1)
