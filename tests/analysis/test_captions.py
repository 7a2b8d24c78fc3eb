"""Words: names tell rows apart, captions are computed, an undefined ratio is no 0."""

import polars as pl
import pytest
from hand_made import SILENT, point, points, steps

from analysis import captions
from analysis.about import SAMPLE, About

IKER = About("iker")


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([point(), point(**SILENT)], ["heuristic", "nothing"]),
        ([point(), point(setting="strict")], ["heuristic · default", "heuristic · strict"]),
        ([point(), point(threshold=0.5)], ["heuristic · as run", "heuristic · score ≥ 0.5"]),
        ([point(gate="a\n\u202eb")], ["a  b"]),
    ],
)
def test_names_say_what_tells_rows_apart(rows: list[dict[str, object]], names: list[str]) -> None:
    assert captions.named(points(*rows))["name"].to_list() == names


def test_the_caption_is_computed() -> None:
    said = captions.caption(points(), IKER)
    for part in (
        "Study iker, test users, basis recorded, own reference: 10 assistant turns",
        "0–6 records a gate, 0–4 of them judged, 4 reference facts",
        "precision is 0.60–0.80 for heuristic",
        "no intervals",
        "agreed-only precision is usually optimistic.",
    ):
        assert part in said


def test_the_caption_of_the_sample_says_that_it_is_no_evidence() -> None:
    assert captions.caption(points(), About("sample", warning=SAMPLE)).endswith(f"{SAMPLE}.")


def test_the_caption_names_a_variant_and_an_interval() -> None:
    table = points(point(variant="adjudicated", interval_method="wilson"))
    said = captions.caption(table, IKER)
    assert "iker, adjudicated, test users" in said
    assert "95% intervals: wilson" in said


def test_the_widest_band_is_the_one_told() -> None:
    wide = point(gate="wide", precision_label_low=0.1, precision_label_high=0.9)
    assert "0.10–0.90 for wide, the widest band" in captions.caption(points(point(), wide), IKER)


def test_without_a_dispute_no_band_is_told() -> None:
    agreed = points(point(precision_label_low=1.0, precision_label_high=1.0))
    assert "all wrong or all right" not in captions.caption(agreed, IKER)


def test_words_say_what_a_small_rate_is() -> None:
    rare = point(gate="explicit", records=27, assistant_turns=6212, write_rate=27 / 6212)
    (row,) = captions.in_words(points(rare)).to_dicts()
    assert row["write_rate_said"] == "0.0043 (27 of 6,212)"


def test_nothing_scored_is_said() -> None:
    assert "nothing was scored" in captions.caption(points().clear(), IKER)


def test_a_description_of_many_gates_stops_and_says_so() -> None:
    many = points(*(point(gate=f"gate{i}") for i in range(captions.SPOKEN + 3)))
    assert "and 3 more in the table" in captions.describe_points(many)


def test_the_reason_of_a_record_that_nobody_could_judge_is_told() -> None:
    reasons = [{"column": "precision", "reason": "no judged records"}]
    table = points(point(precision=None, reasons=reasons))
    assert captions.undefined(table) == [
        "no precision: heuristic (6 records; no judged records)",
    ]
    assert captions.undefined(table.with_columns(pl.lit(0.5).alias("precision"))) == []


def test_a_gate_has_one_name_as_it_ran_and_over_its_thresholds() -> None:
    as_run, curve = captions.named_alike(points(point(), point(gate="b")), steps())
    assert as_run["name"].to_list() == ["heuristic", "b"]
    assert set(curve["name"]) == {"heuristic"}
    assert curve.drop("name").equals(steps())


def test_the_caption_says_how_much_of_a_curve_is_drawn() -> None:
    said = captions.caption(points(), IKER, captions.drawn(steps(), steps().head(2)))
    assert "; 2 of 3 thresholds drawn, gates with scores: 1; " in said
    assert "no gate has scores" in captions.drawn(steps().clear(), steps().clear())
