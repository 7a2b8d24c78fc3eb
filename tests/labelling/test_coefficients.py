"""Agreement statistics: published worked examples and identities."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.agreement import gwet_ac1, krippendorff_alpha, statistics
from labelling.tables import InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text())
CASES = {case["name"]: case for case in GOLDEN["cases"]}
ANSWERS = st.sampled_from(["yes", "no", "until", None])
calm = settings(deadline=None)  # the time of one example says nothing on a busy machine
PAIRS = st.lists(st.tuples(ANSWERS, ANSWERS), max_size=30)


def from_table(table):
    """Answers of A (rows) and B (columns)."""
    cells = [
        (i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]
    return [i for i, _ in cells], [j for _, j in cells]


@pytest.mark.parametrize("name", [n for n, case in CASES.items() if "table" in case])
def test_published_tables(name):
    found = statistics(*from_table(CASES[name]["table"]), positive=0)
    for statistic, value in CASES[name]["expect"].items():
        assert getattr(found, statistic) == pytest.approx(value, abs=5e-4), statistic


def test_four_observers_with_gaps():
    case = CASES["krippendorff-2011-four-observers"]
    ratings, expect = case["ratings"], case["expect"]
    for level in ("nominal", "ordinal", "interval"):
        value = expect[f"krippendorff_alpha_{level}"]
        assert krippendorff_alpha(ratings, level) == pytest.approx(value, abs=5e-4)
    assert gwet_ac1(ratings) == pytest.approx(expect["gwet_ac1"], abs=5e-5)


def test_two_observers_of_two_answers():
    case = CASES["krippendorff-2011-binary"]
    found = statistics(*case["ratings"].values(), positive=1)
    for statistic, value in case["expect"].items():
        assert getattr(found, statistic) == pytest.approx(value, abs=5e-4), statistic


def test_unanimity_has_no_kappa_and_says_why():
    case = CASES["unanimous"]
    found = statistics(*case["ratings"].values(), offered=[0, 1], positive=1)
    for statistic, value in case["expect"].items():
        assert getattr(found, statistic) == value
        assert (statistic in found.reasons) == (value is None)
    assert found.reasons["negative_agreement"] == "neither gave this answer"


def test_kappa_depends_on_the_universe_and_positive_agreement_does_not():
    case = CASES["agreed-410-split-47"]
    for negatives, expect in case["expect_by_N"].items():
        found = statistics(*from_table([[410, 24], [23, int(negatives)]]), positive=0)
        assert found.cohen_kappa == pytest.approx(expect["cohen_kappa"], abs=case["tolerance"])
        assert found.positive_agreement == pytest.approx(case["positive_agreement"], abs=0.01)


def test_indices_of_a_table_worked_by_hand():
    # 80 both yes, 10 a alone, 5 b alone, 5 both no
    found = statistics(*from_table([[80, 10], [5, 5]]), positive=0)
    assert found.prevalence_index == pytest.approx(0.75)  # (80 - 5) / 100
    assert found.bias_index == pytest.approx(0.05)  # (10 - 5) / 100


@calm
@given(PAIRS)
def test_every_value_is_in_its_range_or_null_with_a_reason(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = statistics(a, b)
    assert found.n + found.excluded == len(pairs)
    for name, value in vars(found).items():
        if name not in ("n", "excluded", "reasons"):
            assert (value is None) == (name in found.reasons)
            assert value is None or name.startswith("cohen_kappa_se") or -1 <= value <= 1 + 1e-12


@calm
@given(PAIRS)
def test_identities(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found, turned = statistics(a, b), statistics(b, a)
    assert found.cohen_kappa == turned.cohen_kappa
    if found.scott_pi is not None:  # alpha is pi corrected for the size of the sample
        corrected = found.scott_pi + (1 - found.scott_pi) / (2 * found.n)
        assert found.krippendorff_alpha_nominal == pytest.approx(corrected)
    if found.bias_index == 0 and found.cohen_kappa is not None:
        assert found.cohen_kappa == pytest.approx(found.scott_pi)
    if found.prevalence_index is not None:  # kappa from PABAK and the two indices
        low, high = found.prevalence_index**2, found.bias_index**2
        kappa = found.cohen_kappa
        if kappa is not None:
            assert kappa == pytest.approx((found.pabak - low + high) / (1 - low + high))


def test_perfect_agreement_is_1_at_every_level():
    ratings = {"a": [1, 2, 3, None], "b": [1, 2, 3, 1], "c": [1, None, 3, 1]}
    levels = ("nominal", "ordinal", "interval")
    assert [krippendorff_alpha(ratings, level) for level in levels] == [1, 1, 1]
    assert gwet_ac1(ratings) == 1


def test_bad_input_is_said():
    calls = {
        "unequal numbers": lambda: statistics(["yes"], []),
        "'maybe' was not offered": lambda: statistics(["maybe"], ["no"], offered=["yes", "no"]),
        "no level 'ratio'": lambda: krippendorff_alpha({}, "ratio"),
        "no interval level": lambda: krippendorff_alpha({"a": ["x"], "b": ["y"]}, "interval"),
    }
    for sentence, call in calls.items():
        with pytest.raises(InputError, match=sentence):
            call()
    assert krippendorff_alpha({}) is None
    assert gwet_ac1({"a": [1], "b": [None]}) is None
