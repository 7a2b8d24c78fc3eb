"""A renderer that needs no network: the live chart, a still picture of it, and its description."""

from typing import Any

import altair as alt
import vl_convert

LIVE = "application/vnd.vegalite.v5+json"
LIVE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
MANY_MARKS = 3000
"""Rows above which the still picture is a PNG: an SVG would be several megabytes."""
# The menu's "open in editor" would send the data to a page outside
MENU = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}

Bundle = tuple[dict[str, Any], dict[str, Any]]


def use_offline_renderer() -> None:
    """Show charts by `offline_bundle` from now on; calling it again changes nothing."""
    alt.renderers.register("gates", offline_bundle)
    alt.renderers.enable("gates")


def offline_bundle(spec: dict[str, Any], **_options: Any) -> Bundle:
    """MIME type -> content, and the metadata: the live chart, a still picture, a description.

    JupyterLab draws the live chart with the Vega-Lite 5 it carries, exports take the picture.
    """
    live = {LIVE: {**spec, "$schema": LIVE_SCHEMA}}
    return {**live, **_picture(spec), "text/plain": spec.get("description", "A chart.")}, {
        LIVE: {"embed_options": MENU}
    }


def _picture(spec: dict[str, Any]) -> dict[str, Any]:
    """The still picture, drawn without any request for data outside."""
    rows = sum(len(values) for values in spec.get("datasets", {}).values())
    if rows > MANY_MARKS:
        return {"image/png": vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[])}
    return {"image/svg+xml": vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])}
