"""Intervals of agreement: golden ends, first-order errors, and what holds of any answers.

How often they hold the truth is tried in tests/long/test_agreement_coverage.py.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.agreement.amounts import once
from labelling.agreement.coefficients import disagreement, kappa, pi, room
from labelling.agreement.intervals import intervals
from labelling.agreement.linear import total
from labelling.agreement.pairs import STATISTICS, statistics_of_counts
from labelling.agreement.pooled import pooled
from labelling.agreement.tally import Tally, tally
from labelling.statistics import clopper_pearson, wilson

TWO, THREE = ("yes", "no"), ("yes", "until", "no")
NO_ENDS = {name for name in STATISTICS if "_se_" in name}


def alone(table, answers=TWO):
    """Every unit a cluster of its own; rows of `table` are a's answers."""
    units = [
        (a, b)
        for a, row in zip(answers, table, strict=True)
        for b, n in zip(answers, row, strict=True)
        for _ in range(n)
    ]
    return tally((str(i), unit, 1) for i, unit in enumerate(units))


def ends(found, answers=TWO):
    return intervals(found, statistics_of_counts(found.units, answers), answers)


def test_percent_agreement_is_a_share_and_pabak_twice_as_wide():
    found = ends(alone([[40, 9], [6, 45]]))
    low, high = wilson(0.85, found["percent_agreement"].effective_n)
    assert (found["percent_agreement"].low, found["percent_agreement"].high) == (low, high)
    assert (found["pabak"].low, found["pabak"].high) == pytest.approx((2 * low - 1, 2 * high - 1))


def test_positive_agreement_is_that_of_the_units_somebody_called_positive():
    found = ends(alone([[3, 0], [0, 97]]))["positive_agreement"]
    low, _ = clopper_pearson(1.0, 3)  # 3 of 3
    assert (found.low, found.high) == (pytest.approx(2 * low / (1 + low)), 1)


def test_unanimity_leaves_room_below():
    found = ends(alone([[8, 0], [0, 32]]))
    for name in ("cohen_kappa", "scott_pi", "krippendorff_alpha_nominal", "gwet_ac1"):
        assert found[name].value == found[name].high == 1
        assert 0.3 < found[name].low < 0.9
    assert set(ends(alone([[0, 0], [0, 9]]))) == {
        *("percent_agreement", "negative_agreement", "gwet_ac1", "pabak"),
        *("prevalence_index", "bias_index"),
    }


@pytest.mark.parametrize("table", [[[40, 9], [6, 45]], [[80, 10], [5, 5]], [[118, 5], [2, 0]]])
def test_the_error_of_kappa_is_that_of_fleiss_cohen_and_everitt(table):
    found = alone(table)
    error = statistics_of_counts(found.units, TWO).cohen_kappa_se_fleiss_cohen_everitt
    assert kappa(found, TWO).size == pytest.approx(error)


ANSWER = st.sampled_from([*THREE, None])
UNITS = st.lists(
    st.tuples(st.sampled_from("uvwxyz"), st.tuples(ANSWER, ANSWER, ANSWER)), max_size=30
)


@settings(max_examples=60)
@given(UNITS)
def test_every_value_but_an_error_has_ends_around_it(answered):
    found = tally((cluster, unit, 1) for cluster, unit in answered)
    values = pooled(found.units, THREE)
    made = intervals(found, values, THREE)
    assert set(made) == {
        name for name in STATISTICS if getattr(values, name) is not None and name not in NO_ENDS
    }
    for name, interval in made.items():
        assert interval.value == pytest.approx(getattr(values, name))
        assert -1 <= interval.low <= interval.value + 1e-12
        assert interval.value - 1e-12 <= interval.high <= 1


@settings(max_examples=60)
@given(UNITS)
def test_what_varies_has_the_value_that_is_counted(answered):
    found = tally((cluster, unit, 1) for cluster, unit in answered)
    values, paired = pooled(found.units, THREE), found.paired()
    if values.scott_pi is not None:
        assert pi(paired, THREE, once).value == pytest.approx(values.scott_pi)
    if values.cohen_kappa is not None:
        assert kappa(paired, THREE).value == pytest.approx(values.cohen_kappa)
    if values.gwet_ac1 is not None:
        ac1 = 1.0 - disagreement(paired) / room(paired, THREE)
        assert ac1.value == pytest.approx(values.gwet_ac1)


@settings(max_examples=30)
@given(st.lists(st.tuples(*[st.integers(1, 9)] * 4), min_size=3, max_size=8))
def test_influence_is_what_a_little_more_of_a_cluster_would_do(cells):
    patterns = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
    counts, step = np.array(cells, dtype=float), 1e-6
    for formula in (
        lambda found: pi(found, TWO, once),
        lambda found: kappa(found, TWO),
        lambda found: 1.0 - disagreement(found) / room(found, TWO),
    ):
        here = formula(Tally(patterns, counts))
        for cluster in range(len(cells)):
            more = counts.copy()
            more[cluster] *= 1 + step
            moved = (formula(Tally(patterns, more)).value - here.value) / step
            assert moved == pytest.approx(here.influence[cluster], abs=1e-4)


def test_candidates_of_one_user_that_go_together_widen_the_interval():
    spread = [(str(i), ("yes", "no" if i % 4 else "yes"), 1) for i in range(40)]
    together = [(str(i // 10), ("yes", "no" if i >= 10 else "yes"), 1) for i in range(40)]
    wide, narrow = (ends(tally(units))["percent_agreement"] for units in (together, spread))
    assert wide.value == narrow.value == 0.25
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_totals_divide_and_multiply_as_numbers_do():
    a, b = total(np.array([1.0, 2.0])), total(np.array([4.0, 8.0]))
    assert (a / b).value == 0.25
    assert (a / b).influence.tolist() == [0, 0]  # every cluster has the same share
    assert (1.0 - a * b + 3.0).value == -32
    assert (a / b).size == 0
