"""Facts captured against wrong records: marks, lines of equal work, and what has no place."""

from drawn import marks, texts
from hand_made import SILENT, point, points, rates, steps

from analysis import charts


def test_points_lines_and_work_are_drawn() -> None:
    chart = charts.facts_and_wrong(*rates(points(), steps()))
    assert len(marks(chart, "line mark")) == 1
    assert "500 a day" in texts(chart)
    assert "wrong records per 1,000 turns" in texts(chart)


def test_the_description_reads_out_figures_and_lines() -> None:
    spoken = charts.facts_and_wrong(*rates(points(), steps())).to_dict()["description"]
    assert "heuristic: 200.0 facts, 150.0 wrong" in spoken
    assert "500 a day at 50 per 1,000 turns" in spoken


def test_what_has_no_place_is_named() -> None:
    unjudged = points(point(wrong_per_1000_turns=None, precision=None))
    written = texts(charts.facts_and_wrong(*rates(unjudged, steps().clear())))
    assert "no wrong records per 1,000 turns: heuristic (6 records)" in written


def test_only_what_is_drawn_is_explained() -> None:
    alone = points(point(**SILENT))
    written = texts(charts.facts_and_wrong(*rates(alone, steps().clear())))
    assert "Dotted" not in written
    assert "Line:" not in written


def test_nothing_scored_is_said() -> None:
    empty = points().clear()
    assert "nothing was scored" in texts(charts.facts_and_wrong(*rates(empty, empty)))
