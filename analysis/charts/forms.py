"""Recall by evidence form: a row is a gate and a form."""

import altair as alt
import polars as pl

from analysis import captions
from analysis.charts import looks
from labelling.tables.schemas import EVIDENCE_FORMS

TIPS = ("name", "evidence_form", "recall_counted")


def recall_by_form(forms: pl.DataFrame) -> alt.LayerChart:
    """Recall by evidence form, a dot for each gate with its interval and its counts at the edge."""
    if forms.is_empty():
        return looks.nothing("No recall by evidence form to draw: nothing was scored.")
    table = captions.with_counts(captions.named(forms))
    form = alt.Y("evidence_form:N", title="evidence form", sort=EVIDENCE_FORMS)
    base = alt.Chart(looks.data(table)).encode(y=form, yOffset="name:N")
    x = looks.share("X", "recall", "recall: captured of reference facts")
    counts = base.mark_text(align="left").encode(
        x=alt.value(looks.SIZE + 8), text="recall_counted:N"
    )
    layers = [
        looks.rule(base, "x", "ci", strokeDash=[4, 3]).encode(color=looks.colour(table)),
        looks.marks(base, table).encode(x=x, tooltip=looks.tooltips(TIPS)),
        counts,
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=alt.Step(16, **{"for": "offset"})),
        "Recall by evidence form",
        ["At the edge: recall (captured facts of reference facts)."],
        captions.describe_forms(forms),
    )
