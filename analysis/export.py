"""A table as CSV for a spreadsheet: nested columns as JSON, no cell that would run as a formula."""

import json
from pathlib import Path
from typing import Any

import polars as pl

from labelling.console import Outcome, warn_if_stale
from labelling.tables import read, replace_file, study_folder

FORMULA = r"^\s*[=+\-@\t\r＝＋－＠]"
"""What a spreadsheet takes for the beginning of a formula, full-width signs included."""


def export(study: str, name: str, *, to: Path | None = None) -> Outcome:
    """Write a table to `<study>/export/<name>.csv`, or to `to`."""
    table = read(study, name)
    warn_if_stale(study, name)
    path = to or study_folder(study) / "export" / f"{name}.csv"
    replace_file(path, lambda part: flat(table).write_csv(part))
    return Outcome(
        f"exported {name} of study {study!r}",
        read={name: table.height},
        wrote={path.name: table.height},
        where=str(path),
        details={"file": str(path)},
    )


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """Strings that are inert in a spreadsheet, lists and structs as JSON text."""
    return table.with_columns(_column(table[name]) for name in table.columns)


def _column(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested():
        texts = [None if value is None else _json(value) for value in column.to_list()]
        return pl.Series(column.name, texts, pl.String)
    if column.dtype == pl.String:
        dangerous = column.str.contains(FORMULA)
        return pl.select(
            pl.when(dangerous).then(pl.lit("'") + column).otherwise(column).alias(column.name)
        ).to_series()
    return column


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
