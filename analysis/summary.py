"""Tables for reading in a notebook: frames as escaped HTML, counts beside ratios.

A row of `show` is an operating point; a row of `table` is whatever the frame's row is. What is
undefined shows as "–", with its reason on the cell and under the table. Transcripts and names are
untrusted: every text is escaped here, at the door out.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import polars as pl

from analysis import captions
from analysis.captions import UNDEFINED, Row, counted, number, span

STYLE = "text-align:left;overflow-wrap:anywhere"


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
        "write rate (records of assistant turns)",
        "write_rate",
        lambda r: counted(r["write_rate"], r["records"], r["assistant_turns"]),
    ),
    Column(
        "precision (correct of judged)",
        "precision",
        lambda r: r["precision_counted"],
    ),
    Column(
        "disputed wrong–right",
        "precision_label_low",
        lambda r: span(r["precision_label_low"], r["precision_label_high"]),
    ),
    Column(
        "unjudged too",
        "precision_outer_low",
        lambda r: span(r["precision_outer_low"], r["precision_outer_high"]),
    ),
    Column("disputed", "disputed_records", lambda r: f"{r['disputed_records']:,}"),
    Column("unjudged", "unjudged_records", lambda r: f"{r['unjudged_records']:,}"),
    Column(
        "recall (captured of reference weight)",
        "recall",
        lambda r: r["recall_counted"],
    ),
    Column(
        "facts captured",
        "captured_facts",
        lambda r: f"{r['captured_facts']:,} of {r['reference_facts']:,}",
    ),
    Column(
        "wrong records per 1,000 turns",
        "wrong_per_1000_turns",
        lambda r: (
            UNDEFINED if r["wrong_per_1000_turns"] is None else f"{r['wrong_per_1000_turns']:,.1f}"
        ),
    ),
    Column("latency p50, ms", "latency_p50_ms", lambda r: number(r["latency_p50_ms"])),
    Column("latency p95, ms", "latency_p95_ms", lambda r: number(r["latency_p95_ms"])),
)


def show(points: pl.DataFrame) -> Page:
    """Operating points as a table, a row each, in the order given."""
    if points.is_empty():
        return sentence("No operating points: nothing was scored.")
    rows = captions.with_counts(captions.named(points)).to_dicts()
    body = [[_cell(c.text(row), _why(row, c.field)) for c in COLUMNS] for row in rows]
    notes = "".join(f"<li>{escape(note)}</li>" for note in _notes(rows))
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
    """The reason of an undefined field, "" of a defined one."""
    return "" if row[field] is not None else captions.reason(row, field) or "no reason recorded"


def _notes(rows: Sequence[Row]) -> list[str]:
    """A line for each reason: which column of which gates is undefined because of it."""
    whose: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for column in COLUMNS:
            if why := _why(row, column.field):
                whose.setdefault((column.title, why), []).append(row["name"])
    return [f"– {title}, {', '.join(names)}: {why}" for (title, why), names in whose.items()]


def _cell(text: str, why: str = "") -> str:
    title = f' title="{escape(captions.plain(why))}"' if why else ""
    return f'<td style="{STYLE}"{title}>{escape(captions.plain(text))}</td>'


def _html(titles: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(captions.plain(title))}</th>' for title in titles)
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in body)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
