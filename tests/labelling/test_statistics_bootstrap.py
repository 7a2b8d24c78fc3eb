"""The joint bootstrap: draws by stratum, equal to the plain loop, undefined draws counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.statistics import draw_weights, percentile_interval, ratios


def test_each_draw_takes_as_many_units_as_there_are_in_each_stratum():
    weights = draw_weights(5, seed=1, draws=50, strata=[0, 0, 1, 1, 1])
    assert weights.shape == (50, 5)
    assert (weights[:, :2].sum(axis=1) == 2).all()
    assert (weights[:, 2:].sum(axis=1) == 3).all()
    assert (draw_weights(5, seed=1) == draw_weights(5, seed=1)).all()
    assert (draw_weights(5, seed=1) != draw_weights(5, seed=2)).any()


def test_ratios_are_those_of_the_plain_loop():
    random = np.random.default_rng(3)
    below = random.integers(0, 4, (40, 6))
    above = random.integers(0, below + 1)
    weights = draw_weights(40, seed=3, draws=20)
    for draw, found in zip(weights, ratios(above, below, weights), strict=True):
        taken = np.repeat(np.arange(40), draw.astype(int))
        assert found == pytest.approx(above[taken].sum(axis=0) / below[taken].sum(axis=0))


@given(st.lists(st.floats(0, 1), min_size=20, max_size=60), st.integers(2, 50))
def test_the_interval_holds_the_value_and_narrows_with_units(drawn, units):
    value = float(np.median(drawn))
    found, more = (percentile_interval(value, drawn, units=u, seed=0) for u in (units, units + 50))
    assert found.low <= more.low <= value <= more.high <= found.high
    assert found.seed == 0


def test_undefined_draws_are_counted_and_too_many_are_a_reason():
    drawn = np.full(100, 0.5)
    drawn[:4] = np.nan
    assert percentile_interval(0.5, drawn, units=9, seed=0).undefined_draws == 4
    drawn[:6] = np.nan
    assert percentile_interval(0.5, drawn, units=9, seed=0).reason == "6 of 100 draws are undefined"
    assert percentile_interval(None, drawn, units=9, seed=0).reason
    assert percentile_interval(0.5, drawn, units=1, seed=0).reason
