"""Charts as they are drawn: their data, their marks and their texts."""

import json
from typing import Any
from xml.etree import ElementTree

import altair as alt
import vl_convert

from analysis.charts import offline


def data(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """The rows of a chart of one table."""
    (values,) = chart.to_dict()["datasets"].values()
    return values


def drawn(chart: alt.LayerChart) -> ElementTree.Element:
    """The SVG as drawn by the oldest Vega-Lite at hand, of the major that JupyterLab carries."""
    spec = json.dumps({**chart.to_dict(), "$schema": offline.LIVE_SCHEMA}, allow_nan=False)
    return ElementTree.fromstring(
        vl_convert.vegalite_to_svg(spec, vl_version="5.8", allowed_base_urls=[])
    )


def texts(chart: alt.LayerChart) -> str:
    """Every text of the drawing."""
    return " ".join(drawn(chart).itertext())


def marks(chart: alt.LayerChart, kind: str) -> list[ElementTree.Element]:
    """The drawn marks of one kind: "point", "rule mark", "line mark", …"""
    return [e for e in drawn(chart).iter() if e.get("aria-roledescription") == kind]
