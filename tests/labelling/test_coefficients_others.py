"""Agreement statistics against other implementations, and against the definitions written out."""

from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, f1_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from labelling.agreement import gwet_ac1, krippendorff_alpha, statistics
from labelling.agreement.counts import counts_of
from labelling.agreement.pooled import pooled

NAMES = ("yes", "no", "until")
TWO = st.lists(st.tuples(*[st.sampled_from(NAMES[:2])] * 2), min_size=1, max_size=40)
THREE = st.lists(st.tuples(*[st.sampled_from(NAMES)] * 3), min_size=2, max_size=40)
GAPS = st.lists(st.tuples(*[st.sampled_from([*NAMES, None])] * 4), max_size=20)


def columns(units, names="abcd"):
    return {name: [unit[i] for unit in units] for i, name in enumerate(names[: len(units[0])])}


@given(TWO)
def test_two_annotators_as_scikit_learn_and_statsmodels_have_it(units):
    a, b = columns(units).values()
    found = statistics(a, b, NAMES[:2])
    assert found.percent_agreement == pytest.approx(accuracy_score(a, b))
    for name, value in (("yes", found.positive_agreement), ("no", found.negative_agreement)):
        if value is None:
            assert name not in a + b
        else:
            assert value == pytest.approx(f1_score(a, b, pos_label=name))
    assume(len({*a, *b}) > 1)
    table = confusion_matrix(a, b, labels=list(NAMES[:2]))
    with np.errstate(all="ignore"):  # its z of tables without spread
        other = cohens_kappa(table)
    assert found.cohen_kappa == pytest.approx(cohen_kappa_score(a, b))
    assert found.cohen_kappa == pytest.approx(other.kappa)
    assert found.cohen_kappa_se_fleiss_cohen_everitt == pytest.approx(
        sqrt(max(other.var_kappa, 0)), abs=1e-7
    )
    both = aggregate_raters(np.array(units))[0]
    assert found.scott_pi == pytest.approx(fleiss_kappa(both))
    assert found.pabak == pytest.approx(fleiss_kappa(both, method="randolph"))


@given(THREE)
def test_three_annotators_as_statsmodels_has_it(units):
    found = pooled(counts_of(columns(units)), NAMES)
    assume(len({answer for unit in units for answer in unit}) > 1)
    assert found.scott_pi == pytest.approx(fleiss_kappa(aggregate_raters(np.array(units))[0]))
    # Conger 1980: agreement and chance, each averaged over the pairs
    tables = [
        confusion_matrix(units_of(units, i), units_of(units, j), labels=list(NAMES)) / len(units)
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    agreed = np.mean([np.trace(table) for table in tables])
    chance = np.mean([table.sum(axis=1) @ table.sum(axis=0) for table in tables])
    assert found.cohen_kappa == pytest.approx((agreed - chance) / (1 - chance))


def units_of(units, place):
    return [unit[place] for unit in units]


@given(GAPS)
def test_many_annotators_with_gaps_as_the_definitions_have_it(units):
    """Every ordered pair of answers written out (alpha), every unit and answer (AC1)."""
    said = [[answer for answer in unit if answer is not None] for unit in units]
    paired = [unit for unit in said if len(unit) > 1]
    ratings = columns(units) if units else {}
    everything = [answer for unit in paired for answer in unit]
    if len(set(everything)) < 2:
        assert krippendorff_alpha(ratings) is None
    else:
        within = sum(
            sum(x != y for x, y in permutations(unit, 2)) / (len(unit) - 1) for unit in paired
        ) / len(everything)
        pairs = list(permutations(everything, 2))
        chance = sum(x != y for x, y in pairs) / len(pairs)
        assert krippendorff_alpha(ratings) == pytest.approx(1 - within / chance)
    if not paired:
        assert gwet_ac1(ratings, NAMES) is None
        return
    agreed = np.mean([np.mean([x == y for x, y in permutations(unit, 2)]) for unit in paired])
    answered = [unit for unit in said if unit]
    shares = [np.mean([unit.count(k) / len(unit) for unit in answered]) for k in NAMES]
    chance = sum(p * (1 - p) for p in shares) / (len(NAMES) - 1)
    assert gwet_ac1(ratings, NAMES) == pytest.approx((agreed - chance) / (1 - chance))


@given(st.lists(st.tuples(*[st.sampled_from([*NAMES, None])] * 2), max_size=30))
def test_all_pairs_of_two_annotators_are_the_pair(units):
    counts = counts_of(columns(units)) if units else {}
    one = statistics(units_of(units, 0), units_of(units, 1), NAMES)
    whole = vars(pooled(counts, NAMES))
    for name, value in vars(one).items():
        if name not in ("excluded", "reasons", "bias_index"):
            assert whole[name] == pytest.approx(value, abs=1e-12), name
