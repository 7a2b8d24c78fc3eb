"""Taking a person's answers out of a study, or their name, whichever tables they are in.

Out: a table with a column `annotator` loses that person's rows and is else as it was. A table that
was made from such ones and names the person is removed, since its command makes it again; so is an
exported file that names the person.
"""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from labelling.tables.schemas import SCHEMAS, columns
from labelling.tables.store import exists, metadata, read, study_folder, table_path, write

EXPORTS = "export"
"""The folder of a study where `gates export` writes."""

SHEET_REJECTS = "audit-labels-rejects.jsonl"
"""Lines of sheets that fit nothing: the files they name may be called after who filled them in."""


@dataclass(frozen=True)
class Struck:
    """Rows taken out by table, and tables and files that were removed."""

    rows: dict[str, int]
    removed: list[str]


def strike(study: str, names: Collection[str]) -> Struck:
    """Take out what the annotators called `names` answered; the study's lock is held by the caller.

    Raises InputError for a table that cannot be read; the tables before it are done by then.
    """
    there = [name for name in SCHEMAS if exists(study, name) and _places(name)]
    rows = {name: _strike(study, name, names) for name in _own(study)}
    derived = [name for name in there if name not in rows and _names(read(study, name), names)]
    for name in derived:
        table_path(study, name).unlink()
    files = _exported(study, names)
    return Struck({name: n for name, n in rows.items() if n}, [*derived, *files])


def unlist(study: str, names: Collection[str]) -> list[str]:
    """Remove the list of a sheet's unfit lines where a file in it is called after somebody."""
    file = study_folder(study) / SHEET_REJECTS
    said = file.read_text(encoding="utf-8").casefold() if file.is_file() else ""
    if not any(name.casefold() in said for name in names):
        return []
    file.unlink()
    return [file.name]


def called(study: str, names: Collection[str]) -> bool:
    """Whether a table of the study knows an annotator by one of the names."""
    return any(read(study, n)["annotator"].is_in(list(names)).any() for n in _own(study))


def rename(study: str, name: str, alias: str) -> None:
    """Call an annotator by the pseudonym; where both answered the same, the pseudonym's stays."""
    for own in _own(study):
        table = read(study, own)
        under = table.with_columns(pl.col("annotator").replace(name, alias))
        first = under.with_row_index("_row").sort(table["annotator"] == name, maintain_order=True)
        kept = first.unique(SCHEMAS[own].primary_key(), keep="first").sort("_row").drop("_row")
        if not kept.equals(table):
            _rewrite(study, own, kept)


def _own(study: str) -> list[str]:
    """The tables there are whose rows are an annotator's."""
    return [name for name in SCHEMAS if exists(study, name) and "annotator" in columns(name)]


def _strike(study: str, name: str, names: Collection[str]) -> int:
    table = read(study, name)
    kept = table.filter(~pl.col("annotator").is_in(list(names)))
    if kept.height < table.height:
        _rewrite(study, name, kept)
    return table.height - kept.height


def _rewrite(study: str, name: str, table: pl.DataFrame) -> None:
    """Its origin stays what it was: it is no newer for lacking some rows."""
    known = {k: v for k, v in metadata(study, name).items() if k.startswith("gates_")}
    write(study, name, table, notes=known)


def _places(name: str) -> list[str]:
    """The columns of a table in which an annotator may be named."""
    return [c for c, dtype in columns(name).items() if _place(c, dtype)]


def _place(column: str, dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct):
        return any(field.name == "annotator" for field in dtype.inner.fields)
    return column.startswith("annotator") or column == "variant"


def _names(table: pl.DataFrame, names: Collection[str]) -> bool:
    """Whether the derived table names somebody: alone, as `annotator:<id>`, or in a list."""
    places = [c for c, dtype in table.schema.items() if _place(c, dtype)]
    said = table.select(places).write_ndjson()
    return any(f'"{form}"' in said for name in names for form in (name, f"annotator:{name}"))


def _exported(study: str, names: Collection[str]) -> list[str]:
    """Remove exported files that name somebody."""
    files = [f for f in (study_folder(study) / EXPORTS).glob("*.csv") if f.is_file()]
    named = [f for f in files if any(name.encode() in f.read_bytes() for name in names)]
    for file in named:
        file.unlink()
    return [f"{EXPORTS}/{file.name}" for file in named]
