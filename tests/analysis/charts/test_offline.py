"""What a chart is where it is shown: live, a picture, and words."""

import pytest
from hand_made import points

from analysis import charts
from analysis.charts import offline


def test_the_renderer_gives_a_live_chart_a_picture_and_words() -> None:
    charts.use_offline_renderer()
    charts.use_offline_renderer()
    chart = charts.precision_recall(points())
    bundle, metadata = chart._repr_mimebundle_(None, None)
    assert set(bundle) == {offline.LIVE, "image/svg+xml", "text/plain"}
    assert bundle[offline.LIVE]["$schema"].endswith("/v5.json")
    assert bundle["text/plain"] == chart.to_dict()["description"]
    assert metadata[offline.LIVE]["embed_options"]["actions"]["editor"] is False


def test_a_chart_of_many_marks_comes_as_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "MANY_MARKS", 1)
    bundle, _ = offline.offline_bundle(charts.precision_recall(points()).to_dict())
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert "image/svg+xml" not in bundle
