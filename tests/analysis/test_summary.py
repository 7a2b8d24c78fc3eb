"""Tables for reading: counts stand beside ratios, reasons beside gaps, markup stays text."""

import polars as pl
from hand_made import HOSTILE, SILENT, point, points

from analysis import summary


def test_ratios_stand_beside_their_counts() -> None:
    html = summary.show(points()).html
    for cell in ("0.60 (6 of 10)", "0.75 (3 of 4)", "0.60–0.80", "0.29 (2 of 7)", "2 of 4"):
        assert f">{cell}<" in html


def test_what_is_undefined_has_its_reason_on_the_cell_and_below() -> None:
    html = summary.show(points(point(**SILENT))).html
    assert 'title="no judged record"' in html
    assert "precision (correct of judged): no judged record (nothing)</li>" in html


def test_markup_in_names_and_values_is_text() -> None:
    reasons = [{"column": "precision", "reason": f'"{HOSTILE}'}]
    hostile = points(point(gate=HOSTILE, precision=None, reasons=reasons))
    for page in (summary.show(hostile), summary.table(pl.DataFrame({HOSTILE: [HOSTILE, None]}))):
        assert "<img" not in page.html
        assert "&lt;img" in page.html


def test_fractions_have_four_digits() -> None:
    html = summary.table(pl.DataFrame({"a": [0.123456, 2107.84, None], "b": [1, 20000, 3]})).html
    assert all(f">{shown}<" in html for shown in ("0.1235", "2,108", "–", "20000"))


def test_sentences_are_a_list_or_one_that_says_why_there_are_none() -> None:
    assert summary.sentences(["<b>", "c"], "none").html == "<ul><li>&lt;b&gt;</li><li>c</li></ul>"
    assert summary.sentences([], "none").html == "<p>none</p>"


def test_empty_tables_are_sentences() -> None:
    assert "nothing was scored" in summary.show(points().clear()).html
    assert "No rows" in summary.table(pl.DataFrame({"a": []})).html


def test_what_a_defined_figure_rests_on_is_said_too() -> None:
    reasons = [{"column": "latency_p50_ms", "reason": "off the path: all runs"}]
    html = summary.show(points(point(latency_p50_ms=3.0, reasons=reasons))).html
    assert "latency p50 ms: off the path: all runs (heuristic)</li>" in html


def test_a_reason_that_all_share_is_told_once() -> None:
    html = summary.show(points()).html
    assert html.count("no reason recorded (all)</li>") == 1


def test_intervals_stand_beside_what_they_are_of() -> None:
    ends = {"precision_ci_low": 0.3, "precision_ci_high": 0.95}
    html = summary.show(points(point(**ends)), summary.WITH_INTERVALS).html
    assert ">0.30–0.95<" in html
    assert ">0.29–0.38<" in html  # the recall band
    assert "recall 95% interval" in html
    assert "no reason recorded" in html  # of the intervals that the row lacks
