"""The words about measured gates: names, counts beside ratios, descriptions and captions.

A row is an operating point (a gate at one setting and threshold) or, for recall by form, a gate and
an evidence form. How numbers are written is up to `analysis.figures`. All texts are plain: whoever
puts them into HTML escapes them. Nothing here computes a measure.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from analysis.about import NO_STUDY, About
from analysis.figures import counted, rate, share, span

OPTIMISTIC = "agreed-only precision is usually optimistic"
SPOKEN = 12
"""Gates that a spoken description lists; the table beside the chart lists all."""

# Control characters break lines, bidirectional overrides turn the text around them
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_NAME_PARTS = ("setting", "threshold", "split", "variant")
_COUNT_OF = {
    "precision": "records",
    "recall": "reference_facts",
    "wrong_per_1000_turns": "records",
    "captured_per_1000_turns": "assistant_turns",
}
"""The count that says most about why a measure is undefined."""

_WHOLE = {"p_holm": "p (Holm)", "ci_low": "95% interval"}
_ENDS = {
    "_ci_low": ", 95% interval",
    "_label_low": ", disputed wrong–right",
    "_outer_low": ", unjudged too",
    "recall_low": "recall, disputed missed–captured",
}

Row = Mapping[str, Any]


def plain(text: str) -> str:
    """Text on one line, without characters that rearrange what stands around it."""
    return _UNPRINTABLE.sub(" ", text)


def short(text: str, most: int = 40) -> str:
    """Text of at most so many characters, cut at the end.

    >>> short("a long name", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def judged(row: Row) -> int:
    """Records that count in precision."""
    return int(row["correct_records"] + row["wrong_records"])


def reason(row: Row, column: str) -> str:
    """Why a column of the row is undefined, "" where the row does not say."""
    listed = (r["reason"] for r in row.get("reasons") or () if r["column"] == column)
    return next(listed, "")


def named(table: pl.DataFrame, parts: Iterable[str] = _NAME_PARTS) -> pl.DataFrame:
    """The table with a column `name`: the gate, and what tells its rows of this table apart."""
    varying = [c for c in parts if c in table.columns and _varies(table, c)]
    names = [" · ".join(_part(row, c) for c in ("gate", *varying)) for row in table.to_dicts()]
    return table.with_columns(pl.Series("name", names, dtype=pl.String))


def named_alike(points: pl.DataFrame, curve: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables with a column `name` that is the same for a gate as it ran and its thresholds."""
    both = named(pl.concat([points, curve]), ("setting", "split", "variant"))
    return both.head(points.height), both.tail(curve.height)


def in_words(table: pl.DataFrame, about: About = NO_STUDY) -> pl.DataFrame:
    """The table with columns `<column>_said`: ratios with their counts, numbers as written.

    Of those that a table of points or forms has: recall, precision, write_rate, basis, threshold,
    wrong_per_1000_turns, captured_per_1000_turns.
    """
    words: dict[str, Callable[[Row], str]] = {**_SAID, "basis": lambda r: about.basis(r["basis"])}
    rows = table.to_dicts()
    return table.with_columns(
        pl.Series(f"{column}_said", [say(row) for row in rows], dtype=pl.String)
        for column, say in words.items()
        if column in table.columns
    )


def undefined(points: pl.DataFrame, columns: Sequence[str] = ("precision", "recall")) -> list[str]:
    """A line for each point that a chart cannot place: what is missing, whose, on what counts."""
    return [
        _missing(row, column) for row in _rows(points) for column in columns if row[column] is None
    ]


def gaps(curve: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """A line for each named gate with thresholds that a chart cannot place: how many of all."""
    missing = pl.any_horizontal(pl.col(column).is_null() for column in columns)
    rows = curve.group_by("name", maintain_order=True).agg(missing.sum().alias("gaps"), pl.len())
    return [
        f"not on the line: {short(name)} at {few:,} of {many:,} drawn thresholds (undefined)"
        for name, few, many in rows.filter(pl.col("gaps") > 0).iter_rows()
    ]


def describe_points(points: pl.DataFrame, curve: pl.DataFrame | None = None) -> str:
    """A precision/recall chart for those who cannot see it; `curve` has its names."""
    rows = _rows(points)
    lines = [] if curve is None else [_line(name, rows) for name, rows in _lines(curve)]
    said = _spoken(f"Precision against recall of {len(rows)} gate settings", map(_point, rows))
    return f"{said} {_spoken('Over their thresholds', lines)}" if lines else said


def describe_rates(points: pl.DataFrame, workload: pl.DataFrame) -> str:
    """A chart of facts captured against wrong records for those who cannot see it."""
    rows = _rows(points)
    title = f"Facts captured against wrong records per 1,000 turns of {len(rows)} gate settings"
    days = workload.select("label", "wrong_per_1000_turns").iter_rows()
    lines = [f"{label} at {rate:,.4g} per 1,000 turns" for label, rate in days]
    said = _spoken(title, map(_rates, rows))
    return f"{said} {_spoken('Lines of equal work', lines)}" if lines else said


def describe_forms(forms: pl.DataFrame) -> str:
    """A chart of recall by evidence form for those who cannot see it."""
    rows = named(forms).to_dicts()
    return _spoken("Recall by evidence form", map(_form, rows))


def caption(points: pl.DataFrame, about: About, *more: str) -> str:
    """One sentence: basis, split, how much was judged, the band, and how far to trust it.

    `more` is what else the chart or table above it rests on.
    """
    if points.is_empty():
        return f"No operating points in study {about.study}: nothing was scored."
    parts = [_provenance(points, about), _amounts(points), *more, _band(points), _intervals(points)]
    return "; ".join(filter(None, [*parts, OPTIMISTIC, about.warning])) + "."


def drawn(curve: pl.DataFrame, thinned: pl.DataFrame) -> str:
    """How many thresholds of how many gates there are, and how many of them a chart shows."""
    if curve.is_empty():
        return "no gate has scores, so there is no line over thresholds"
    gates = curve.select("gate", "setting").n_unique()
    return f"{thinned.height:,} of {curve.height:,} thresholds drawn, gates with scores: {gates}"


def _varies(table: pl.DataFrame, column: str) -> bool:
    return table.select("gate", column).n_unique() > table["gate"].n_unique()


def _part(row: Row, column: str) -> str:
    if column == "threshold":
        return "as run" if row[column] is None else f"score ≥ {row[column]:g}"
    return plain(str(row[column]))


def _rows(table: pl.DataFrame) -> Sequence[Row]:
    """The rows with their names."""
    return (table if "name" in table.columns else named(table)).to_dicts()


def _missing(row: Row, column: str) -> str:
    count, why = row[_COUNT_OF[column]], reason(row, column)
    counts = f"{count:,} {words(_COUNT_OF[column])}" + (f"; {why}" if why and count else "")
    return f"no {words(column)}: {short(row['name'])} ({counts})"


def words(column: str) -> str:
    """A column's name for people; one end of an interval or band stands for both.

    >>> words("wrong_per_1000_turns"), words("precision_ci_low"), words("p_holm")
    ('wrong records per 1,000 turns', 'precision, 95% interval', 'p (Holm)')
    """
    if column in _WHOLE:
        return _WHOLE[column]
    for end, said in _ENDS.items():
        column = f"{column.removesuffix(end)}{said}" if column.endswith(end) else column
    return column.replace("_per_1000_turns", " records per 1,000 turns").replace("_", " ")


def _precision(row: Row) -> str:
    if "correct_records" not in row:
        return share(row["precision"])
    return counted(row["precision"], row["correct_records"], judged(row))


def _write_rate(row: Row) -> str:
    if "records" not in row:
        return share(row["write_rate"])
    return counted(row["write_rate"], row["records"], row["assistant_turns"])


def _recall(row: Row) -> str:
    if "reference_facts" not in row:
        return share(row["recall"])
    unit = "weight" if "reference_weight" in row else "facts"
    return counted(row["recall"], row[f"captured_{unit}"], row[f"reference_{unit}"])


def _point(row: Row) -> str:
    simulated = ", simulated" if row["basis"] == "simulated" else ""
    return f"{short(row['name'])}: precision {_precision(row)}, recall {_recall(row)}{simulated}"


def _lines(curve: pl.DataFrame) -> Iterator[tuple[str, Sequence[Row]]]:
    """Name and rows of each gate with more than one threshold, from the lowest."""
    for (name,), rows in curve.sort("threshold").group_by("name", maintain_order=True):
        if rows.height > 1:
            yield str(name), rows.to_dicts()


def _line(name: str, rows: Sequence[Row]) -> str:
    ends = (
        f"at score ≥ {r['threshold']:.3g} precision {share(r['precision'])}, recall "
        f"{share(r['recall'])}"
        for r in (rows[0], rows[-1])
    )
    return f"{short(name)}: {' and '.join(ends)}"


def _rates(row: Row) -> str:
    simulated = ", simulated" if row["basis"] == "simulated" else ""
    captured, wrong = row["captured_per_1000_turns"], row["wrong_per_1000_turns"]
    return f"{short(row['name'])}: {rate(captured)} facts, {rate(wrong)} wrong{simulated}"


def _form(row: Row) -> str:
    return f"{short(row['name'])}, {row['evidence_form']}: {_recall(row)}"


def _spoken(title: str, parts: Iterable[str]) -> str:
    texts = list(parts)
    rest = [f"and {len(texts) - SPOKEN} more in the table"] if len(texts) > SPOKEN else []
    return f"{title}. " + "; ".join([*texts[:SPOKEN], *rest]) + "."


def _provenance(points: pl.DataFrame, about: About) -> str:
    variants = "" if _values(points, "variant") == "headline" else _values(points, "variant") + ", "
    partner = _values(points, "partner")
    return (
        f"Study {about.study}, {variants}{_values(points, 'split')} users, basis "
        f"{about.basis(_values(points, 'basis'))}, {_values(points, 'reference_kind')} reference: "
        f"{_range(points, 'assistant_turns')} {partner} turns"
    )


def _amounts(points: pl.DataFrame) -> str:
    decided = points.select(judged=pl.col("correct_records") + pl.col("wrong_records"))
    return (
        f"{_range(points, 'records')} records a gate, {_range(decided, 'judged')} of them judged, "
        f"{_range(points, 'reference_facts')} reference facts"
    )


def _band(points: pl.DataFrame) -> str:
    """The widest label band, the one that says most about what the disagreements could change."""
    low, high = pl.col("precision_label_low"), pl.col("precision_label_high")
    banded = named(points).filter(low < high)
    widest = banded.sort(high - low, descending=True, maintain_order=True).head(1).to_dicts()
    return "".join(
        "with the disputed records all wrong or all right precision is "
        f"{span(row['precision_label_low'], row['precision_label_high'])} for {short(row['name'])}"
        + (", the widest band" if banded.height > 1 else "")
        for row in widest
    )


def _intervals(points: pl.DataFrame) -> str:
    methods = points["interval_method"].drop_nulls().unique(maintain_order=True).to_list()
    return f"95% intervals: {plain(', '.join(methods))}" if methods else "no intervals"


def _values(points: pl.DataFrame, column: str) -> str:
    return plain(" and ".join(str(v) for v in points[column].unique().sort()))


def _range(points: pl.DataFrame, column: str) -> str:
    few, many = points.select(pl.col(column).min().alias("l"), pl.col(column).max().alias("h")).row(
        0
    )
    return f"{few:,}" if few == many else f"{few:,}–{many:,}"


_SAID: Mapping[str, Callable[[Row], str]] = {
    "precision": _precision,
    "recall": _recall,
    "write_rate": _write_rate,
    "threshold": lambda row: share(row["threshold"]),
    "wrong_per_1000_turns": lambda row: rate(row["wrong_per_1000_turns"]),
    "captured_per_1000_turns": lambda row: rate(row["captured_per_1000_turns"]),
}
