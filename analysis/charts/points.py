"""Precision against recall: a row is an operating point."""

import altair as alt
import polars as pl

from analysis import captions
from analysis.about import NO_STUDY, About
from analysis.charts import looks, thresholds

KEY: tuple[looks.Explanation, ...] = (
    ("Thick: disputed records all wrong or all right.", looks.apart("precision_label")),
    ("Pale: the unjudged too.", pl.col("unjudged_records") > 0),
    ("Thick across: the disputed facts.", looks.apart("recall")),
    ("Thin with ends: 95% interval.", looks.apart("precision_ci") | looks.apart("recall_ci")),
    looks.HOLLOW,
)
OPTIMISTIC = "Agreed-only precision is usually optimistic."
MEASURES = ("precision", "recall")


def precision_recall(
    points: pl.DataFrame, curve: pl.DataFrame | None = None, *, about: About = NO_STUDY
) -> alt.LayerChart:
    """Precision (of judged records) against recall (of reference weight), a mark for each point.

    `curve` makes each gate a line over its thresholds. What the annotators left open is a bar, what
    the choice of users did a whisker, along a line a region; a row without precision or recall is
    named under the title.
    """
    if points.is_empty():
        return looks.nothing("No operating points to draw: nothing was scored.")
    table, line = thresholds.with_words(points, curve, about)
    gates = looks.looks(pl.concat([table, line]), about)
    x = looks.share("X", "recall", "recall: captured of reference weight")
    y = looks.share("Y", "precision", "precision: correct of judged records")
    layers = [
        *thresholds.regions(line, gates, x),
        *thresholds.lines(line, gates, x, y, *MEASURES),
        *_as_run(table, gates, x, y),
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=looks.SIZE),
        "Precision and recall",
        [*_key(table, line), *captions.undefined(table), *captions.gaps(line, MEASURES)],
        captions.describe_points(table, line),
        about,
    )


def _key(table: pl.DataFrame, line: pl.DataFrame) -> list[str]:
    drawn = f"{thresholds.LINE} {looks.explained(line, thresholds.REGION_KEY)}"
    return [OPTIMISTIC, looks.explained(table, KEY), *([drawn] if line.height else [])]


def _as_run(table: pl.DataFrame, gates: looks.Looks, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    base = thresholds.marks_base(table, gates)
    across, up = base.encode(y=y), base.encode(x=x)
    return [
        *looks.bars(up, "y", "precision_label", "precision_outer"),
        *looks.bars(across, "x", "recall"),
        *looks.whisker(up, "y", "precision_ci"),
        *looks.whisker(across, "x", "recall_ci"),
        looks.marks(base, gates).encode(x=x, y=y, tooltip=looks.tooltips(thresholds.POINT_TIPS)),
    ]
