"""Evidence and bands that hold at any time: golden cases, properties, one simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

from labelling.statistics import confidence_sequence, evidence

looks = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda n: (min(n), max(n))),
    min_size=1,
    max_size=12,
)
limits = st.sampled_from([0.02, 0.1, 0.5, 0.9])


def columns(found):
    return [np.array(column) for column in zip(*found, strict=True)]


def test_one_look_is_the_mean_likelihood_ratio_of_shares_above_the_limit():
    # half of the weight is on a rise at the first look, half on later ones
    cut = 1 - beta.cdf(0.1, 0.5, 0.5)
    mixed, _ = quad(lambda q: binom.pmf(30, 200, q) * beta.pdf(q, 0.5, 0.5), 0.1, 1)
    expected = mixed / cut / binom.pmf(30, 200, 0.1) / 2 + 1 / 2
    assert evidence([30], [200], 0.1)[0] == pytest.approx(expected, rel=0.02)


@given(looks, limits)
def test_the_expected_evidence_after_a_look_is_at_most_that_before_it(found, limit):
    events, trials = columns(found)
    more = np.arange(6)
    after = [evidence([*events, k], [*trials, 5], limit)[-1] for k in more]
    for share in (limit, limit / 2):
        expected = binom.pmf(more, 5, share) @ after
        assert expected <= evidence(events, trials, limit)[-1] * (1 + 1e-9)


@given(looks, limits)
def test_evidence_looks_at_the_past_only(found, limit):
    events, trials = columns(found)
    whole = evidence(events, trials, limit)
    assert evidence(events[:-1], trials[:-1], limit) == pytest.approx(whole[:-1])
    assert (whole >= 0).all()


@given(looks, limits)
def test_looks_without_trials_change_no_band_and_evidence_stays_finite(found, limit):
    events, trials = columns(found)
    with_empty = confidence_sequence([*events, 0], [*trials, 0])
    alone = confidence_sequence(events, trials)
    assert with_empty.low[-1] == with_empty.low[-2] == alone.low[-1]
    assert with_empty.high[-1] == with_empty.high[-2] == alone.high[-1]
    share = np.cumsum(events) / np.maximum(np.cumsum(trials), 1)
    assert (alone.low <= share).all()
    assert (alone.high >= share)[np.cumsum(trials) > 0].all()
    assert np.isfinite(evidence(np.full(99, 10**6), np.full(99, 10**6), limit)).all()


@given(looks)
def test_the_band_of_events_mirrors_that_of_the_others(found):
    events, trials = columns(found)
    band, other = confidence_sequence(events, trials), confidence_sequence(trials - events, trials)
    assert band.low == pytest.approx(1 - other.high, abs=1e-9)
    assert band.high == pytest.approx(1 - other.low, abs=1e-9)


def test_an_end_of_the_band_is_where_the_mixture_is_20_times_as_likely():
    band = confidence_sequence([38], [200])
    mixed, _ = quad(lambda q: binom.pmf(38, 200, q) * beta.pdf(q, 0.5, 0.5), 0, 1)
    for end in (band.low[0], band.high[0]):
        assert mixed / binom.pmf(38, 200, end) == pytest.approx(20, rel=1e-4)


@pytest.mark.parametrize("limit", [0, 1, -0.1, 2])
def test_a_limit_that_nothing_can_rise_above_is_none(limit):
    with pytest.raises(ValueError, match="expected a share between 0 and 1"):
        evidence([1], [2], limit)


def test_few_of_many_years_at_the_limit_ever_reach_20_and_a_rise_does():
    random = np.random.default_rng(5)
    weeks = np.full(52, 50)
    at_limit = [evidence(random.binomial(50, 0.1, 52), weeks, 0.1).max() for _ in range(300)]
    assert np.mean(np.array(at_limit) >= 20) <= 0.05
    shares = np.where(np.arange(52) < 26, 0.05, 0.2)
    risen = [evidence(random.binomial(50, shares), weeks, 0.1) for _ in range(50)]
    assert all(found[:26].max() < 20 <= found[26:].max() for found in risen)
