"""Rates per 1,000 turns are worked out by hand; lines of equal work are few and round."""

import polars as pl
import pytest
from hand_made import SILENT, point, points
from hypothesis import given
from hypothesis import strategies as st

from analysis import traffic
from labelling.tables import InputError


def test_rates_of_the_golden_study() -> None:
    made = point(recall_ci_low=0.1, recall_ci_high=0.5)
    (row,) = traffic.per_1000_turns(points(made)).to_dicts()
    assert row["captured_per_1000_turns"] == 200  # weight 2 in 10 turns
    assert row["captured_ci_low"] == pytest.approx(70)  # 0.1 of weight 7 in 10 turns
    assert row["captured_ci_high"] == pytest.approx(350)
    # 600 records per 1,000 turns; precision .60-.80 in the label band, .50-.83 in the outer band
    assert row["wrong_label_low"] == pytest.approx(120)
    assert row["wrong_label_high"] == pytest.approx(240)
    assert row["wrong_outer_high"] == pytest.approx(300)


def test_what_is_undefined_stays_null() -> None:
    without = point(assistant_turns=0, write_rate=None)
    (silent, nobody) = traffic.per_1000_turns(points(point(**SILENT), without)).to_dicts()
    assert (silent["captured_per_1000_turns"], silent["wrong_label_low"]) == (0, None)
    assert nobody["captured_per_1000_turns"] is None
    assert nobody["wrong_outer_low"] is None


def measured(**changes: object) -> pl.DataFrame:
    return traffic.per_1000_turns(points(point(**changes)))


def test_lines_stand_where_so_many_wrong_records_come_in_a_day() -> None:
    lines = traffic.workload(measured(), turns_a_day=10_000)  # the outer band ends at 3,000 a day
    assert lines["wrong_records_a_day"].to_list() == [500, 1000, 1500, 2000, 2500, 3000]
    assert lines["wrong_per_1000_turns"].to_list()[:2] == [50, 100]
    assert lines["label"].to_list()[-2:] == ["2,500 a day", "3,000 a day"]


@given(wrong=st.floats(1e-3, 1e3), turns_a_day=st.floats(1e-3, 1e9))
def test_lines_are_few_and_within_the_points(wrong: float, turns_a_day: float) -> None:
    gate = measured(wrong_per_1000_turns=wrong, precision_outer_low=None)
    lines = traffic.workload(gate, turns_a_day)
    assert 3 <= lines.height <= traffic.MOST_LINES
    assert lines["wrong_per_1000_turns"].max() <= wrong * (1 + 1e-9)


def test_lines_reach_as_far_as_the_interval() -> None:
    gate = measured(wrong_per_1000_turns_ci_high=900.0)
    assert traffic.workload(gate, 1000)["wrong_per_1000_turns"].max() == 800


def test_without_wrong_records_there_are_no_lines() -> None:
    assert traffic.workload(measured(**SILENT), 100).is_empty()


@pytest.mark.parametrize("turns", [0, -1, float("nan")])
def test_no_traffic_is_an_error(turns: float) -> None:
    with pytest.raises(InputError, match="turns a day"):
        traffic.workload(measured(), turns)
