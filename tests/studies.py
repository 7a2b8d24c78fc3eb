"""Tiny studies: rows by keyword with defaults for what a test does not care about.

`own_data` is the fixture `data`, which gives a test a data folder of its own:
`from tests.studies import own_data  # noqa: F401`, then take `data` as an argument.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from labelling.tables import content_id, frame, split_of, write

Row = dict[str, Any]

GOLDEN = Path(__file__).parent / "golden"
TEST_USER, DEV_USER = (
    next(user for user in map("user{}".format, itertools.count()) if split_of(user) == split)
    for split in ("test", "dev")
)
WRITE = ("yes", "yes", "yes")
"""Answers to durable, well_evidenced, scope_ok that make the decision `write`."""
REJECT = ("no", "yes", "yes")

DEFAULTS: dict[str, Row] = {
    "sessions": {
        "session_id": "s1",
        "user_id": TEST_USER,
        "partner": "assistant",
        "source_format": "jsonl",
        "source_ref": "by hand",
    },
    "turns": {
        "session_id": "s1",
        "role": "user",
        "speaker": "user",
        "hidden": False,
        "injected_spans": [],
        "source_ref": "by hand",
    },
    "events": {"session_id": "s1", "turn": 0, "event": "remember_pressed"},
    "proposals": {
        "gate": "x",
        "setting": "default",
        "session_id": "s1",
        "turn": 0,
        "evidence": [],
        "statement": "Uses BigQuery.",
        "kind": "fact",
        "scope": "global",
        "polarity": True,
        "verdict": "admit",
        "basis": "live",
    },
    "gate_turns": {
        "gate": "x",
        "setting": "default",
        "session_id": "s1",
        "turn": 0,
        "proposals": 0,
        "on_path": True,
        "basis": "live",
    },
    "candidates": {
        "candidate_id": "c1",
        "session_id": "s1",
        "turn": 0,
        "evidence": [],
        "quote": "",
        "statement": "Uses BigQuery.",
        "kind": "fact",
        "scope": "global",
        "polarity": True,
        "strata": ["proposed"],
        "inclusion_probability": 1.0,
        "round": 1,
        "proposal_ids": [],
    },
    "labels": {
        "candidate_id": "c1",
        "annotator": "ann",
        "question": "durable",
        "occasion": 0,
        "answer": "yes",
        "status": "submitted",
        "guidelines_version": "v1",
        "round": 1,
        "pilot": False,
    },
    "links": {"annotator": "ann", "same": True, "at": datetime(2026, 11, 30, tzinfo=UTC)},
    "reference_facts": {
        "fact_id": "f1",
        "fact_key": "k1",
        "session_id": "s1",
        "turn": 0,
        "statement": "Uses BigQuery.",
        "kind": "fact",
        "scope": "global",
        "weight": 1.0,
        "source": "agreed",
        "split": "test",
    },
}


@pytest.fixture(name="data")
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that GATES_DATA names."""
    folder = tmp_path / "data"
    monkeypatch.setenv("GATES_DATA", str(folder))
    return folder


def row(table: str, **given: Any) -> Row:
    """A row with defaults; ids that are left out are hashes of the rest."""
    made = {**DEFAULTS[table], **given}
    if table == "sessions":
        made.setdefault("split", split_of(made["user_id"]))
    if table == "proposals":
        made.setdefault("proposal_id", content_id(*map(str, made.values())))
    return made


def rows(table: str, *given: Mapping[str, Any]) -> pl.DataFrame:
    """A table of rows with defaults."""
    return frame(table, [row(table, **one) for one in given])


def save(study: str = "study", **tables: Iterable[Mapping[str, Any]]) -> None:
    """Write tables of a study, as rows with defaults."""
    for table, given in tables.items():
        write(study, table, rows(table, *given))


def talk(*texts: str, session_id: str = "s1", **more: Any) -> list[Row]:
    """Turns of a session: user and assistant take turns, the user begins."""
    roles = itertools.cycle(("user", "assistant"))
    return [
        row("turns", session_id=session_id, turn=i, role=role, speaker=role, text=text, **more)
        for i, (text, role) in enumerate(zip(texts, roles, strict=False))
    ]


def said(turn: int, text: str, quote: str, role: str = "user") -> list[Row]:
    """Evidence: where a quote stands in a turn's text."""
    start = text.index(quote)
    return [{"turn": turn, "role": role, "start": start, "end": start + len(quote)}]


def votes(candidate_id: str, *answers: tuple[str, str, str], **more: Any) -> list[Row]:
    """Labels of annotators a0, a1, …: each answers durable, well_evidenced, scope_ok."""
    return [
        row("labels", candidate_id=candidate_id, annotator=f"a{n}", question=q, answer=a, **more)
        for n, given in enumerate(answers)
        for q, a in zip(("durable", "well_evidenced", "scope_ok"), given, strict=True)
    ]


def read_whole(session_id: str = "s1", *annotators: str) -> list[Row]:
    """Labels that say: these (a0 and a1 without names) read the session whole."""
    whole = {"candidate_id": session_id, "question": "read_whole", "answer": "yes"}
    return [row("labels", annotator=name, **whole) for name in annotators or ("a0", "a1")]


def one_object(text: str) -> Row:
    """What a command printed under --json: exactly one JSON object, on one line."""
    found = json.loads(text)
    assert isinstance(found, dict)
    assert text.count("\n") == 1
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return dict(_files(folder))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()
