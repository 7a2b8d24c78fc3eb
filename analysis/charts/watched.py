"""What is looked at again and again: splits by day, audits of a store, records by their answers.

`drift` draws the days of `labelling.drift`, `audits` rows of table `audits`, `progress` and
`confusion` what `analysis.agreed` and `labelling.agreement` make.
"""

import altair as alt
import polars as pl

from analysis.about import NO_STUDY, About
from analysis.charts import looks
from analysis.figures import share, span

BLUE, RED = looks.COLOURS[:2]
HEIGHT = 220


def drift(
    days: pl.DataFrame, limit: float | None, alarm_on: str | None, *, about: About = NO_STUDY
) -> alt.LayerChart:
    """The share of split candidates by day, all days so far with their band, and the limit.

    A day from the first alarm on is a red triangle. `days`: day, pairs, splits, recent_share,
    split_share, low, high, evidence, alarm.
    """
    title = "Share of candidates that two people split on"
    if days.is_empty():
        return looks.nothing(f"{title}: no day after the baseline yet.")
    base = alt.Chart(looks.data(days.with_columns(pl.col("day").cast(pl.String)))).encode(
        x=alt.X("day:T", title="day (UTC) of the second answer")
    )
    y = looks.share("Y", "split_share", "share split")
    signal = alt.condition("datum.alarm", alt.value(RED), alt.value(BLUE))
    shape = alt.condition("datum.alarm", alt.value("triangle-up"), alt.value("circle"))
    tips = looks.tooltips(("day", "pairs", "splits", "recent_share", "split_share", "evidence"))
    layers = [
        base.mark_area(opacity=0.2, color=BLUE).encode(y="low:Q", y2="high"),
        base.mark_line(color=BLUE, strokeWidth=2).encode(y=y),
        base.mark_point(size=40, filled=True, opacity=1).encode(
            y="recent_share:Q", color=signal, shape=shape, tooltip=tips
        ),
        *_limit(limit),
    ]
    called = f"Called on {alarm_on}." if alarm_on else "Not called."
    last = days.row(-1, named=True)
    lines = [
        "Marks: the last 7 days; red triangles: from the first alarm on.",
        "Line: all days so far, with a band that holds at all of them together.",
        f"Dashed: what more splits are held against. {called}",
    ]
    spoken = (
        f"{title}, {days.height} days: {share(last['split_share'])} of all so far, band "
        f"{span(last['low'], last['high'])}, limit {share(limit)}. {called}"
    )
    return looks.titled(_sized(layers), title, lines, spoken, about)


def audits(rows: pl.DataFrame, *, about: About = NO_STUDY) -> alt.LayerChart:
    """The wrong share of each audit with its interval, the limit, and whether the alarm is on."""
    title = "Wrong records among those audited"
    if rows.is_empty():
        return looks.nothing(f"{title}: no audit was scored yet.")
    table = rows.with_columns(pl.col("drawn_at").cast(pl.String)).drop("reasons", strict=False)
    base = alt.Chart(looks.data(table)).encode(
        x=alt.X("audit:N", title="audit, in the order they were drawn", sort=None),
        xOffset=alt.XOffset("source:N"),
    )
    on = alt.condition("datum.alarm === true", alt.value(RED), alt.value(BLUE))
    shape = alt.condition("datum.alarm === true", alt.value("triangle-up"), alt.value("circle"))
    fields = ("audit", "source", "wrong_share", "wrong_records", "correct_records", "evidence")
    layers = [
        base.mark_rule(strokeWidth=7, opacity=0.5, color=BLUE).encode(
            y="wrong_share_label_low:Q", y2="wrong_share_label_high"
        ),
        *looks.plain_whisker(base, "y", "wrong_share_ci"),
        base.mark_point(size=80, filled=True, opacity=1).encode(
            y=looks.share("Y", "wrong_share", "share wrong"),
            color=on,
            shape=shape,
            tooltip=looks.tooltips(fields),
        ),
        base.mark_tick(color="black", thickness=2, size=24).encode(y="limit:Q"),
    ]
    lines = [
        "Thin with ends: 95% interval. Thick: disputed records all right or all wrong.",
        "Black tick: the limit. Red triangle: the alarm is on.",
        *(f"undefined: {row['audit']}" for row in rows.to_dicts() if row["wrong_share"] is None),
    ]
    spoken = f"{title}. " + "; ".join(
        f"{row['audit']}: {share(row['wrong_share'])}, "
        f"{span(row['wrong_share_ci_low'], row['wrong_share_ci_high'])}, "
        f"{row['wrong_records']} of {row['wrong_records'] + row['correct_records']}"
        f"{', alarm' if row['alarm'] else ''}"
        for row in rows.to_dicts()
    )
    return looks.titled(_sized(layers), title, lines, spoken, about)


