"""Looks: gates stay apart, the simulated are hollow, nothing hostile comes alive."""

import pytest
from drawn import drawn, marks, texts
from hand_made import SILENT, form, forms, point, points, rates, steps

from analysis import captions, charts
from analysis.about import NO_STUDY, WORLD, About, about
from analysis.captions import plain
from analysis.charts import looks

HOSTILE = ("<script>alert(1)</script>", "'+alert(1)+'", "datum['x']", '"]}', "x" * 200, "a\nb")
BANDS = ("precision_label", "precision_outer", "recall")
TAGS = {"svg", "g", "path", "text", "tspan", "line", "rect", "defs", "clipPath"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text(name: str) -> None:
    hostile, line = points(point(gate=name), point(**SILENT)), steps(gate=name)
    for chart in (
        charts.precision_recall(hostile, line),
        charts.facts_and_wrong(*rates(hostile, line)),
        charts.recall_by_form(forms({**form("heuristic", "stated"), "gate": name})),
    ):
        assert {e.tag.rpartition("}")[2] for e in drawn(chart).iter()} <= TAGS
        assert plain(name)[:20] in texts(chart)


def test_gates_that_share_a_colour_differ_in_shape() -> None:
    chart = charts.precision_recall(points(*(point(gate=f"gate{i}") for i in range(32))))
    encoding = chart.to_dict()["layer"][-1]["encoding"]
    both = zip(*(encoding[c]["scale"]["range"] for c in ("color", "shape")), strict=True)
    assert len(set(both)) == 32


def test_a_simulated_gate_is_hollow() -> None:
    both = points(point(gate="a"), point(gate="b", basis="simulated"))
    opacities = [m.get("fill-opacity") for m in marks(charts.precision_recall(both), "point")]
    assert opacities == ["0.8", "0"]


def test_a_gate_looks_the_same_whatever_part_of_the_gates_is_drawn() -> None:
    every = [point(gate=f"gate{i}") for i in range(6)]
    told = about("x", points(*every))
    whole = looks.looks(captions.named(points(*every)), told)
    part = looks.looks(captions.named(points(*every[4:])), told)
    assert part == {name: whole[name] for name in ("gate4", "gate5")}


def test_yardsticks_use_up_no_colour() -> None:
    rows = [point(gate=gate) for gate in ("everything", "heuristic", "nothing", "x")]
    seen = looks.looks(captions.named(points(*rows)), NO_STUDY)
    assert [seen[gate].colour for gate in ("heuristic", "x")] == list(looks.COLOURS[:2])
    assert seen["everything"].colour == seen["nothing"].colour == looks.GREY
    assert seen["everything"].shape != seen["nothing"].shape


@pytest.mark.parametrize("colour", [*looks.COLOURS, looks.GREY])
def test_colours_have_contrast_on_white(colour: str) -> None:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 3


def test_only_what_is_there_is_explained() -> None:
    calm = {"disputed_records": 0, "unjudged_records": 0}
    bands = {f"{band}_{end}": 0.75 for band in BANDS for end in ("low", "high")}
    written = texts(charts.precision_recall(points(point(**calm, **bands))))
    assert not any(word in written for word in ("Thick", "Pale", "Thin", "Hollow", "Line:"))
    both = points(
        point(gate="a", precision_ci_low=0.5, precision_ci_high=0.9), point(basis="simulated")
    )
    written = texts(charts.precision_recall(both))
    assert all(word in written for word in ("Thick", "Pale", "Thin with ends", "Hollow"))


def test_a_study_that_is_no_evidence_says_so_in_every_chart() -> None:
    world = About("big", warning=WORLD)
    table, line, work = rates(points(), steps())
    for chart in (
        charts.precision_recall(points(), steps(), about=world),
        charts.facts_and_wrong(table, line, work, about=world),
        charts.recall_by_form(forms(), about=world),
    ):
        assert "A simulated world with known truth" in texts(chart)
        assert "A simulated world with known truth" in chart.to_dict()["description"]
