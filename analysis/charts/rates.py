"""Facts captured against wrong records, per 1,000 assistant turns: a row is an operating point.

Here, unlike on precision and recall, those who have equally many wrong records to correct in a day
stand on one straight line. All tables come from `analysis.traffic`.
"""

import altair as alt
import polars as pl

from analysis import captions
from analysis.charts import looks, thresholds

KEY = (
    "Thick: disputed records all wrong or all right.",
    "Thin: the unjudged too. Dashed: 95% intervals,",
    "upwards at this study's facts per 1,000 turns.",
    "Hollow: simulated.",
)
WORK_KEY = ("Dotted: equal wrong records a day.",)
MEASURES = ("captured_per_1000_turns", "wrong_per_1000_turns")
TIPS = (*thresholds.POINT_TIPS, *MEASURES)
GREY = "#595959"


def facts_and_wrong(
    points: pl.DataFrame, curve: pl.DataFrame, workload: pl.DataFrame
) -> alt.LayerChart:
    """Facts captured against wrong records per 1,000 turns, a mark for each point, a line a curve.

    A row of `workload` is a line of equal work, with its label.
    """
    if points.is_empty():
        return looks.nothing("No operating points to draw: nothing was scored.")
    table, line = thresholds.with_names(points, curve)
    x = _rate("X", "wrong_per_1000_turns", "wrong records per 1,000 turns")
    y = _rate("Y", "captured_per_1000_turns", "facts captured per 1,000 turns")
    layers = [
        *_equal_work(workload),
        *thresholds.lines(line, table, x, y, *MEASURES),
        *_as_run(table, x, y),
    ]
    key = [
        *KEY,
        *(WORK_KEY if workload.height else ()),
        *(thresholds.KEY if line.height else ()),
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=looks.SIZE),
        "Facts captured and wrong records",
        [*key, *captions.undefined(table, MEASURES), *captions.gaps(line, MEASURES)],
        captions.describe_rates(table, workload),
    )


def _as_run(table: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    base = thresholds.marks_base(table)
    across, up = base.encode(y=y), base.encode(x=x)
    return [
        looks.rule(across, "x", "wrong_outer", strokeWidth=1.5),
        looks.rule(across, "x", "wrong_label", 0.5, strokeWidth=7),
        looks.rule(across, "x", "wrong_per_1000_turns_ci", strokeDash=[4, 3], yOffset=5),
        looks.rule(up, "y", "captured_ci", strokeDash=[4, 3], xOffset=5),
        looks.marks(base, table).encode(x=x, y=y, tooltip=looks.tooltips(TIPS)),
    ]


def _equal_work(workload: pl.DataFrame) -> list[alt.Chart]:
    """Lines of equal wrong records a day, labelled at their top."""
    if workload.is_empty():
        return []
    base = alt.Chart(looks.data(workload)).encode(x="wrong_per_1000_turns:Q")
    text = base.mark_text(angle=270, align="right", dx=-3, dy=-6, color=GREY)
    return [
        base.mark_rule(color=GREY, strokeDash=[1, 3]),
        text.encode(y=alt.value(0), text="label:N"),
    ]


def _rate(channel: str, field: str, title: str) -> alt.X | alt.Y:
    return getattr(alt, channel)(f"{field}:Q", title=title, axis=alt.Axis(tickCount=6))
