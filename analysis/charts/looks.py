"""What all charts share: colours and shapes of gates, axes, bars, whiskers, marks, titles.

A table here has gate, setting and `name`, what its rows are called in the legend. Thick bars are
what the annotators left open, thin lines with ends what the choice of users did.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from textwrap import wrap

import altair as alt
import polars as pl
import polars.selectors as cs

from analysis.about import About, Gate
from labelling.tables.schemas import BASELINE_GATES

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#332288", "#661100", "#000000")
"""Gates: 3:1 or more on white, and apart for the colour-blind; then they come again."""
GREY = "#595959"
"""Yardsticks, which are no gates."""
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
"""One more than colours, so that gates of one colour differ in shape."""
DASHES = ([1, 0], [8, 3], [2, 2], [10, 3, 2, 3])
SIZE = 380
LETTERS = 62
"""In a line under a title."""
LEGEND = alt.Legend(
    title=None,
    orient="bottom",
    columns=2,
    labelLimit=SIZE // 2,
    symbolLimit=0,
    symbolOpacity=1,
)

FAINT = 0.05
_PICKED = alt.selection_point(name="picked", fields=["name"], bind="legend")

Explanation = tuple[str, pl.Expr]
"""A sentence, and whether a row shows what it explains."""
HOLLOW: Explanation = (
    "Hollow: simulated, its precision and recall were put in.",
    pl.col("basis") == "simulated",
)


@dataclass(frozen=True)
class Look:
    """How a gate looks, in every chart."""

    colour: str
    shape: str
    dash: Sequence[int]


Looks = Mapping[str, Look]
"""Name -> look."""


def nothing(sentence: str) -> alt.LayerChart:
    """A chart that says why it is empty."""
    text = alt.Chart(alt.InlineData(values=[{"text": sentence}])).mark_text(fontSize=13)
    layer = alt.layer(text.encode(text="text:N"))
    return layer.properties(width=SIZE, height=60, description=sentence)


def finish(
    chart: alt.LayerChart, title: str, lines: Iterable[str], description: str, about: About
) -> alt.LayerChart:
    """As `titled`, for a chart of gates: a click on one in the legend shows it alone."""
    return titled(chart, title, lines, description, about).add_params(_PICKED)


def titled(
    chart: alt.LayerChart, title: str, lines: Iterable[str], description: str, about: About
) -> alt.LayerChart:
    """The chart with its title, the study's warning and the lines under it, and its description."""
    said = [part for line in (about.sentence, *lines) for part in wrap(line, LETTERS)]
    heading = alt.Title(title, subtitle=said, anchor="start", limit=SIZE + 80)
    spoken = " ".join(filter(None, [description, about.sentence]))
    return chart.properties(title=heading, description=spoken)


def explained(table: pl.DataFrame, explanations: Iterable[Explanation]) -> str:
    """The sentences on what the table's rows show."""
    return " ".join(said for said, shown in explanations if table.select(shown.any()).item())


def apart(field: str) -> pl.Expr:
    """Whether a band is more than a point."""
    return pl.col(f"{field}_low") < pl.col(f"{field}_high")


def data(table: pl.DataFrame) -> alt.InlineData:
    """Every row; NaN and infinity become null, since they are no JSON."""
    finite = pl.when(cs.float().is_finite()).then(cs.float())
    return alt.InlineData(values=table.with_columns(finite).to_dicts())


def looks(table: pl.DataFrame, about: About) -> Looks:
    """Name -> look, in the order of the table; a gate that `about` knows looks the same always."""
    rows = table.select("gate", "setting", "name").unique(maintain_order=True)
    known = about.gates or tuple(rows.select("gate", "setting").unique().sort(pl.all()).iter_rows())
    places = _places(known)
    more = count(len(known))
    return {
        name: _look(gate, places.pop((gate, setting), None), more)
        for gate, setting, name in rows.iter_rows()
    }


def colour(gates: Looks) -> alt.Color:
    """A colour for each name."""
    return alt.Color("name:N", scale=_scale(gates, "colour"), legend=LEGEND)


