"""Tables for reading in a notebook: frames as escaped HTML, counts beside ratios.

A row of `show` is an operating point; a row of `table` is whatever the frame's row is. What is
undefined shows as "–"; what the row says of a cell stands on it and under the table. Transcripts
and names are untrusted: every text is escaped here, at the door out.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import polars as pl

from analysis import captions
from analysis.captions import UNDEFINED, Row, counted, number, span

STYLE = "text-align:left;max-width:24em;overflow-wrap:break-word"
FIGURE = f"{STYLE};white-space:nowrap"


@dataclass(frozen=True)
class Page:
    """HTML for a notebook, and its plain twin for where HTML is not shown."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Column:
    """A column of `show`: its title, the field whose null it shows, and how a row is written."""

    title: str
    field: str
    text: Callable[[Row], str]


def _interval(title: str, field: str, digits: int = 2) -> Column:
    low, high = f"{field}_ci_low", f"{field}_ci_high"
    return Column(title, low, lambda r: span(r[low], r[high], digits))


def _latency(quantile: str) -> Column:
    field = f"latency_{quantile}_ms"
    return Column(f"latency {quantile} ms", field, lambda r: number(r[field]))


GATE = Column("gate", "name", lambda r: r["name"])
BASIS = Column("basis", "basis", lambda r: r["basis"])
WRITE_RATE = Column(
    "write rate (records of turns)",
    "write_rate",
    lambda r: counted(r["write_rate"], r["records"], r["assistant_turns"]),
)
PRECISION = Column("precision (correct of judged)", "precision", lambda r: r["precision_counted"])
LABEL_BAND = Column(
    "label band (disputed wrong–right)",
    "precision_label_low",
    lambda r: span(r["precision_label_low"], r["precision_label_high"]),
)
OUTER_BAND = Column(
    "outer band (unjudged too)",
    "precision_outer_low",
    lambda r: span(r["precision_outer_low"], r["precision_outer_high"]),
)
DISPUTED = Column("disputed", "disputed_records", lambda r: f"{r['disputed_records']:,}")
UNJUDGED = Column("unjudged", "unjudged_records", lambda r: f"{r['unjudged_records']:,}")
RECALL = Column("recall (of weight)", "recall", lambda r: r["recall_counted"])
RECALL_BAND = Column(
    "recall band (disputed facts)",
    "recall_low",
    lambda r: span(r["recall_low"], r["recall_high"]),
)
FACTS = Column(
    "facts captured",
    "captured_facts",
    lambda r: f"{r['captured_facts']:,} of {r['reference_facts']:,}",
)
WRONG = Column(
    "wrong per 1,000 turns",
    "wrong_per_1000_turns",
    lambda r: number(r["wrong_per_1000_turns"], 1),
)
LATENCIES = (_latency("p50"), _latency("p95"))

COUNTED = (
    GATE,
    BASIS,
    WRITE_RATE,
    PRECISION,
    LABEL_BAND,
    OUTER_BAND,
    DISPUTED,
    UNJUDGED,
    RECALL,
    FACTS,
    WRONG,
    *LATENCIES,
)
"""Each measure with the counts it rests on."""

WITH_INTERVALS = (
    GATE,
    BASIS,
    WRITE_RATE,
    _interval("write rate 95% interval", "write_rate", 3),
    PRECISION,
    _interval("precision 95% interval", "precision"),
    LABEL_BAND,
    OUTER_BAND,
    RECALL,
    _interval("recall 95% interval", "recall"),
    RECALL_BAND,
    WRONG,
    _interval("wrong per 1,000 95% interval", "wrong_per_1000_turns", 1),
)
"""Each measure with what chance and the annotators leave open."""


def show(points: pl.DataFrame, columns: Sequence[Column] = COUNTED) -> Page:
    """Operating points as a table, a row each, in the order given."""
    if points.is_empty():
        return sentence("No operating points: nothing was scored.")
    rows = captions.with_counts(captions.named(points)).to_dicts()
    body = [[_point_cell(column, row) for column in columns] for row in rows]
    notes = "".join(f"<li>{escape(captions.plain(note))}</li>" for note in _notes(rows, columns))
    html = _html([c.title for c in columns], body) + f"<ul>{notes}</ul>" * bool(notes)
    return Page(html, captions.describe_points(points))


def table(rows: pl.DataFrame) -> Page:
    """Any frame as a table, every value as escaped text, null as "–", 4 digits of a fraction."""
    if rows.is_empty():
        return sentence("No rows.")
    body = [[_cell(_written(value)) for value in row] for row in rows.rows()]
    titles = [name.replace("_", " ") for name in rows.columns]
    return Page(_html(titles, body), f"A table of {rows.height} rows: {', '.join(titles)}.")


def sentence(text: str) -> Page:
    """A sentence as a paragraph."""
    return Page(f"<p>{escape(text)}</p>", text)


def sentences(texts: Sequence[str], otherwise: str) -> Page:
    """Sentences as a list, or what to say where there are none."""
    if not texts:
        return sentence(otherwise)
    items = "".join(f"<li>{escape(captions.plain(text))}</li>" for text in texts)
    return Page(f"<ul>{items}</ul>", "\n".join(texts))


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    return UNDEFINED if value is None else str(value)


def _why(row: Row, field: str) -> str:
    """What the row says about a field: why it is undefined, or on what it rests."""
    unsaid = "no reason recorded" if row[field] is None else ""
    return captions.reason(row, field) or unsaid


def _notes(rows: Sequence[Row], columns: Iterable[Column]) -> list[str]:
    """A line for each reason and the gates that share it: the columns it speaks of."""
    spoken: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for column in columns:
        for why, names in _whose(rows, column).items():
            spoken.setdefault((why, tuple(names)), []).append(column.title)
    return [
        f"{', '.join(titles)}: {why} ({_named(names, len(rows))})"
        for (why, names), titles in spoken.items()
    ]


def _whose(rows: Sequence[Row], column: Column) -> dict[str, list[str]]:
    """Reason -> the gates that give it for the column."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if why := _why(row, column.field):
            names.setdefault(why, []).append(captions.short(row["name"]))
    return names


def _named(names: Sequence[str], rows: int) -> str:
    return "all" if len(names) == rows > 1 else ", ".join(names)


def _cell(text: str, why: str = "", style: str = STYLE) -> str:
    title = f' title="{escape(captions.plain(why))}"' if why else ""
    return f'<td style="{style}"{title}>{escape(captions.plain(text))}</td>'


def _point_cell(column: Column, row: Row) -> str:
    style = STYLE if column.field == "name" else FIGURE
    return _cell(column.text(row), _why(row, column.field), style)


def _html(titles: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    heads = "".join(
        f'<th scope="col" style="{STYLE}">{escape(captions.plain(title))}</th>' for title in titles
    )
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in body)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
