"""The quotient of two intervals: a case by hand, its properties, what is undefined."""

from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics import Interval, quotient_interval, share_interval

counts = st.tuples(st.integers(0, 40), st.integers(1, 40)).map(lambda n: (min(n), max(n)))


def share(right, n):
    return share_interval([1] * right + [0] * (n - right), [1] * n)


def test_the_distances_of_both_sides_are_combined_on_the_log_scale():
    first, second = Interval(0.4, 0.2, 0.6, ""), Interval(0.1, 0.05, 0.2, "")
    found = quotient_interval(first, second)
    # down: 0.4 may be half, 0.1 twice; up: 0.4 may be 1.5 times, 0.1 half
    assert found.value == pytest.approx(4)
    assert found.low == pytest.approx(4 * exp(-sqrt(log(2) ** 2 + log(2) ** 2)))
    assert found.high == pytest.approx(4 * exp(sqrt(log(1.5) ** 2 + log(2) ** 2)))


@given(counts, counts)
def test_ends_lie_around_the_value_and_turn_over_with_it(one, other):
    first, second = share(*one), share(*other)
    found = quotient_interval(first, second)
    if not other[0]:
        assert found.value is found.low is None
        assert found.reason
        return
    assert 0 <= found.low <= found.value <= found.high
    if one[0]:
        turned = quotient_interval(second, first)
        ends = (1 / turned.high, 1 / turned.value, 1 / turned.low)
        assert (found.low, found.value, found.high) == pytest.approx(ends)


def test_nothing_above_is_zero_and_nothing_below_has_a_least():
    none, some = share(0, 50), share(20, 50)
    assert quotient_interval(none, some).low == 0
    assert quotient_interval(none, some).high == pytest.approx(none.high / some.low)
    missing = quotient_interval(some, none, nothing="no correction")
    assert missing.reason == (
        f"no correction; at least {some.low / none.high:.3g} by the ends of both intervals"
    )
    assert quotient_interval(none, none).reason == "nothing to divide by"


def test_a_side_without_ends_leaves_the_value():
    bare = Interval(0.5, None, None, "", "a single user")
    found = quotient_interval(share(10, 50), bare)
    assert (found.value, found.low, found.reason) == (pytest.approx(0.4), None, "a single user")
