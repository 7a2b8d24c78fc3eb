"""Charts: every row is in the data, what is undefined is named, nothing hostile comes alive."""

import json
import math
from typing import Any
from xml.etree import ElementTree

import altair as alt
import pytest
import vl_convert
from hand_made import SILENT, form, forms, point, points
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import charts
from analysis.captions import plain

HOSTILE = ("<script>alert(1)</script>", "'+alert(1)+'", "datum['x']", '"]}', "x" * 200, "a\nb")
shares = st.none() | st.floats(0, 1)
rows = st.builds(
    point,
    gate=st.sampled_from(["heuristic", *HOSTILE]),
    setting=st.sampled_from(["default", "strict"]),
    basis=st.sampled_from(["live", "simulated"]),
    precision=shares,
    recall=shares,
    precision_ci_low=shares,
    precision_ci_high=shares,
)


def data(chart: alt.LayerChart) -> list[dict[str, Any]]:
    (values,) = chart.to_dict()["datasets"].values()
    return values


def drawn(chart: alt.LayerChart) -> ElementTree.Element:
    """The SVG as drawn by the oldest Vega-Lite at hand, of the major that JupyterLab carries."""
    spec = json.dumps({**chart.to_dict(), "$schema": charts.LIVE_SCHEMA}, allow_nan=False)
    return ElementTree.fromstring(
        vl_convert.vegalite_to_svg(spec, vl_version="5.8", allowed_base_urls=[])
    )


def texts(chart: alt.LayerChart) -> str:
    return " ".join(drawn(chart).itertext())


def marks(chart: alt.LayerChart, kind: str) -> list[ElementTree.Element]:
    return [e for e in drawn(chart).iter() if e.get("aria-roledescription") == kind]


@settings(max_examples=15, deadline=None)
@given(st.lists(rows, min_size=1, max_size=14))
def test_every_row_is_in_the_chart(made: list[dict[str, Any]]) -> None:
    chart = charts.precision_recall(points(*made))
    assert [r["gate"] for r in data(chart)] == [r["gate"] for r in made]
    assert len(marks(chart, "point")) == sum(
        r["precision"] is not None and r["recall"] is not None for r in made
    )


@pytest.mark.parametrize("kind", [charts.precision_recall, charts.recall_by_form])
def test_an_empty_table_gives_a_chart_that_says_so(kind: Any) -> None:
    table = points() if kind is charts.precision_recall else forms()
    assert "nothing was scored" in texts(kind(table.clear()))


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


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text(name: str) -> None:
    for chart in (
        charts.precision_recall(points(point(gate=name), point(**SILENT))),
        charts.recall_by_form(forms({**form("heuristic", "stated"), "gate": name})),
    ):
        tags = {e.tag.rpartition("}")[2] for e in drawn(chart).iter()}
        assert tags <= {"svg", "g", "path", "text", "tspan", "line", "rect", "defs", "clipPath"}
        assert plain(name)[:20] in texts(chart)


def test_the_description_reads_out_the_figures() -> None:
    spoken = charts.precision_recall(points()).to_dict()["description"]
    assert "heuristic: precision 0.75 (3 of 4), recall 0.29 (2 of 7)" in spoken
    assert "nothing: precision – (0 of 0)" in spoken


def test_gates_that_share_a_colour_differ_in_shape() -> None:
    chart = charts.precision_recall(points(*(point(gate=f"gate{i}") for i in range(32))))
    encoding = chart.to_dict()["layer"][-1]["encoding"]
    looks = zip(*(encoding[c]["scale"]["range"] for c in ("color", "shape")), strict=True)
    assert len(set(looks)) == 32


def test_a_simulated_gate_is_hollow() -> None:
    both = points(point(gate="a"), point(gate="b", basis="simulated"))
    opacities = [m.get("fill-opacity") for m in marks(charts.precision_recall(both), "point")]
    assert opacities == ["0.8", "0"]


def test_recall_by_form_shows_each_count_also_where_there_are_no_facts() -> None:
    chart = charts.recall_by_form(forms())
    assert len(data(chart)) == 6
    assert "1.00 (2 of 2)" in texts(chart)
    assert "– (0 of 0)" in texts(chart)


def test_the_renderer_gives_a_live_chart_a_picture_and_words() -> None:
    charts.use_offline_renderer()
    charts.use_offline_renderer()
    chart = charts.precision_recall(points())
    bundle, metadata = chart._repr_mimebundle_(None, None)
    assert set(bundle) == {charts.LIVE, "image/svg+xml", "text/plain"}
    assert bundle[charts.LIVE]["$schema"].endswith("/v5.json")
    assert bundle["text/plain"] == chart.to_dict()["description"]
    assert metadata[charts.LIVE]["embed_options"]["actions"]["editor"] is False


def test_a_chart_of_many_marks_comes_as_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MANY_MARKS", 1)
    bundle, _ = charts.offline_bundle(charts.precision_recall(points()).to_dict())
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert "image/svg+xml" not in bundle
