"""What all charts share: colours and shapes of gates, axes, rules, marks, titles.

A table here has a column `name`, what its rows are called in the legend.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from typing import Any

import altair as alt
import polars as pl
import polars.selectors as cs

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
DASHES = ([1, 0], [8, 3], [2, 2], [10, 3, 2, 3])
"""Beside the colours: the lines of the first four gates are whole, of the next four dashed."""
SIZE = 380
LEGEND = alt.Legend(
    title=None,
    orient="bottom",
    columns=2,
    labelLimit=SIZE // 2,
    symbolLimit=0,
    symbolOpacity=1,
)

FAINT = 0.05
_PICKED = alt.selection_point(name="picked", fields=["name"], bind="legend")


def nothing(sentence: str) -> alt.LayerChart:
    """A chart that says why it is empty."""
    text = alt.Chart(alt.InlineData(values=[{"text": sentence}])).mark_text(fontSize=13)
    layer = alt.layer(text.encode(text="text:N"))
    return layer.properties(width=SIZE, height=60, description=sentence)


def finish(
    chart: alt.LayerChart, title: str, lines: Sequence[str], description: str
) -> alt.LayerChart:
    """The chart with its title, the lines under it, and what is read out of it."""
    heading = alt.Title(title, subtitle=lines, anchor="start", limit=SIZE + 80)
    return chart.properties(title=heading, description=description).add_params(_PICKED)


def data(table: pl.DataFrame) -> alt.InlineData:
    """Every row; NaN and infinity become null, since they are no JSON."""
    finite = pl.when(cs.float().is_finite()).then(cs.float())
    return alt.InlineData(values=table.with_columns(finite).to_dicts())


def colour(table: pl.DataFrame) -> alt.Color:
    """A colour for each name."""
    return alt.Color("name:N", scale=_cycle(_names(table), COLOURS), legend=LEGEND)


def dash(table: pl.DataFrame) -> alt.StrokeDash:
    """Lines of names that share a colour differ."""
    names = _names(table)
    turned = [DASHES[i // len(COLOURS) % len(DASHES)] for i in range(len(names))]
    return alt.StrokeDash("name:N", scale=_cycle(names, turned), legend=None)


def share(channel: str, field: str, title: str) -> alt.X | alt.Y:
    """An axis from 0 to 1."""
    return getattr(alt, channel)(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]))


def opacity(most: float = 1.0) -> alt.Opacity:
    """That of all rows until a name in the legend is clicked; then the others fade."""
    return alt.condition(_PICKED, alt.value(most), alt.value(most * FAINT))


def rule(base: alt.Chart, channel: str, field: str, most: float = 1.0, **look: Any) -> alt.Chart:
    """A line from `<field>_low` to `<field>_high`; where they are null there is none."""
    ends = {channel: f"{field}_low:Q", f"{channel}2": f"{field}_high"}
    return base.mark_rule(**look).encode(**ends, opacity=opacity(most))


def marks(base: alt.Chart, table: pl.DataFrame) -> alt.Chart:
    """One mark a row, hollow where what it shows was put in rather than measured."""
    simulated = alt.FieldEqualPredicate(field="basis", equal="simulated")
    return base.mark_point(size=90, strokeWidth=2).encode(
        color=colour(table),
        shape=shape(table),
        fill=alt.Fill("name:N", scale=_cycle(_names(table), COLOURS), legend=LEGEND),
        fillOpacity=alt.condition(simulated, alt.value(0), alt.value(0.8)),
        opacity=opacity(),
    )


def tooltips(fields: Iterable[str]) -> list[alt.Tooltip]:
    """The fields as they stand in the table."""
    return [alt.Tooltip(f"{field}:N", title=_words(field)) for field in fields]


def _names(table: pl.DataFrame) -> list[str]:
    return sorted(table["name"].unique())


def shape(table: pl.DataFrame) -> alt.Shape:
    """A shape for each name, so that two names that share a colour differ in shape."""
    names = _names(table)
    turned = [SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in range(len(names))]
    return alt.Shape("name:N", scale=_cycle(names, turned), legend=LEGEND)


def _cycle(names: Sequence[str], looks: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=names, range=list(islice(cycle(looks), len(names))))


def _words(field: str) -> str:
    return field.removesuffix("_counted").replace("_", " ")
