"""Recall by evidence form: a row is a gate and a form."""

import altair as alt
import polars as pl

from analysis import captions
from analysis.about import NO_STUDY, About
from analysis.charts import looks
from labelling.tables.schemas import EVIDENCE_FORMS

TIPS = ("name", "evidence_form", "recall_said")
EDGE = "At the edge: recall (captured facts of reference facts)."
KEY: tuple[looks.Explanation, ...] = (("Thin with ends: 95% interval.", looks.apart("ci")),)


def recall_by_form(forms: pl.DataFrame, *, about: About = NO_STUDY) -> alt.LayerChart:
    """Recall by evidence form, a dot for each gate with its interval and its counts at the edge."""
    if forms.is_empty():
        return looks.nothing("No recall by evidence form to draw: nothing was scored.")
    table = captions.in_words(captions.named(forms), about)
    gates = looks.looks(table, about)
    form = alt.Y("evidence_form:N", title="evidence form", sort=EVIDENCE_FORMS)
    row = alt.YOffset("name:N", sort=list(gates))
    base = alt.Chart(looks.data(table)).encode(y=form, yOffset=row)
    x = looks.share("X", "recall", "recall: captured of reference facts")
    counts = base.mark_text(align="left").encode(x=alt.value(looks.SIZE + 8), text="recall_said:N")
    layers = [
        *looks.whisker(base.encode(color=looks.colour(gates)), "x", "ci"),
        looks.marks(base, gates).encode(x=x, tooltip=looks.tooltips(TIPS)),
        counts,
    ]
    return looks.finish(
        alt.layer(*layers).properties(width=looks.SIZE, height=alt.Step(16, **{"for": "offset"})),
        "Recall by evidence form",
        [f"{EDGE} {looks.explained(table, KEY)}"],
        captions.describe_forms(forms),
        about,
    )