def shape(gates: Looks) -> alt.Shape:
    """A shape for each name, so that two names that share a colour differ in shape."""
    return alt.Shape("name:N", scale=_scale(gates, "shape"), legend=LEGEND)


def share(channel: str, field: str, title: str) -> alt.X | alt.Y:
    """An axis from 0 to 1."""
    return getattr(alt, channel)(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]))


def opacity(most: float = 1.0) -> alt.Opacity:
    """That of all rows until a name in the legend is clicked; then the others fade."""
    return alt.condition(_PICKED, alt.value(most), alt.value(most * FAINT))


def bars(base: alt.Chart, channel: str, *fields: str) -> list[alt.Chart]:
    """Thick lines from `<field>_low` to `<field>_high`, the first the darkest; null is none."""
    looks = zip(fields, (0.5, 0.25), strict=False)
    return [
        base.mark_rule(strokeWidth=7).encode(**_ends(channel, field), opacity=opacity(most))
        for field, most in looks
    ]


def whisker(base: alt.Chart, channel: str, field: str) -> list[alt.Chart]:
    """A thin line with ends from `<field>_low` to `<field>_high`; where they are null, none."""
    across = "vertical" if channel == "x" else "horizontal"
    end = base.mark_tick(orient=across, size=9, thickness=1.5)
    line = base.mark_rule(strokeWidth=1.5)
    return [
        line.encode(**_ends(channel, field), opacity=opacity()),
        *(
            end.encode(**{channel: f"{field}_{side}:Q"}, opacity=opacity())
            for side in ("low", "high")
        ),
    ]


def plain_whisker(base: alt.Chart, channel: str, field: str = "") -> list[alt.Chart]:
    """A whisker from `low` to `high` (or `<field>_low` …) for a chart that picks no gate."""
    ends = [f"{field}_{side}".strip("_") for side in ("low", "high")]
    across = "vertical" if channel == "x" else "horizontal"
    tick = base.mark_tick(orient=across, size=8, thickness=1.5)
    line = {channel: f"{ends[0]}:Q", f"{channel}2": ends[1]}
    ticks = [tick.encode(**{channel: f"{end}:Q"}) for end in ends]
    return [base.mark_rule(strokeWidth=1.5).encode(**line), *ticks]


def marks(base: alt.Chart, gates: Looks) -> alt.Chart:
    """One mark a row, hollow where what it shows was put in rather than measured."""
    simulated = alt.FieldEqualPredicate(field="basis", equal="simulated")
    return base.mark_point(size=90, strokeWidth=2).encode(
        color=colour(gates),
        shape=shape(gates),
        fill=alt.Fill("name:N", scale=_scale(gates, "colour"), legend=LEGEND),
        fillOpacity=alt.condition(simulated, alt.value(0), alt.value(0.8)),
        opacity=opacity(),
    )


def tooltips(fields: Iterable[str]) -> list[alt.Tooltip]:
    """The fields as they stand in the table."""
    return [alt.Tooltip(f"{field}:N", title=_words(field)) for field in fields]


def _places(gates: Sequence[Gate]) -> dict[Gate, int]:
    """Gates and yardsticks are counted apart: yardsticks use up no colour."""
    kinds = [[g for g in gates if (g[0] in BASELINE_GATES) == yes] for yes in (False, True)]
    return {gate: place for kind in kinds for place, gate in enumerate(kind)}


def _look(gate: str, place: int | None, more: Iterator[int]) -> Look:
    """`more` has places for a gate's further names, its thresholds or variants."""
    at = next(more) if place is None else place
    tone = GREY if gate in BASELINE_GATES else COLOURS[at % len(COLOURS)]
    return Look(tone, SHAPES[at % len(SHAPES)], DASHES[at % len(DASHES)])


def _scale(gates: Looks, what: str) -> alt.Scale:
    return alt.Scale(domain=list(gates), range=[getattr(look, what) for look in gates.values()])


def _ends(channel: str, field: str) -> dict[str, str]:
    return {channel: f"{field}_low:Q", f"{channel}2": f"{field}_high"}


def _words(field: str) -> str:
    return field.removesuffix("_said").replace("_", " ")
