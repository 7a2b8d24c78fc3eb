"""Precision and recall: every row is in the data, what is undefined is named."""

import math
from typing import Any

from drawn import data, marks, texts
from hand_made import SILENT, point, points, steps
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import charts

shares = st.none() | st.floats(0, 1)
rows = st.builds(
    point,
    gate=st.sampled_from(["heuristic", "datum['x']", "a\nb"]),
    setting=st.sampled_from(["default", "strict"]),
    basis=st.sampled_from(["live", "simulated"]),
    precision=shares,
    recall=shares,
    precision_ci_low=shares,
    precision_ci_high=shares,
)


@settings(max_examples=15, deadline=None)
@given(st.lists(rows, min_size=1, max_size=14))
def test_every_row_is_in_the_chart(made: list[dict[str, Any]]) -> None:
    chart = charts.precision_recall(points(*made))
    assert [r["gate"] for r in data(chart)] == [r["gate"] for r in made]
    assert len(marks(chart, "point")) == sum(
        r["precision"] is not None and r["recall"] is not None for r in made
    )


def test_an_empty_table_gives_a_chart_that_says_so() -> None:
    assert "nothing was scored" in texts(charts.precision_recall(points().clear()))


def test_what_has_no_place_on_the_axes_is_named() -> None:
    unjudged = point(gate="mute", precision=None, recall=None, reference_facts=0, reasons=[])
    written = texts(charts.precision_recall(points(point(**SILENT), unjudged)))
    assert "no precision: nothing (0 records)" in written
    assert "no precision: mute (6 records)" in written
    assert "no recall: mute (0 reference facts)" in written


def test_not_a_number_becomes_null() -> None:
    table = points(point(precision=math.nan, recall=math.inf))
    (row,) = data(charts.precision_recall(table))
    assert (row["precision"], row["recall"]) == (None, None)
    assert not marks(charts.precision_recall(table), "point")


def test_a_band_without_ends_is_not_drawn() -> None:
    bare = {name: None for name in point() if name.endswith(("_low", "_high"))}
    assert len(marks(charts.precision_recall(points(point())), "rule mark")) == 3
    assert not marks(charts.precision_recall(points(point(**bare))), "rule mark")


def test_the_description_reads_out_the_figures() -> None:
    spoken = charts.precision_recall(points(), steps()).to_dict()["description"]
    assert "heuristic: precision 0.75 (3 of 4), recall 0.29 (2 of 7)" in spoken
    assert "nothing: precision – (0 of 0)" in spoken
    assert "at score ≥ 0.2 precision 0.50, recall 0.80" in spoken
    assert "at score ≥ 0.8 precision –, recall 0.20" in spoken


def test_a_gate_with_scores_is_a_line_that_names_its_gaps() -> None:
    chart = charts.precision_recall(points(), steps())
    assert len(marks(chart, "line mark")) == 1
    assert "not on the line: heuristic at 1 of 3 drawn thresholds" in texts(chart)
    assert not marks(charts.precision_recall(points()), "line mark")


def test_the_line_has_the_colour_of_its_gate_as_it_ran() -> None:
    both = points(point(gate="a"), point(gate="heuristic"))
    chart = charts.precision_recall(both, steps())
    (line,) = marks(chart, "line mark")
    as_run = marks(chart, "point")[-1]
    assert line.get("stroke") == as_run.get("stroke")
