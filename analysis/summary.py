"""Tables for reading in a notebook: frames as escaped HTML, counts beside ratios.

A row of `show` is a row of the frame, written by columns of `analysis.columns`; `table` takes any
frame. What is undefined shows as "–"; what the row says of a cell stands on it and under the table.
Wide tables scroll, their first column stays. Transcripts and names are untrusted: every text is
escaped here, at the door out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

import polars as pl

from analysis import captions
from analysis.about import NO_STUDY, About
from analysis.captions import Row
from analysis.columns import MEASURED, Column, Line
from analysis.figures import UNDEFINED, p_value, plainly

STYLE = "text-align:left;vertical-align:top;max-width:24em;overflow-wrap:break-word"
FIGURE = f"{STYLE};white-space:nowrap"
FIRST = f"{STYLE};position:sticky;left:0;background:var(--jp-layout-color0,white);max-width:12em"
CAPTION = "caption-side:top;text-align:left;padding:0 0 .5em"
SCROLLS = "overflow-x:auto;max-width:100%"
PASSAGE = "max-height:20em;overflow-y:auto;max-width:48em"
UNBROKEN = 24
"""Letters of a cell that stay on one line."""
P_VALUES = ("p", "p_holm")
NO_ROWS = "No rows."

Cell = tuple[str, str]
"""What stands in a cell, and what is said of it."""


@dataclass(frozen=True)
class Page:
    """HTML for a notebook, and its plain twin for where HTML is not shown."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def show(
    rows: pl.DataFrame,
    columns: Sequence[Column] = MEASURED,
    *,
    about: About = NO_STUDY,
    otherwise: str = NO_ROWS,
) -> Page:
    """A row for each row, in the order given; rows without a name are named by their gate.

    `otherwise` is said where there is no row.
    """
    if rows.is_empty():
        return sentence(otherwise, about=about)
    named = rows if "name" in rows.columns else captions.named(rows)
    given = captions.in_words(named, about).to_dicts()
    titles = [column.title for column in columns]
    body = [[_written(column, row) for column in columns] for row in given]
    notes = "".join(f"<li>{_safe(note)}</li>" for note in _notes(given, columns))
    html = _html(titles, body, about) + f"<ul>{notes}</ul>" * bool(notes)
    return Page(html, _twin(titles, rows.height, about))


def table(
    rows: pl.DataFrame, *, linked: str = "", about: About = NO_STUDY, otherwise: str = NO_ROWS
) -> Page:
    """Any frame as a table: every value as escaped text, null as "–", fractions in short.

    `linked`: the column of web addresses, which are shown as links.
    """
    if rows.is_empty():
        return sentence(otherwise, about=about)
    titles = [captions.words(name) for name in rows.columns]
    body = [
        [(_value(name, value), "") for name, value in row.items()]
        for row in rows.iter_rows(named=True)
    ]
    html = _html(titles, body, about)
    for address in rows[linked].unique() if linked else ():
        if address.startswith(("http://", "https://")):
            link = f'><a href="{_safe(address)}" target="_blank" rel="noopener">open</a><'
            html = html.replace(f">{_safe(address)}<", link)
    return Page(html, _twin(titles, rows.height, about))


def sentence(text: str, *, about: About = NO_STUDY) -> Page:
    """A sentence as a paragraph."""
    said = " ".join(filter(None, [text, about.sentence]))
    return Page(f"<p>{escape(said)}</p>", said)


def sentences(texts: Sequence[str], otherwise: str, *, about: About = NO_STUDY) -> Page:
    """Sentences as a list, or what to say where there are none."""
    if not texts:
        return sentence(otherwise, about=about)
    said = list(filter(None, [*texts, about.sentence]))
    return Page(f"<ul>{''.join(f'<li>{_safe(text)}</li>' for text in said)}</ul>", "\n".join(said))


def alert(text: str) -> Page:
    """A sentence that a screen reader says as soon as it is there."""
    return Page(f'<p role="alert">{_safe(text)}</p>', text)


