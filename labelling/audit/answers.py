"""Answers about drawn records, as JSON lines -> rows of `audit_labels`.

A line is one annotator's answers about one record: record_id, annotator, durable (yes, until, no),
well_evidenced and scope_ok (yes, no); optionally audit (else the latest that drew the record),
reject_reason, note, guidelines_version, submitted_at. A line whose three questions are all null is
a sheet's line that nobody filled in yet. What fits nothing is a reject with its reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from labelling.tables import InputError, alias, empty, frame
from labelling.tables.decisions import REQUIRED, SOURCE
from labelling.tables.schemas import ERROR_KINDS
from labelling.transcripts.fields import (
    Object,
    Unusable,
    choice,
    identifier,
    moment,
    optional_choice,
    optional_identifier,
    optional_text,
)
from labelling.transcripts.files import files_of
from labelling.transcripts.model import Reject
from labelling.transcripts.source import source_of

YES_NO = ("yes", "no")
OPTIONS = {"durable": ("yes", "until", "no"), "well_evidenced": YES_NO, "scope_ok": YES_NO}
NOT_SAID = "not said"


@dataclass(frozen=True)
class Answers:
    """Rows of `audit_labels`; how many lines nobody filled in; the lines that fit nothing."""

    labels: pl.DataFrame
    unanswered: int
    rejects: list[dict[str, Any]]


def read_answers(paths: Sequence[Path], records: pl.DataFrame) -> Answers:
    """The answers in files about drawn records (`audit_records`).

    Where a person answers the same twice, the last counts. Raises InputError where nothing fits.
    """
    if not paths:
        return Answers(empty("audit_labels"), 0, [])
    drawn = _Drawn(records)
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    rejects: list[Reject] = []
    unanswered = 0
    for item in _items(paths):
        if isinstance(item, Reject):
            rejects.append(item)
        elif all(item.value.get(question) is None for question in REQUIRED):
            unanswered += 1
        else:
            try:
                rows = _rows(item.value, drawn)
            except Unusable as unfit:
                rejects.append(item.reject(unfit))
            else:
                found[rows[0]["candidate_id"], rows[0]["annotator"]] = rows
    if not found:
        _nothing(paths, rejects)
    labels = frame("audit_labels", [row for rows in found.values() for row in rows])
    return Answers(labels, unanswered, [asdict(reject) for reject in rejects])


class _Drawn:
    """Which candidate a line means; later audits come first."""

    def __init__(self, records: pl.DataFrame) -> None:
        self.latest: dict[str, str] = {}
        self.named: dict[tuple[str, str], str] = {}
        places = records.sort("drawn_at", "audit").select("audit", "record_id", "candidate_id")
        for audit, record_id, candidate_id in places.iter_rows():
            self.latest[record_id] = self.named[audit, record_id] = candidate_id

    def candidate(self, line: Object) -> str:
        record_id, audit = identifier(line, "record_id"), optional_identifier(line, "audit")
        found = self.latest.get(record_id) if audit is None else self.named.get((audit, record_id))
        if found is None:
            where = f"audit {audit!r}" if audit else "any audit"
            raise Unusable(f"record {record_id[:40]!r} was not drawn for {where}")
        return found


def _items(paths: Sequence[Path]) -> Iterator[Any]:
    for file in files_of([str(path) for path in paths]):
        source = source_of(file)
        source.check_text()
        yield from source.objects()


def _rows(line: Object, drawn: _Drawn) -> list[dict[str, Any]]:
    annotator = identifier(line, "annotator")
    if annotator.startswith(SOURCE):
        raise Unusable(f"annotator is {annotator[:40]!r}, expected a person")
    answers = {name: choice(line, name, {o: o for o in OPTIONS[name]}) for name in REQUIRED}
    answers["reject_reason"] = optional_choice(line, "reject_reason", ERROR_KINDS) or ""
    answers["note"] = optional_text(line, "note") or ""
    common = {
        "candidate_id": drawn.candidate(line),
        "annotator": alias(annotator),
        "occasion": 0,
        "status": "submitted",
        "submitted_at": moment(line.get("submitted_at")),
        "guidelines_version": optional_text(line, "guidelines_version") or NOT_SAID,
        "round": 1,
        "pilot": False,
    }
    return [
        {**common, "question": question, "answer": answer}
        for question, answer in answers.items()
        if answer
    ]


def _nothing(paths: Sequence[Path], rejects: list[Reject]) -> None:
    names = ", ".join(str(path) for path in paths)
    why = f"line {rejects[0].line}: {rejects[0].reason}" if rejects else "nobody filled it in"
    raise InputError(
        f"{names} has no answer that fits: {why}",
        expected=f"JSON lines with record_id, annotator, {', '.join(REQUIRED)}",
        then="fill in the sheet that `gates audit draw` wrote",
    )
