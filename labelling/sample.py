"""The sample study, from `data/sample`: our own transcripts, candidates and two label passes.

Its authors made the labels: it shows the machinery and is no evidence about gates.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from labelling import candidates, rounds
from labelling.tables import InputError, content_id, exists, frame, metadata, root_folder
from labelling.tables.store import file_hash
from labelling.transcripts.ingest import ingest

STUDY = "sample"
STAMP = candidates.COMPLETE
ANSWERS = (
    "durable",
    "well_evidenced",
    "scope_ok",
    "evidence_form",
    "reject_reason",
    "corrected",
    "note",
    "read_whole",
)


def folder() -> Path:
    """Where the sample's files are."""
    return root_folder() / "data" / "sample"


def transcripts() -> Path:
    """The sample's transcripts, in our own JSONL."""
    return folder() / "transcripts.jsonl"


def loaded() -> bool:
    """Whether the study holds what the files say today."""
    tables = ("sessions", "turns", "events", "candidates", "labels")
    whole = all(exists(STUDY, table) for table in tables)
    return whole and metadata(STUDY, "candidates").get(STAMP) == _stamp()


def load() -> None:
    """Read the sample's files into study `sample`; raises InputError when one is missing."""
    ingest(STUDY, [transcripts()])
    rows = _lines(folder() / "candidates.jsonl")
    candidates.adopt(STUDY, frame("candidates", rows), notes={STAMP: _stamp()})
    rounds.adopt(STUDY, frame("labels", label_rows(_lines(folder() / "labels.jsonl"))))


def label_rows(answers: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of `labels` from objects {candidate_id, annotator, <question>: <answer>, …}."""
    for given in answers:
        for question in ANSWERS:
            if given.get(question) is not None:
                yield {
                    "candidate_id": given["candidate_id"],
                    "annotator": given["annotator"],
                    "question": question,
                    "occasion": 0,
                    "answer": given[question],
                    "status": "submitted",
                    "guidelines_version": given["guidelines_version"],
                    "round": 1,
                    "pilot": False,
                }


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})", then="restore data/sample from git"
        ) from error
    rows = [json.loads(line) for line in text.splitlines() if line]
    return [row | {"expires_at": _moment(row.get("expires_at"))} for row in rows]


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _stamp() -> str:
    files = ("transcripts.jsonl", "candidates.jsonl", "labels.jsonl")
    return content_id(*(file_hash(folder() / name) for name in files))
