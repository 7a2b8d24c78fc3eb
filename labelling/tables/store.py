"""Where tables live, and how they are read, checked, written and found stale.

A Parquet file carries `gates_schema` (integer), `gates_table` and `gates_made_from` (JSON: table ->
SHA-256 of the file it was made from), so a table knows when what it was made from has changed.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from labelling.tables.errors import InputError
from labelling.tables.files import replace_file
from labelling.tables.schemas import SCHEMA_VERSION, SCHEMAS, columns, optional

_STUDY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

MADE_BY = {
    "sessions": "ingest FILE",
    "turns": "ingest FILE",
    "events": "ingest FILE",
    "proposals": "replay",
    "gate_turns": "replay",
    "candidates": "pool",
    "labels": "pull",
    "response_history": "pull",
    "agreement": "reference",
    "reference_facts": "reference",
    "disagreements": "reference",
    "style": "agreement",
    "links": "score",
    "captures": "score",
    "operating_points": "score",
    "curve": "score",
    "recall_by_form": "score",
    "store_check": "score",
    "observations": "promote LOG",
    "promotions": "promote",
    "promotion_grid": "promote --grid",
    "audit_records": "audit draw --from STORE.jsonl",
    "audit_users": "audit draw --from STORE.jsonl",
    "audit_labels": "audit score LABELS.jsonl",
    "audits": "audit score",
    "truth": "simulate",
}

COUNTED = ("primary_key", "key", "nullability", "nan", "inf", "min", "min_exclusive", "max")
"""Rules without which counts are wrong."""

SIMULATED = "gates_simulated"
"""Metadata of every table of a simulated study; its value says so in words."""


@dataclass(frozen=True)
class Failures:
    """Rows of a frame that a schema takes, and those it refuses with the count by rule."""

    good: pl.DataFrame
    bad: pl.DataFrame
    rules: dict[str, int]


def root_folder() -> Path:
    """The repository's root."""
    return Path(__file__).resolve().parents[2]


def data_folder() -> Path:
    """Where studies live: `GATES_DATA`, else `data/work` under the repository root."""
    moved = os.environ.get("GATES_DATA")
    return Path(moved).expanduser().resolve() if moved else root_folder() / "data" / "work"


def studies() -> list[str]:
    """Names of the studies there are."""
    folder = data_folder()
    if not folder.is_dir():
        return []
    return sorted(p.name for p in folder.iterdir() if p.is_dir() and _STUDY.fullmatch(p.name))


def study_folder(study: str, *, must_exist: bool = False) -> Path:
    """The folder of a study. Raises InputError for a name that is none, or an unknown study."""
    if not _STUDY.fullmatch(study):
        raise InputError(
            f"{study!r} is no name for a study",
            expected="1-64 lower-case letters, digits, - or _",
            then="choose another --study",
        )
    folder = data_folder() / study
    if must_exist and not folder.is_dir():
        there = ", ".join(studies()) or "none yet"
        raise InputError(
            f"there is no study {study!r} in {data_folder()}",
            expected=f"one of: {there}",
            then=f"run `gates ingest FILE --study {study}` to begin it",
        )
    return folder


def table_path(study: str, name: str) -> Path:
    """`<data>/<study>/<name>.parquet`."""
    return study_folder(study) / f"{name}.parquet"


def exists(study: str, name: str) -> bool:
    """Whether the table was written."""
    return table_path(study, name).exists()


def simulated(study: str) -> bool:
    """Whether the study is one of a simulated world: whatever shows its figures has to say so."""
    return exists(study, "sessions") and SIMULATED in metadata(study, "sessions")


def make_command(study: str, name: str) -> str:
    """The command that makes a table."""
    return f"gates {MADE_BY[name]} --study {study}"


