"""Charts: the only door to Altair. A table in, a chart out; no arithmetic, no row dropped.

A row is an operating point (`precision_recall`) or a gate and an evidence form
(`recall_by_form`). Both axes are shares, 0-1. A gate keeps its colour and shape as long as the
names in the table stay the same; rows without a place on the axes are named in a line of text.
`use_offline_renderer()` makes charts show in JupyterLab and in exports without any network.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from typing import Any

import altair as alt
import polars as pl
import polars.selectors as cs
import vl_convert

from analysis import captions
from labelling.tables.schemas import EVIDENCE_FORMS

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Four colours with a contrast of at least 3:1 on white; beyond four gates they come again."""
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
KEY = (
    "Thick: disputed records all wrong or all right.",
    "Thin: the unjudged too; across: the disputed facts.",
    "Dashed: 95% intervals. Hollow: simulated.",
)
LIVE = "application/vnd.vegalite.v5+json"
LIVE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
MANY_MARKS = 3000
"""Rows above which the still picture is a PNG: an SVG would be several megabytes."""
# The menu's "open in editor" would send the data to a page outside
MENU = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
SIZE = 380
LEGEND = alt.Legend(
    title=None,
    orient="bottom",
    columns=2,
    labelLimit=SIZE // 2,
    symbolLimit=0,
    symbolOpacity=1,
)
POINT_TIPS = (
    "name",
    "basis",
    "precision_counted",
    "recall_counted",
    "records",
    "disputed_records",
    "unjudged_records",
)
FORM_TIPS = ("name", "evidence_form", "recall_counted")

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


def precision_recall(points: pl.DataFrame) -> alt.LayerChart:
    """Precision (of judged records) against recall (of reference weight), a mark for each row.

    Bands and intervals are rules; a row without precision or recall is named under the title.
    """
    if points.is_empty():
        return _nothing("No operating points to draw: nothing was scored.")
    table = captions.with_counts(captions.named(points)).drop("reasons")
    base = alt.Chart(_data(table)).encode(color=_colour(table))
    x = _share("X", "recall", "recall: captured of reference weight")
    y = _share("Y", "precision", "precision: correct of judged records")
    layers = [
        _rule(base.encode(x=x), "y", "precision_outer", strokeWidth=1.5),
        _rule(base.encode(x=x), "y", "precision_label", strokeWidth=7, opacity=0.5),
        _rule(base.encode(x=x), "y", "precision_ci", strokeDash=[4, 3], xOffset=5),
        _rule(base.encode(y=y), "x", "recall", strokeWidth=1.5),
        _rule(base.encode(y=y), "x", "recall_ci", strokeDash=[4, 3], yOffset=5),
        _marks(base, table).encode(x=x, y=y, tooltip=_tooltips(POINT_TIPS)),
    ]
    return _finish(
        alt.layer(*layers).properties(width=SIZE, height=SIZE),
        "Precision and recall",
        [*KEY, *captions.undefined(points)],
        captions.describe_points(points),
    )


def recall_by_form(forms: pl.DataFrame) -> alt.LayerChart:
    """Recall by evidence form, a dot for each gate with its interval and its counts at the edge."""
    if forms.is_empty():
        return _nothing("No recall by evidence form to draw: nothing was scored.")
    table = captions.with_counts(captions.named(forms))
    form = alt.Y("evidence_form:N", title="evidence form", sort=EVIDENCE_FORMS)
    base = alt.Chart(_data(table)).encode(y=form, yOffset="name:N")
    x = _share("X", "recall", "recall: captured of reference facts")
    layers = [
        _rule(base, "x", "ci", strokeDash=[4, 3]).encode(color=_colour(table)),
        _marks(base, table).encode(x=x, tooltip=_tooltips(FORM_TIPS)),
        base.mark_text(align="left").encode(x=alt.value(SIZE + 8), text="recall_counted:N"),
    ]
    return _finish(
        alt.layer(*layers).properties(width=SIZE, height=alt.Step(16, **{"for": "offset"})),
        "Recall by evidence form",
        ["At the edge: recall (captured facts of reference facts)."],
        captions.describe_forms(forms),
    )


def _nothing(sentence: str) -> alt.LayerChart:
    """A chart that says why it is empty."""
    text = alt.Chart(alt.InlineData(values=[{"text": sentence}])).mark_text(fontSize=13)
    layer = alt.layer(text.encode(text="text:N"))
    return layer.properties(width=SIZE, height=60, description=sentence)


def _finish(
    chart: alt.LayerChart, title: str, lines: list[str], description: str
) -> alt.LayerChart:
    heading = alt.Title(title, subtitle=lines, anchor="start", limit=SIZE + 80)
    return chart.properties(title=heading, description=description)


def _data(table: pl.DataFrame) -> alt.InlineData:
    """Every row; NaN and infinity become null, since they are no JSON."""
    finite = pl.when(cs.float().is_finite()).then(cs.float())
    return alt.InlineData(values=table.with_columns(finite).to_dicts())


def _names(table: pl.DataFrame) -> list[str]:
    return sorted(table["name"].unique())


def _colour(table: pl.DataFrame) -> alt.Color:
    return alt.Color("name:N", scale=_cycle(_names(table), COLOURS), legend=LEGEND)


def _fill(table: pl.DataFrame) -> alt.Fill:
    return alt.Fill("name:N", scale=_cycle(_names(table), COLOURS), legend=LEGEND)


def _shape(table: pl.DataFrame) -> alt.Shape:
    """A shape for each name, so that two names that share a colour differ in shape."""
    names = _names(table)
    turned = [SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in range(len(names))]
    return alt.Shape("name:N", scale=_cycle(names, turned), legend=LEGEND)


def _cycle(names: Sequence[str], looks: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=names, range=list(islice(cycle(looks), len(names))))


def _share(channel: str, field: str, title: str) -> alt.X | alt.Y:
    return getattr(alt, channel)(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]))


def _rule(base: alt.Chart, channel: str, field: str, **look: Any) -> alt.Chart:
    """A line from `<field>_low` to `<field>_high`; where they are null there is none."""
    ends = {channel: f"{field}_low:Q", f"{channel}2": f"{field}_high"}
    return base.mark_rule(**look).encode(**ends)


def _marks(base: alt.Chart, table: pl.DataFrame) -> alt.Chart:
    """One mark a row, hollow where what it shows was put in rather than measured."""
    simulated = alt.FieldEqualPredicate(field="basis", equal="simulated")
    return base.mark_point(size=90, strokeWidth=2).encode(
        color=_colour(table),
        shape=_shape(table),
        fill=_fill(table),
        fillOpacity=alt.condition(simulated, alt.value(0), alt.value(0.8)),
    )


def _tooltips(fields: Iterable[str]) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{field}:N", title=_words(field)) for field in fields]


def _words(field: str) -> str:
    return field.removesuffix("_counted").replace("_", " ")


def _picture(spec: dict[str, Any]) -> dict[str, Any]:
    """The still picture, drawn without any request for data outside."""
    rows = sum(len(values) for values in spec.get("datasets", {}).values())
    if rows > MANY_MARKS:
        return {"image/png": vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[])}
    return {"image/svg+xml": vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])}
