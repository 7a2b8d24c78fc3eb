"""Precision against recall: a row is an operating point."""

import altair as alt
import polars as pl

from analysis import captions
from analysis.charts import looks, thresholds

KEY = (
    "Thick: disputed records all wrong or all right.",
    "Thin: the unjudged too; across: the disputed facts.",
    "Dashed: 95% intervals. Hollow: simulated.",
)
MEASURES = ("precision", "recall")


def precision_recall(points: pl.DataFrame, curve: pl.DataFrame | None = None) -> alt.LayerChart:
    """Precision (of judged records) against recall (of reference weight), a mark for each point.

    `curve` makes each gate a line over its thresholds. Bands and intervals are rules, along a line
    regions; a row without precision or recall is named under the title.
    """
    if points.is_empty():
        return looks.nothing("No operating points to draw: nothing was scored.")
    table, line = thresholds.with_names(points, curve)
    x = looks.share("X", "recall", "recall: captured of reference weight")
    y = looks.share("Y", "precision", "precision: correct of judged records")
    key = [*KEY, *thresholds.KEY, *thresholds.REGION_KEY] if line.height else KEY
    layers = [
        *thresholds.regions(line, table, x),
        *thresholds.lines(line, table, x, y, *MEASURES),
        *_as_run(table, x, y),
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=looks.SIZE),
        "Precision and recall",
        [*key, *captions.undefined(table), *captions.gaps(line, MEASURES)],
        captions.describe_points(table, line),
    )


def _as_run(table: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    base = thresholds.marks_base(table)
    across, up = base.encode(y=y), base.encode(x=x)
    return [
        looks.rule(up, "y", "precision_outer", strokeWidth=1.5),
        looks.rule(up, "y", "precision_label", 0.5, strokeWidth=7),
        looks.rule(up, "y", "precision_ci", strokeDash=[4, 3], xOffset=5),
        looks.rule(across, "x", "recall", strokeWidth=1.5),
        looks.rule(across, "x", "recall_ci", strokeDash=[4, 3], yOffset=5),
        looks.marks(base, table).encode(x=x, y=y, tooltip=looks.tooltips(thresholds.POINT_TIPS)),
    ]
