"""Draws a random sample of a store's records -> `audit_records`, `audit_users`, and a sheet.

The records with the smallest hashes of (seed, record_id) are drawn, every one with the same
probability, and no other record has a say in a record's hash: who is removed takes their own
records along and changes nobody else's draw. An audit's seed is its name unless another is given,
so each audit draws anew.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from labelling.audit.store import Store, gate_records, read_store
from labelling.console import Outcome, warn
from labelling.statistics import ratio
from labelling.tables import (
    InputError,
    columns,
    content_id,
    empty,
    exists,
    locked,
    read,
    study_folder,
    write,
    write_text,
)
from labelling.tables.decisions import REQUIRED

REJECTS = "audit-rejects.jsonl"
SHEET = "audit-sheet.jsonl"
SHOWN = ("statement", "quote", "scope", "expires_at", "session_id", "turn")


def draw(
    study: str,
    *,
    file: Path | None = None,
    gate: str | None = None,
    n: int = 200,
    name: str | None = None,
    seed: int | None = None,
    now: datetime | None = None,
) -> Outcome:
    """Draw n records of a file or of a gate, under a name (today's date); other audits stay.

    A file begins a study that is not there yet. Raises InputError for an audit of that name that
    somebody answered or that is of another source, and where no record fits.
    """
    if n < 1:
        raise InputError(f"--n is {n}", expected="a number of records, from 1")
    study_folder(study)  # a name that is none is told before anything is read
    store = _store(study, file, gate)
    drawn_at = now or datetime.now(UTC)
    audit = name or drawn_at.date().isoformat()
    sample = drawn(store.records, n, audit if seed is None else str(seed))
    if sample.is_empty():
        raise InputError(
            f"none of the {store.records.height} records has a statement",
            expected="records that can be read",
            then="export the store with its statements",
        )
    table = _rows(sample, audit, store.source, drawn_at)
    users = corrections(store.records, audit)
    with locked(study, new=file is not None):
        wrote = _write(study, store, table, users)
    return _outcome(study, audit, store, table, users, wrote)


def _write(study: str, store: Store, table: pl.DataFrame, users: pl.DataFrame) -> dict[str, int]:
    _refuse_another(study, table["audit"][0], store.source)
    _list_rejects(study, store)
    return {
        "audit_users": write(study, "audit_users", _beside(study, "audit_users", users)),
        "audit_records": write(study, "audit_records", _beside(study, "audit_records", table)),
        SHEET: _write_sheet(study, table),
    }


def drawn(records: pl.DataFrame, n: int, seed: str) -> pl.DataFrame:
    """n of the records with a statement, or all of them, with their inclusion_probability."""
    there = records.drop_nulls("statement")
    hashes = [content_id("audit", seed, record_id) for record_id in there["record_id"]]
    ordered = there.with_columns(pl.Series("hash", hashes, pl.String)).sort("hash", "record_id")
    p = min(ratio(n, there.height) or 1.0, 1.0)
    return ordered.head(n).drop("hash").with_columns(inclusion_probability=pl.lit(p))


def corrections(records: pl.DataFrame, audit: str) -> pl.DataFrame:
    """Rows of `audit_users`: what each user has in the store, and how much they corrected."""
    counted = records.group_by("user_id").agg(
        records=pl.len().cast(pl.Int64),
        known_records=pl.col("corrected").count().cast(pl.Int64),
        corrected_records=pl.col("corrected").sum().cast(pl.Int64),
    )
    return counted.sort("user_id").select(
        pl.lit(audit).alias("audit"), *list(columns("audit_users"))[1:]
    )


def _store(study: str, file: Path | None, gate: str | None) -> Store:
    if file is not None and gate is None:
        return read_store(file)
    if gate is not None and file is None:
        return gate_records(study, gate)
    given = "both" if gate else "neither"
    raise InputError(
        f"of --from and --gate {given} was given",
        expected="a file of a store's records (--from), or a gate of the study (--gate)",
        then="name one of them",
    )


def _refuse_another(study: str, audit: str, source: str) -> None:
    """Raise InputError where the name is taken: by another source, or by answers."""
    if not exists(study, "audit_records"):
        return
    mine = read(study, "audit_records").filter(pl.col("audit") == audit)
    labels = read(study, "audit_labels") if exists(study, "audit_labels") else empty("audit_labels")
    taken = "has answers already" if mine.join(labels, on="candidate_id", how="semi").height else ""
    if mine.filter(pl.col("source") != source).height:
        taken = f"is of {mine['source'][0]}"
    if taken:
        raise InputError(
            f"audit {audit!r} of study {study!r} {taken}",
            expected="a new audit",
            then="choose another --name",
        )


def _rows(sample: pl.DataFrame, audit: str, source: str, drawn_at: datetime) -> pl.DataFrame:
    ids = [content_id("audit", audit, record_id) for record_id in sample["record_id"]]
    return sample.with_columns(
        pl.Series("candidate_id", ids),
        audit=pl.lit(audit),
        source=pl.lit(source),
        drawn_at=pl.lit(drawn_at, columns("audit_records")["drawn_at"]),
    ).select(list(columns("audit_records")))


def _beside(study: str, table: str, fresh: pl.DataFrame) -> pl.DataFrame:
    """The table with these rows instead of those of the audit's earlier draw, by audit."""
    before = read(study, table) if exists(study, table) else empty(table)
    whole = pl.concat([before.filter(pl.col("audit") != fresh["audit"][0]), fresh])
    return whole.sort("audit", maintain_order=True)


def _list_rejects(study: str, store: Store) -> None:
    path = study_folder(study) / REJECTS
    lines = (json.dumps(reject, ensure_ascii=False) + "\n" for reject in store.rejects)
    write_text(path, "".join(lines))
    if store.rejects:
        warn(f"{len(store.rejects)} lines were left out: see {path}")


def _write_sheet(study: str, table: pl.DataFrame) -> int:
    lines = [sheet_line(record) for record in table.iter_rows(named=True)]
    write_text(study_folder(study) / SHEET, "".join(lines))
    return len(lines)


def sheet_line(record: Mapping[str, Any]) -> str:
    """A drawn record as a line to fill in: nothing of who wrote it, or of what became of it."""
    asked = {"annotator": None, **dict.fromkeys(REQUIRED), "reject_reason": None, "note": None}
    shown = {name: record[name] for name in SHOWN if record[name] is not None}
    line = {"audit": record["audit"], "record_id": record["record_id"], **shown, **asked}
    return json.dumps(line, ensure_ascii=False, default=str) + "\n"


def _outcome(
    study: str,
    audit: str,
    store: Store,
    table: pl.DataFrame,
    users: pl.DataFrame,
    wrote: dict[str, int],
) -> Outcome:
    totals = {name: int(users[name].sum()) for name in list(columns("audit_users"))[2:]}
    p = table["inclusion_probability"][0]
    return Outcome(
        f"drew {table.height} of {totals['records']} records of {store.source} as audit "
        f"{audit!r}, each with probability {p:.4g}",
        read={store.source: store.records.height},
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates audit push --study {study}, and two people label in the browser; or let two "
        f"people fill in a copy of {SHEET} each (labelling/guidelines/audit.md says how), then "
        f"gates audit score A.jsonl B.jsonl --study {study}",
        details={
            "audit": audit,
            "source": store.source,
            "sampled": table.height,
            "inclusion_probability": p,
            "rejected": len(store.rejects),
            **totals,
        },
    )
