"""Tables for reading: counts stand beside ratios, reasons beside gaps, markup stays text."""

import polars as pl
from hand_made import HOSTILE, SILENT, point, points

from analysis import columns, summary
from analysis.about import WORLD, About


def test_ratios_stand_beside_their_counts() -> None:
    html = summary.show(points()).html + summary.show(points(), columns.OPEN).html
    shown = ("0.60<br>6 of 10", "0.75<br>3 of 4", "0.60–0.80 (1)", "0.29<br>2 of 7", "2 of 4")
    assert all(f">{cell}<" in html for cell in shown)


def test_what_is_undefined_has_its_reason_on_the_cell_and_below() -> None:
    html = summary.show(points(point(**SILENT))).html
    assert 'title="no judged record' in html
    assert "precision: no judged record (nothing)</li>" in html


def test_markup_in_names_and_values_is_text() -> None:
    reasons = [{"column": "precision", "reason": f'"{HOSTILE}'}]
    hostile = points(point(gate=HOSTILE, precision=None, reasons=reasons))
    for page in (summary.show(hostile), summary.table(pl.DataFrame({HOSTILE: [HOSTILE, None]}))):
        assert "<img" not in page.html
        assert "&lt;img" in page.html


def test_each_kind_of_number_has_one_form() -> None:
    frame = pl.DataFrame({"a": [0.00435, 2107.84, None], "b": [1, 20000, 3], "p": [3e-8, 0.04, 1]})
    html = summary.table(frame).html
    for shown in ("0.0043", "2,107.8", "–", "20,000", "&lt; 0.0001", "0.040", "1.00"):
        assert f">{shown}<" in html


def test_a_simulated_world_is_named_on_every_table() -> None:
    world = About("big", warning=WORLD)
    frame = pl.DataFrame({"a": [1]})
    for page in (
        summary.show(points(), about=world),
        summary.show(points().clear(), about=world),
        summary.table(frame, about=world),
        summary.sentence("A step.", about=world),
        summary.sentences(["A step."], "none", about=world),
    ):
        assert "A simulated world with known truth" in page.html
        assert "A simulated world with known truth" in page.text
    assert (
        ">heuristic<br>recorded, in a simulated world<" in summary.show(points(), about=world).html
    )


def test_the_first_column_heads_its_row_and_stays() -> None:
    html = summary.show(points()).html
    assert html.count('<th scope="row"') == 2
    assert html.count("position:sticky") == 3


def test_without_a_dispute_there_is_no_band() -> None:
    settled = point(disputed_records=0, unjudged_records=0, recall_low=0.5, recall_high=0.5)
    html = summary.show(points(settled), columns.OPEN).html
    assert html.count(">no dispute<") == 2
    assert ">all judged<" in html


def test_sentences_are_a_list_or_one_that_says_why_there_are_none() -> None:
    assert summary.sentences(["<b>", "c"], "none").html == "<ul><li>&lt;b&gt;</li><li>c</li></ul>"
    assert summary.sentences([], "none").html == "<p>none</p>"


def test_empty_tables_are_sentences() -> None:
    assert "No rows" in summary.show(points().clear()).html
    assert "No rows" in summary.table(pl.DataFrame({"a": []})).html
    assert "Nothing wrong." in summary.show(points().clear(), otherwise="Nothing wrong.").html


def test_what_a_defined_figure_rests_on_is_said_too() -> None:
    reasons = [{"column": "recall", "reason": "facts that were sampled weigh more"}]
    html = summary.show(points(point(reasons=reasons))).html
    assert "recall: facts that were sampled weigh more (heuristic)</li>" in html


def test_a_reason_that_all_share_is_told_once() -> None:
    html = summary.show(points()).html
    assert html.count("no reason recorded (all)</li>") == 1


def test_intervals_stand_beside_what_they_are_of() -> None:
    ends = {"precision_ci_low": 0.3, "precision_ci_high": 0.95}
    html = summary.show(points(point(**ends))).html
    assert ">0.75<br>3 of 4<br>0.30–0.95<" in html
    assert "recall, 95% interval, wrong records per 1,000 turns, 95% interval: no reason" in html


def test_turns_are_text_and_their_evidence_is_marked() -> None:
    turns = pl.DataFrame(
        {"turn": [0, 1], "role": ["user", "assistant"], "text": ["😀 <b>x</b>", "y"]}
    )
    spans = [{"turn": 0, "start": 0, "end": 3}, {"turn": 0, "start": 2, "end": 99}]
    html = summary.passage(turns, spans).html
    assert "<mark>😀 &lt;b&gt;x&lt;/b&gt;</mark>" in html
    assert "<b>1 assistant:</b> y" in html
    assert "<b>x" not in html
