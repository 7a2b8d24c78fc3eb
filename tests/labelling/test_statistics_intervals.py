"""Intervals: golden cases, agreement with scipy where it counts independent cases, properties."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from labelling.statistics import (
    Interval,
    clopper_pearson,
    difference_interval,
    garwood,
    rate_interval,
    recall_interval,
    share_interval,
    wilson,
    wrong_rate_interval,
)

cases = st.integers(0, 30)
shares = st.lists(st.tuples(cases, cases), min_size=1, max_size=40).map(
    lambda units: [(min(a, b), max(a, b)) for a, b in units]
)
facts = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([1.0, 1.0, 4.0]), st.booleans()), max_size=30
)


def columns(units):
    return [np.array(column) for column in zip(*units, strict=True)]


def assert_sound(found: Interval, most: float = np.inf) -> None:
    """Ends around the value and in range, or null with a reason; never NaN."""
    if found.low is None:
        assert found.high is None
        assert found.reason
        return
    assert 0 <= found.low <= found.value <= found.high <= most
    assert found.reason is None


# formulas of independent cases


@given(st.integers(1, 500), st.data())
def test_wilson_and_clopper_pearson_are_scipys(n, data):
    right = data.draw(st.integers(0, n))
    for ours, theirs in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = binomtest(right, n).proportion_ci(0.95, theirs)
        assert ours(right / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.integers(1, 500))
def test_garwood_is_the_chi_squared_formula(events):
    expected = (chi2.ppf(0.025, 2 * events) / 2, chi2.ppf(0.975, 2 * events + 2) / 2)
    assert garwood(events) == pytest.approx(expected)
    assert garwood(0) == pytest.approx((0, 3.6889), abs=1e-4)


def test_cases_that_vary_less_than_independent_ones_are_taken_for_independent():
    # 100 users, each right in 6 of 10: no spread between users at all
    found = share_interval([6] * 100, [10] * 100)
    assert (found.effective_n, found.design_effect) == (1000, 1)
    assert (found.low, found.high) == wilson(0.6, 1000)
    # 4 events each: the same for a rate
    found = rate_interval([4] * 100, [10] * 100)
    assert (found.low, found.high) == pytest.approx(tuple(e / 1000 for e in garwood(400)))


def test_the_explicit_gate_of_the_chapter():
    # 24 records in as many sessions, one wrong: fewer than 10 wrong, so the exact interval
    found = share_interval([1] * 23 + [0], [1] * 24)
    assert found.method.startswith("Clopper-Pearson")
    assert (found.low, found.high) == pytest.approx(clopper_pearson(23 / 24, found.effective_n))
    all_right = share_interval([1] * 24, [1] * 24)
    assert (all_right.low, all_right.high) == pytest.approx((0.025 ** (1 / 24), 1))


def test_the_design_effect_is_worked_out():
    # 50 users all right, 50 all wrong, 10 cases each. p = .5, each influence .5 x 10 / 1000
    # = .005; v = 100/99 x 100 x .005^2, widened by (t_99 / z)^2 = (1.9842 / 1.9600)^2;
    # .25 / v = 96.6 is less than 100, the number of users, below which it cannot fall
    found = share_interval([10] * 50 + [0] * 50, [10] * 100)
    assert found.effective_n == pytest.approx(100)
    # 7 or 3 of 10: influence .2 x 10 / 1000, v = 100/99 x 100 x .002^2 x 1.02487
    found = share_interval([7] * 50 + [3] * 50, [10] * 100)
    assert found.effective_n == pytest.approx(
        0.25 / (100 / 99 * 100 * 0.002**2 * 1.02487), rel=1e-4
    )


def test_wrong_records_a_turn_where_half_is_unjudged():
    # 40 records in 400 turns, 20 judged, 5 wrong: 40/400 x 5/20 = .025
    records, judged, wrong, turns = [4] * 10, [2] * 10, [1, 0] * 5, [40] * 10
    found = wrong_rate_interval(records, judged, wrong, turns)
    assert found.value == pytest.approx(0.025)
    full = wrong_rate_interval(records, records, [2, 0] * 5, turns)
    assert full.value == pytest.approx(0.025)
    assert found.high - found.low > full.high - full.low


# properties


@given(shares)
def test_a_share_has_sound_ends(units):
    found = share_interval(*columns(units))
    assert_sound(found, 1)
    assert (found.low is None) == (sum(n for _, n in units) == 0)


@given(shares, st.randoms())
def test_the_order_of_units_and_empty_units_of_a_share_change_nothing(units, random):
    mixed = [*units, (0, 0)]
    random.shuffle(mixed)
    one, other = (share_interval(*columns(u)) for u in (units, mixed))
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@given(shares)
def test_right_and_wrong_mirror_each_other(units):
    right, n = columns(units)
    assume(n.sum())
    found, mirrored = share_interval(right, n), share_interval(n - right, n)
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-7)


@given(shares)
def test_more_users_of_the_same_kind_narrow_a_share(units):
    once, fourfold = share_interval(*columns(units)), share_interval(*columns(units * 4))
    assume(once.low is not None)
    assert fourfold.high - fourfold.low <= once.high - once.low + 1e-9


@given(st.lists(st.tuples(cases, st.integers(1, 50)), min_size=1, max_size=40))
def test_a_rate_has_sound_ends_in_any_unit_of_exposure(units):
    events, exposure = columns(units)
    found, scaled = rate_interval(events, exposure), rate_interval(events, exposure * 1000)
    if found.low is not None:
        assert (found.low, found.high) == pytest.approx((scaled.low * 1000, scaled.high * 1000))
    assert_sound(found)


@given(st.lists(st.tuples(cases, cases, cases, st.integers(1, 50)), min_size=1, max_size=20))
def test_wrong_records_a_turn_have_sound_ends(units):
    ordered = [(*sorted(counts, reverse=True), turns) for *counts, turns in units]
    assert_sound(wrong_rate_interval(*columns(ordered)))


@given(facts, st.sampled_from([1.0, 10.0]))
def test_recall_has_sound_ends(found_facts, heaviest):
    if not found_facts:
        found_facts = [(0, 1.0, False)]
    units, weights, captured = columns(found_facts)
    found = recall_interval(units, weights, captured, heaviest=heaviest)
    assert_sound(found, 1)
    assert found.value == pytest.approx((weights * captured).sum() / weights.sum())


@given(shares, shares)
def test_a_difference_turns_around(first, second):
    most = min(len(first), len(second))
    a, b = (share_interval(*columns(u[:most])) for u in (first, second))
    assume(a.low is not None)
    assume(b.low is not None)
    forth, back = difference_interval(a, b), difference_interval(b, a)
    assert forth.low <= forth.value <= forth.high
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low))


# what is undefined, and what a sample did not see


def test_nothing_counted_is_null_with_a_reason():
    for found in (
        share_interval([0, 0], [0, 0]),
        rate_interval([], []),
        wrong_rate_interval([3], [0], [0], [9]),
        recall_interval([], [], []),
    ):
        assert (found.low, found.high) == (None, None)
        assert found.reason
        assert difference_interval(found, share_interval([1], [2])).reason == found.reason


def test_a_gate_that_wrote_nothing_may_still_write():
    found = wrong_rate_interval([0] * 5, [0] * 5, [0] * 5, [10] * 5)
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(3.6889 / 50, abs=1e-5)


def test_a_user_alone_is_worth_one_record():
    assert share_interval([6], [10]).effective_n == share_interval([9], [9]).effective_n == 1
    assert "one user or session" in rate_interval([6], [10]).reason


def test_a_sample_that_found_nothing_may_have_missed_something():
    certain = [np.arange(50), np.ones(50), np.arange(50) < 40]
    plain, sampled = recall_interval(*certain), recall_interval(*certain, heaviest=5)
    assert plain.value == sampled.value == 0.8
    assert sampled.low < plain.low
    assert sampled.high == pytest.approx(plain.high)


def test_a_gate_against_itself_differs_by_nothing():
    found = share_interval([3, 5, 9, 2], [10, 10, 10, 10])
    same = difference_interval(found, found)
    assert (same.value, same.low <= 0 <= same.high) == (0, True)
    other = share_interval([5, 3, 2, 9], [10, 10, 10, 10])
    apart = difference_interval(found, other)
    assert apart.high - apart.low > same.high - same.low
