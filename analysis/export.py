"""A table as CSV for a spreadsheet: nested columns as JSON, no cell that would run as a formula.

A regular file is replaced whole, where a link leads; a device or a pipe is written through. What
lies in the data folder is the studies' own, but for their folders `export`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import polars as pl

from labelling.console import Outcome, warn_if_stale
from labelling.tables import InputError, data_folder, read, replace_file, study_folder

STDOUT = "-"
FORMULA = r"^\s*[=+\-@\t\r＝＋－＠]"
"""What a spreadsheet takes for the beginning of a formula, full-width signs included."""


def export(study: str, name: str, *, to: Path | None = None) -> Outcome:
    """Write a table to `<study>/export/<name>.csv`, or to `to`.

    Raises InputError for a place that cannot be written or holds the studies' own tables.
    """
    path = study_folder(study) / "export" / f"{name}.csv" if to is None else _allowed(to)
    table = _table(study, name)
    if path.exists() and not (path.is_file() or path.is_dir()):
        _write_through(path, table.write_csv())
    else:
        replace_file(path, table.write_csv)
    return Outcome(
        f"exported {name} of study {study!r}",
        read={name: table.height},
        wrote={path.name: table.height},
        where=str(path),
        details={"file": str(path)},
    )


def csv(study: str, name: str) -> str:
    """The text that `export` writes."""
    return _table(study, name).write_csv()


def is_stdout(path: Path) -> bool:
    """Whether a path is `-`, or whatever standard output leads to, as /dev/stdout is."""
    if str(path) == STDOUT:
        return True
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # there is none of the two, or it is no file
        return False


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """Strings that are inert in a spreadsheet, lists and structs as JSON text."""
    return table.with_columns(_column(table[name]) for name in table.columns)


def _table(study: str, name: str) -> pl.DataFrame:
    table = read(study, name)
    warn_if_stale(study, name)
    return flat(table)


def _allowed(path: Path) -> Path:
    """Where a path leads, links followed; InputError where nothing may be exported to."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError(f"{path} is a link that leads back to itself", then="choose another -o")
    if not _is_free(target):
        raise InputError(
            f"{path} lies in the data folder {data_folder()}, where studies keep their tables",
            expected="a place outside it, or in a study's folder `export`",
            then="choose another -o",
        )
    if target.is_dir():
        raise InputError(f"{path} is a folder", then=f"name a file, as -o {path}/table.csv")
    if path.exists() and not target.exists():  # a pipe that has no name but its link
        return path
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}", then="make it or choose another -o")
    return target


def _is_free(target: Path) -> bool:
    data = Path(os.path.realpath(data_folder()))
    if not target.is_relative_to(data):
        return True
    return len(target.parts) > len(data.parts) + 2 and target.parts[len(data.parts) + 1] == "export"


def _write_through(path: Path, text: str) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as handle:
            handle.write(text)
    except OSError as error:
        why = error.strerror or error
        raise InputError(
            f"{path} could not be written ({why})", then="choose another -o"
        ) from error


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