def metadata(study: str, name: str) -> dict[str, str]:
    """The key-value metadata of a table's file; raises InputError when it cannot be read."""
    path = _present(study, name)
    try:
        return dict(pl.read_parquet_metadata(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(study, name) from error


def read(study: str, name: str) -> pl.DataFrame:
    """A table of a study, its columns in the order of the schema.

    A column that the table gained since, and that may be null, is null. Raises InputError for an
    unknown study or table, a missing, damaged or older file.
    """
    _known(name)
    found = metadata(study, name).get("gates_schema")
    if found != str(SCHEMA_VERSION):
        raise InputError(
            f"{table_path(study, name)} has schema {found or 'none'}",
            expected=f"schema {SCHEMA_VERSION}",
            then=made_again(study, name),
        )
    made_from(study, name)  # what it was made from is part of what has to be readable
    try:
        table = pl.read_parquet(_present(study, name))
        gained = optional(name) - set(table.columns)
        whole = table.with_columns(pl.lit(None).alias(column) for column in gained)
        return whole.select(pl.col(c).cast(t) for c, t in columns(name).items())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(study, name) from error


def read_sound(study: str, name: str) -> pl.DataFrame:
    """A table whose rows can be counted: no key twice, no number that is none or out of range.

    Raises InputError as `read` does, and for such rows: they would give wrong figures.
    """
    table = read(study, name)
    broken = {r: n for r, n in check(name, table).rules.items() if r.split("|")[-1] in COUNTED}
    if broken:
        told = ", ".join(f"{n} against {rule}" for rule, n in sorted(broken.items()))
        raise InputError(
            f"{table_path(study, name)} has rows that cannot be counted: {told}",
            expected="each key once, and numbers inside their range (data/README.md)",
            then=made_again(study, name),
        )
    return table


def check(name: str, table: pl.DataFrame) -> Failures:
    """Split a frame into the rows its schema takes and those it refuses, counted by rule."""
    good, failure = SCHEMAS[name].filter(table.select(list(columns(name))), cast=True)
    return Failures(pl.DataFrame(good), failure.invalid(), dict(failure.counts()))


def write(
    study: str,
    name: str,
    table: pl.DataFrame,
    *,
    made_from: Sequence[str] = (),
    notes: Mapping[str, str] | None = None,
) -> int:
    """Check a table and write it atomically; returns its rows.

    `made_from` names the tables of the study it was made from; `notes` are further metadata.
    Raises InputError when a row breaks the schema (a writer's fault) or the disk is full.
    """
    checked = check(name, table)
    if checked.bad.height:
        raise InputError(
            f"{checked.bad.height} rows of {name} break its schema: {checked.rules}",
            then="this is a fault of the program or of a changed table; please report it",
        )
    known = {
        "gates_schema": str(SCHEMA_VERSION),
        "gates_table": name,
        "gates_made_from": json.dumps({t: file_hash(table_path(study, t)) for t in made_from}),
        **(notes or {}),
    }
    # dataframely's filter keeps the row order; the writer's bytes depend on the rows alone
    replace_file(table_path(study, name), lambda part: _fill(part, checked.good, known))
    return checked.good.height


def _fill(part: Path, table: pl.DataFrame, known: dict[str, str]) -> None:
    try:
        table.write_parquet(part, metadata=known)
    except pl.exceptions.ComputeError as error:  # what polars makes of a full disk
        raise OSError(str(error)) from error


def made_from(study: str, name: str) -> dict[str, str]:
    """Table -> hash of the file that this table was made from; raises InputError if damaged."""
    try:
        found: dict[str, str] = json.loads(metadata(study, name).get("gates_made_from", "{}"))
        known = all(table in SCHEMAS and isinstance(h, str) for table, h in found.items())
    except (ValueError, AttributeError) as error:
        raise _unreadable(study, name) from error
    if not known:
        raise _unreadable(study, name)
    return found


def stale(study: str, name: str) -> list[str]:
    """Tables that changed since this one was made from them (or that are stale themselves)."""
    if not exists(study, name):
        return []
    return [
        upstream
        for upstream, known in made_from(study, name).items()
        if file_hash(table_path(study, upstream)) != known or stale(study, upstream)
    ]


def file_hash(path: Path) -> str:
    """SHA-256 of a file, or "missing"."""
    if not path.exists():
        return "missing"
    now = path.stat()
    return _hash(path, now.st_mtime_ns, now.st_size, now.st_ino)


@lru_cache(maxsize=256)
def _hash(path: Path, _changed: int, _size: int, _inode: int) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _known(name: str) -> None:
    if name not in SCHEMAS:
        raise InputError(f"there is no table {name!r}", expected=f"one of: {', '.join(SCHEMAS)}")


def _present(study: str, name: str) -> Path:
    _known(name)
    path = study_folder(study, must_exist=True) / f"{name}.parquet"
    if not path.exists():
        by_hand = "decide doubtful pairs in notebooks/3_precision_recall.ipynb"
        raise InputError(
            f"study {study!r} has no {name} yet ({path} is missing)",
            then=by_hand if name == "links" else f"run `{make_command(study, name)}`",
        )
    return path


def _unreadable(study: str, name: str) -> InputError:
    return InputError(
        f"{table_path(study, name)} could not be read",
        expected="a Parquet file that this program wrote",
        then=made_again(study, name),
    )


def made_again(study: str, name: str) -> str:
    """The command that makes a table reads what it replaces, so that has to go first."""
    return f"move it away and run `{make_command(study, name)}` to make it again"
