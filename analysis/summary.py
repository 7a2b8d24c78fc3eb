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


COLUMNS = (
    Column("gate", "name", lambda r: r["name"]),
    Column("basis", "basis", lambda r: r["basis"]),
    Column(
        "write rate (records of turns)",
        "write_rate",
        lambda r: counted(r["write_rate"], r["records"], r["assistant_turns"]),
    ),
    Column(
        "precision (correct of judged)",
        "precision",
        lambda r: r["precision_counted"],
    ),
    Column(
        "label band (disputed wrong–right)",
        "precision_label_low",
        lambda r: span(r["precision_label_low"], r["precision_label_high"]),
    ),
    Column(
        "outer band (unjudged too)",
        "precision_outer_low",
        lambda r: span(r["precision_outer_low"], r["precision_outer_high"]),
    ),
    Column("disputed", "disputed_records", lambda r: f"{r['disputed_records']:,}"),
    Column("unjudged", "unjudged_records", lambda r: f"{r['unjudged_records']:,}"),
    Column(
        "recall (of weight)",
        "recall",
        lambda r: r["recall_counted"],
    ),
    Column(
        "facts captured",
        "captured_facts",
        lambda r: f"{r['captured_facts']:,} of {r['reference_facts']:,}",
    ),
    Column(
        "wrong per 1,000 turns",
        "wrong_per_1000_turns",
        lambda r: (
            UNDEFINED if r["wrong_per_1000_turns"] is None else f"{r['wrong_per_1000_turns']:,.1f}"
        ),
    ),
    Column("latency p50 ms", "latency_p50_ms", lambda r: number(r["latency_p50_ms"])),
    Column("latency p95 ms", "latency_p95_ms", lambda r: number(r["latency_p95_ms"])),
)


def show(points: pl.DataFrame) -> Page:
    """Operating points as a table, a row each, in the order given."""
    if points.is_empty():
        return sentence("No operating points: nothing was scored.")
    rows = captions.with_counts(captions.named(points)).to_dicts()
    body = [[_point_cell(column, row) for column in COLUMNS] for row in rows]
    notes = "".join(f"<li>{escape(captions.plain(note))}</li>" for note in _notes(rows))
    html = _html([c.title for c in COLUMNS], body) + f"<ul>{notes}</ul>" * bool(notes)
    return Page(html, captions.describe_points(points))


def table(rows: pl.DataFrame) -> Page:
    """Any frame as a table, every value as escaped text, null as "–"."""
    if rows.is_empty():
        return sentence("No rows.")
    body = [[_cell(UNDEFINED if v is None else str(v)) for v in row] for row in rows.rows()]
    titles = [name.replace("_", " ") for name in rows.columns]
    return Page(_html(titles, body), f"A table of {rows.height} rows: {', '.join(titles)}.")


def sentence(text: str) -> Page:
    """A sentence as a paragraph."""
    return Page(f"<p>{escape(text)}</p>", text)


def _why(row: Row, field: str) -> str:
    """What the row says about a field: why it is undefined, or on what it rests."""
    unsaid = "no reason recorded" if row[field] is None else ""
    return captions.reason(row, field) or unsaid


def _notes(rows: Sequence[Row]) -> list[str]:
    """A line for each reason and the gates that share it: the columns it speaks of."""
    columns: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for column in COLUMNS:
        for why, names in _whose(rows, column).items():
            columns.setdefault((why, tuple(names)), []).append(column.title)
    return [
        f"{', '.join(titles)}: {why} ({_named(names, len(rows))})"
        for (why, names), titles in columns.items()
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