def passage(turns: pl.DataFrame, evidence: Iterable[Row]) -> Page:
    """Turns of one session as they were said; `evidence` {turn, role, start, end} is marked."""
    marked: dict[int, list[tuple[int, int]]] = {}
    for one in evidence:
        marked.setdefault(one["turn"], []).append((one["start"], one["end"]))
    said = turns.select("turn", "role", "text").iter_rows()
    html = "".join(
        f"<p><b>{turn} {_safe(role)}:</b> {_marked(text, marked.get(turn, ()))}</p>"
        for turn, role, text in said
    )
    return Page(f'<div style="{PASSAGE}" tabindex="0">{html}</div>', f"{turns.height} turns")


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with its spans, which may overlap, marked."""
    inside = {place for start, end in spans for place in range(start, min(end, len(text)))}
    parts = groupby(range(len(text)), lambda place: place in inside)
    pieces = ((yes, _safe("".join(text[place] for place in places))) for yes, places in parts)
    return "".join(f"<mark>{piece}</mark>" if yes else piece for yes, piece in pieces)


def _value(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return UNDEFINED if value is None else str(value)
    if name in P_VALUES:
        return p_value(value)
    return plainly(value) if isinstance(value, float) else f"{value:,}"


def _written(column: Column, row: Row) -> Cell:
    """The lines of a cell, and what the row says of them."""
    lines = [(line.field, text) for line in column.lines if (text := line.write(row))]
    reasons = dict.fromkeys(filter(None, (_why(row, field) for field, _ in lines)))
    return "\n".join(text for _, text in lines), "; ".join(reasons)


def _why(row: Row, field: str) -> str:
    """What the row says about a field: why it is undefined, or on what it rests."""
    if said := captions.reason(row, field):
        return said
    return (row.get("reason") or _uncounted(row, field)) if row.get(field) is None else ""


def _uncounted(row: Row, field: str) -> str:
    """Why a measure is undefined, by the counts of a row that gives no reason."""
    if field.startswith("precision") and "correct_records" in row and not captions.judged(row):
        return "no judged records"
    if field.startswith("recall") and not row.get("reference_facts", 1):
        return "no reference facts"
    return "no reason recorded"


def _notes(rows: Sequence[Row], columns: Iterable[Column]) -> list[str]:
    """A line for each reason and the rows that share it: the fields it speaks of."""
    spoken: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for line in {line.field: line for column in columns for line in column.lines}.values():
        for why, names in _whose(rows, line).items():
            spoken.setdefault((why, tuple(names)), []).append(captions.words(line.field))
    return [
        f"{', '.join(fields)}: {why} ({_named(names, len(rows))})"
        for (why, names), fields in spoken.items()
    ]


def _whose(rows: Sequence[Row], line: Line) -> dict[str, list[str]]:
    """Reason -> the rows that give it for the line."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if line.write(row) and (why := _why(row, line.field)):
            names.setdefault(why, []).append(captions.short(row["name"]))
    return names


def _named(names: Sequence[str], rows: int) -> str:
    return "all" if len(names) == rows > 1 else ", ".join(dict.fromkeys(names))


def _twin(titles: Sequence[str], rows: int, about: About) -> str:
    said = f"A table of {rows} rows: {', '.join(titles)}."
    return " ".join(filter(None, [said, about.sentence]))


def _safe(text: str) -> str:
    return escape(captions.plain(text))


def _html(titles: Sequence[str], body: Iterable[Sequence[Cell]], about: About) -> str:
    said = f'<caption style="{CAPTION}">{_safe(about.sentence)}</caption>' * bool(about.sentence)
    heads = "".join(
        f'<th scope="col" style="{STYLE if place else FIRST}">{_safe(title)}</th>'
        for place, title in enumerate(titles)
    )
    rows = "".join(f"<tr>{_cell('th', FIRST, *first)}{_cells(rest)}</tr>" for first, *rest in body)
    table = f"<table>{said}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div style="{SCROLLS}" tabindex="0">{table}</div>'


def _cells(cells: Iterable[Cell]) -> str:
    return "".join(_cell("td", FIGURE if _short(text) else STYLE, text, why) for text, why in cells)


def _cell(tag: str, style: str, text: str, why: str) -> str:
    head = ' scope="row"' if tag == "th" else ""
    title = f' title="{_safe(why)}"' if why else ""
    lines = "<br>".join(_safe(line) for line in text.split("\n"))
    return f'<{tag}{head} style="{style}"{title}>{lines}</{tag}>'


def _short(text: str) -> bool:
    return max(map(len, text.split("\n"))) <= UNBROKEN
