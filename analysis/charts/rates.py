"""Facts captured against wrong records, per 1,000 assistant turns: a row is an operating point.

Here, unlike on precision and recall, those who have equally many wrong records to correct in a day
stand on one straight line. All tables come from `analysis.traffic`.
"""

import altair as alt
import polars as pl

from analysis import captions
from analysis.about import NO_STUDY, About
from analysis.charts import looks, thresholds

KEY: tuple[looks.Explanation, ...] = (
    ("Thick: disputed records all wrong or all right.", looks.apart("wrong_label")),
    ("Pale: the unjudged too.", pl.col("unjudged_records") > 0),
    (
        "Thin with ends: 95% interval, upwards at this study's facts per 1,000 turns.",
        looks.apart("wrong_per_1000_turns_ci") | looks.apart("captured_ci"),
    ),
    looks.HOLLOW,
)
WORK = "Dotted: equal wrong records a day."
MEASURES = ("captured_per_1000_turns", "wrong_per_1000_turns")
TIPS = (*thresholds.POINT_TIPS, *(f"{measure}_said" for measure in MEASURES))


def facts_and_wrong(
    points: pl.DataFrame,
    curve: pl.DataFrame,
    workload: pl.DataFrame,
    *,
    about: About = NO_STUDY,
) -> alt.LayerChart:
    """Facts captured against wrong records per 1,000 turns, a mark for each point, a line a curve.

    A row of `workload` is a line of equal work, with its label.
    """
    if points.is_empty():
        return looks.nothing("No operating points to draw: nothing was scored.")
    table, line = thresholds.with_words(points, curve, about)
    gates = looks.looks(pl.concat([table, line]), about)
    x = _rate("X", "wrong_per_1000_turns", "wrong records per 1,000 turns")
    y = _rate("Y", "captured_per_1000_turns", "facts captured per 1,000 turns")
    layers = [
        *_equal_work(workload),
        *thresholds.lines(line, gates, x, y, *MEASURES),
        *_as_run(table, gates, x, y),
    ]
    key = [
        looks.explained(table, KEY),
        *([WORK] if workload.height else []),
        *([thresholds.LINE] if line.height else []),
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=looks.SIZE),
        "Facts captured and wrong records",
        [*key, *captions.undefined(table, MEASURES), *captions.gaps(line, MEASURES)],
        captions.describe_rates(table, workload),
        about,
    )


def _as_run(table: pl.DataFrame, gates: looks.Looks, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    base = thresholds.marks_base(table, gates)
    across, up = base.encode(y=y), base.encode(x=x)
    return [
        *looks.bars(across, "x", "wrong_label", "wrong_outer"),
        *looks.whisker(across, "x", "wrong_per_1000_turns_ci"),
        *looks.whisker(up, "y", "captured_ci"),
        looks.marks(base, gates).encode(x=x, y=y, tooltip=looks.tooltips(TIPS)),
    ]


def _equal_work(workload: pl.DataFrame) -> list[alt.Chart]:
    """Lines of equal wrong records a day, labelled at their top."""
    if workload.is_empty():
        return []
    base = alt.Chart(looks.data(workload)).encode(x="wrong_per_1000_turns:Q")
    text = base.mark_text(angle=270, align="right", dx=-3, dy=-6, color=looks.GREY)
    return [
        base.mark_rule(color=looks.GREY, strokeDash=[1, 3]),
        text.encode(y=alt.value(0), text="label:N"),
    ]


def _rate(channel: str, field: str, title: str) -> alt.X | alt.Y:
    return getattr(alt, channel)(f"{field}:Q", title=title, axis=alt.Axis(tickCount=6))