def progress(pieces: pl.DataFrame, *, about: About = NO_STUDY) -> alt.LayerChart:
    """Records of each task and round by their submitted answers."""
    title = "Records by submitted answers"
    if pieces.is_empty():
        return looks.nothing(f"{title}: no record was sent yet.")
    order = ["no answer", "one", "two or more"]
    colours = alt.Scale(domain=order, range=["#D9D9D9", "#7FB2D6", BLUE])
    base = alt.Chart(looks.data(pieces)).encode(
        y=alt.Y("task:N", title=None, sort=None),
        x=alt.X("records:Q", title="records", stack="zero"),
        order=alt.Order("place:Q"),
    )
    bar = base.mark_bar(stroke="black", strokeWidth=0.5).encode(
        color=alt.Color("answers:N", scale=colours, sort=order, legend=looks.LEGEND),
        tooltip=looks.tooltips(("task", "answers", "said")),
    )
    chart = alt.layer(bar).properties(width=looks.SIZE, height=alt.Step(32))
    spoken = "; ".join(f"{r['task']}, {r['answers']}: {r['said']}" for r in pieces.to_dicts())
    return looks.titled(chart, title, [], f"{title}. {spoken}.", about)


def confusion(pairs: pl.DataFrame, *, about: About = NO_STUDY) -> alt.LayerChart:
    """What two people did with the same candidate: `write`, or what kept each from writing."""
    title = "What two people did with the same candidate"
    if pairs.is_empty():
        return looks.nothing(f"{title}: nothing has two answers yet.")
    base = alt.Chart(looks.data(pairs)).encode(
        x=alt.X("other:N", title="and the other", axis=alt.Axis(labelAngle=-30)),
        y=alt.Y("one:N", title="one of them"),
    )
    scale = alt.Scale(scheme="blues", type="sqrt")
    layers = [
        base.mark_rect(stroke="black", strokeWidth=0.5).encode(
            color=alt.Color("n:Q", scale=scale, legend=None),
            tooltip=looks.tooltips(("one", "other", "n", "share", "split")),
        ),
        base.mark_text(fontSize=12).encode(
            text="n:Q",
            # white on dark squares alone would need a threshold; a halo is readable on all
            stroke=alt.value("white"),
            strokeWidth=alt.value(3),
        ),
        base.mark_text(fontSize=12, color="black").encode(text="n:Q"),
    ]
    chart = alt.layer(*layers).properties(width=alt.Step(56), height=alt.Step(32))
    lines = [
        "A square counts pairs of answers. A name but write: what kept it from being written.",
        "Two different names without write: agreed not to write, for other reasons.",
    ]
    spoken = "; ".join(f"{r['one']} and {r['other']}: {r['n']:,}" for r in pairs.to_dicts())
    return looks.titled(chart, title, lines, f"{title}. {spoken}.", about)


def _limit(limit: float | None) -> list[alt.Chart]:
    if limit is None:
        return []
    base = alt.Chart(alt.InlineData(values=[{"limit": limit}]))
    return [base.mark_rule(color="black", strokeDash=[8, 3]).encode(y="limit:Q")]


def _sized(layers: list[alt.Chart]) -> alt.LayerChart:
    return alt.layer(*layers).properties(width=looks.SIZE, height=HEIGHT)
