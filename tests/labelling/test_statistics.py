"""Division that knows when it is undefined, and quantiles by nearest rank."""

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics import nearest_rank, ratio

numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers)
def test_only_division_by_zero_is_undefined(numerator, denominator):
    found = ratio(numerator, denominator)
    assert found == (numerator / denominator if denominator else None)


@given(st.lists(numbers, min_size=1), st.floats(0, 1))
def test_the_nearest_rank_is_the_smallest_value_with_its_share_at_or_below(values, share):
    found = nearest_rank(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
    smaller = [value for value in values if value < found]
    assert not smaller or len(smaller) < share * len(values)


def test_nothing_has_no_quantile():
    assert nearest_rank([], 0.5) is None
    assert nearest_rank([1, 2, 3, 4], 0.5) == 2
    assert nearest_rank(range(1, 101), 0.95) == 95


@pytest.mark.parametrize("name", ["arithmetic", "rates", "shares", "units"])
def test_the_examples_hold(name):
    module = importlib.import_module(f"labelling.statistics.{name}")
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
