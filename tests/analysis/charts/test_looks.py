"""Looks: gates stay apart, the simulated are hollow, nothing hostile comes alive."""

import pytest
from drawn import drawn, marks, texts
from hand_made import SILENT, form, forms, point, points, rates, steps

from analysis import charts
from analysis.captions import plain

HOSTILE = ("<script>alert(1)</script>", "'+alert(1)+'", "datum['x']", '"]}', "x" * 200, "a\nb")
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
    looks = zip(*(encoding[c]["scale"]["range"] for c in ("color", "shape")), strict=True)
    assert len(set(looks)) == 32


def test_a_simulated_gate_is_hollow() -> None:
    both = points(point(gate="a"), point(gate="b", basis="simulated"))
    opacities = [m.get("fill-opacity") for m in marks(charts.precision_recall(both), "point")]
    assert opacities == ["0.8", "0"]
