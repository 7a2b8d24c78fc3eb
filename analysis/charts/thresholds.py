"""A gate over its thresholds: what charts of operating points share.

A row of `points` is a gate as it ran, a row of `curve` the gate at one threshold.
"""

from typing import Any

import altair as alt
import polars as pl

from analysis import captions
from analysis.about import About
from analysis.charts import looks

POINT_TIPS = (
    "name",
    "basis_said",
    "precision_said",
    "recall_said",
    "records",
    "disputed_records",
    "unjudged_records",
)
TIPS = ("name", "threshold_said", *POINT_TIPS[2:])
LINE = "Line: the gate at each threshold; mark: as it ran."
REGIONS = {"precision_ci": 0.12, "precision_label": 0.25}
"""What is drawn along a line, and how dark."""
REGION_KEY: tuple[looks.Explanation, ...] = (
    ("Region: 95% interval.", looks.apart("precision_ci")),
    ("Darker region: disputed records all wrong or all right.", looks.apart("precision_label")),
)


def with_words(
    points: pl.DataFrame, curve: pl.DataFrame | None, about: About
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables with names and words; beside a curve a name does not tell the threshold."""
    if curve is None:
        named, line = captions.named(points), captions.named(points.clear())
    else:
        named, line = captions.named_alike(points, curve)
    return captions.in_words(named, about), captions.in_words(line, about)


def marks_base(table: pl.DataFrame, gates: looks.Looks) -> alt.Chart:
    """The points as they ran."""
    return _base(table.drop("reasons"), gates)


def lines(
    curve: pl.DataFrame, gates: looks.Looks, x: alt.X, y: alt.Y, *drawn: str
) -> list[alt.Chart]:
    """A line through the thresholds of each gate, with a dot at each to point at.

    `drawn` are the columns of the axes.
    """
    if curve.is_empty():
        return []
    place = {"x": x, "y": y, "order": "threshold:Q", "opacity": looks.opacity()}
    named = curve.select("threshold", *TIPS, *drawn).partition_by("name", maintain_order=True)
    dots = _base(pl.concat(named), gates).mark_point(size=16, filled=True).encode(**place)
    return [
        *(_base(one, gates).mark_line(**_dashed(one, gates)).encode(**place) for one in named),
        dots.encode(shape=looks.shape(gates), tooltip=looks.tooltips(TIPS)),
    ]


def regions(curve: pl.DataFrame, gates: looks.Looks, x: alt.X) -> list[alt.Chart]:
    """Along precision over recall: the interval and the label band of precision."""
    if curve.is_empty():
        return []
    ends = [f"{band}_{end}" for band in REGIONS for end in ("low", "high")]
    base = _base(curve.select("name", "recall", *ends), gates).encode(x=x)
    return [
        base.mark_area().encode(y=f"{band}_low:Q", y2=f"{band}_high", opacity=looks.opacity(most))
        for band, most in REGIONS.items()
    ]


def _dashed(one: pl.DataFrame, gates: looks.Looks) -> dict[str, Any]:
    """A property, not an encoding: that would dash the marks of the legend, too."""
    return {"strokeWidth": 1.5, "strokeDash": list(gates[one["name"][0]].dash)}


def _base(drawn: pl.DataFrame, gates: looks.Looks) -> alt.Chart:
    return alt.Chart(looks.data(drawn)).encode(color=looks.colour(gates))
