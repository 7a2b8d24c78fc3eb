"""Values with their intervals, a line of marks for each name: agreement, self-agreement, style.

A row is a value of `analysis.agreed`: name, statistic, value, low, high, n, reason, said.
"""

from collections.abc import Sequence

import altair as alt
import polars as pl

from analysis import agreed
from analysis.about import NO_STUDY, About
from analysis.captions import SPOKEN, short
from analysis.charts import looks

TIPS = ("name", "statistic", "said", "reason")
ENDS = "Thin with ends: 95% interval. At the edge: value, interval, n."


def estimates(
    rows: pl.DataFrame,
    title: str,
    *,
    line: float | None = 0.0,
    lines: Sequence[str] = (),
    about: About = NO_STUDY,
) -> alt.LayerChart:
    """Every row as a mark with its interval and its words; those without a value are named above.

    `line` is drawn across as a yardstick: what chance alone has.
    """
    if rows.is_empty():
        return looks.nothing(f"{title}: nothing to draw yet.")
    named, names = (list(rows[c].unique(maintain_order=True)) for c in ("statistic", "name"))
    colours = alt.Scale(domain=named, range=[looks.COLOURS[i % 7] for i in range(len(named))])
    shapes = alt.Scale(domain=named, range=[looks.SHAPES[i % 8] for i in range(len(named))])
    base = alt.Chart(looks.data(rows)).encode(
        y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=looks.SIZE // 2)),
        yOffset=alt.YOffset("statistic:N", sort=named),
        color=alt.Color("statistic:N", scale=colours, legend=looks.LEGEND),
    )
    x = alt.X("value:Q", title=None, scale=alt.Scale(domainMax=1, zero=True))
    mark = base.mark_point(size=70, filled=True, opacity=1).encode(
        x=x,
        shape=alt.Shape("statistic:N", scale=shapes, legend=looks.LEGEND),
        tooltip=looks.tooltips(TIPS),
    )
    words = base.mark_text(align="left", fontSize=10).encode(
        x=alt.value(looks.SIZE + 8), text="said:N", color=alt.value("black")
    )
    layers = [*_yardstick(line, x), *looks.plain_whisker(base, "x"), mark, words]
    chart = alt.layer(*layers).properties(
        width=looks.SIZE, height=alt.Step(15, **{"for": "offset"})
    )
    said = [ENDS, *lines, *agreed.undefined(rows)]
    return looks.titled(chart, title, said, _spoken(title, rows), about)


def _yardstick(at: float | None, x: alt.X) -> list[alt.Chart]:
    if at is None:
        return []
    base = alt.Chart(alt.InlineData(values=[{"value": at}]))
    return [base.mark_rule(color=looks.GREY, strokeDash=[1, 3]).encode(x=x)]


def _spoken(title: str, rows: pl.DataFrame) -> str:
    parts = [f"{short(row['name'])}, {row['statistic']}: {row['said']}" for row in rows.to_dicts()]
    more = [f"and {len(parts) - SPOKEN} more"] if len(parts) > SPOKEN else []
    return f"{title}. {'; '.join([*parts[:SPOKEN], *more])}."
