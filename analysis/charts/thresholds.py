"""A gate over its thresholds: what charts of operating points share.

A row of `points` is a gate as it ran, a row of `curve` the gate at one threshold.
"""

import altair as alt
import polars as pl

from analysis import captions
from analysis.charts import looks

POINT_TIPS = (
    "name",
    "basis",
    "precision_counted",
    "recall_counted",
    "records",
    "disputed_records",
    "unjudged_records",
)
TIPS = ("name", "threshold", *POINT_TIPS[2:])
KEY = ("Line: the gate at each threshold; mark: as it ran.",)
REGIONS = {"precision_ci": 0.12, "precision_label": 0.25}
"""What is drawn along a line, and how dark."""
REGION_KEY = ("Region: 95% interval; darker: disputed all wrong or all right.",)


def with_names(
    points: pl.DataFrame, curve: pl.DataFrame | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables with names and counts; beside a curve a name does not tell the threshold."""
    if curve is None:
        named, line = captions.named(points), captions.named(points.clear())
    else:
        named, line = captions.named_alike(points, curve)
    return captions.with_counts(named), captions.with_counts(line)


def marks_base(table: pl.DataFrame) -> alt.Chart:
    """The points as they ran."""
    return alt.Chart(looks.data(table.drop("reasons"))).encode(color=looks.colour(table))


def lines(
    curve: pl.DataFrame, points: pl.DataFrame, x: alt.X, y: alt.Y, *drawn: str
) -> list[alt.Chart]:
    """A line through the thresholds of each gate, with a dot at each to point at.

    `drawn` are the columns of the axes.
    """
    if curve.is_empty():
        return []
    base = _base(curve.select(*TIPS, *drawn), points).encode(
        x=x, y=y, order="threshold:Q", opacity=looks.opacity()
    )
    dots = base.mark_point(size=16, filled=True)
    return [
        base.mark_line(strokeWidth=1.5).encode(strokeDash=looks.dash(points)),
        dots.encode(shape=looks.shape(points), tooltip=looks.tooltips(TIPS)),
    ]


def regions(curve: pl.DataFrame, points: pl.DataFrame, x: alt.X) -> list[alt.Chart]:
    """Along precision over recall: the interval and the label band of precision."""
    if curve.is_empty():
        return []
    ends = [f"{band}_{end}" for band in REGIONS for end in ("low", "high")]
    base = _base(curve.select("name", "recall", *ends), points).encode(x=x)
    return [
        base.mark_area().encode(y=f"{band}_low:Q", y2=f"{band}_high", opacity=looks.opacity(most))
        for band, most in REGIONS.items()
    ]


def _base(drawn: pl.DataFrame, points: pl.DataFrame) -> alt.Chart:
    """Gates have the colours that they have as they ran."""
    return alt.Chart(looks.data(drawn)).encode(color=looks.colour(points))
