"""Runs gates over a study, or takes in what a live gate wrote -> `proposals` and `gate_turns`.

A gate and setting that come again replace their own rows; those of other gates stay. Rows that
break the schema (a gate is anybody's code) and unfit lines go to `replay-rejects.jsonl`, with why.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from analysis.gates.records import read_records
from analysis.gates.registry import NamedGate, named
from analysis.gates.run import Replayed, Session, conversations, run
from labelling.console import Outcome, progress, warn
from labelling.tables import check, empty, exists, frame, read, study_folder, write, write_text

DEFAULT_GATES = ("heuristic", "nothing", "everything", "first_person")
UPSTREAM = ("sessions", "turns", "events")
REJECTS = "replay-rejects.jsonl"


def replay(study: str, names: Sequence[str] = ()) -> Outcome:
    """Run gates (by name; those that need nothing where none is named) over a study's transcripts.

    Raises InputError for an unknown gate or study before anything is run.
    """
    gates = [named(name) for name in dict.fromkeys(names or DEFAULT_GATES)]
    sessions = _conversations(study)
    done = [_watched(gate, sessions) for gate in gates]
    checked = check("proposals", frame("proposals", [p for one in done for p in one.proposals]))
    runs = frame("gate_turns", [turn for one in done for turn in one.gate_turns])
    rejects = [{"reason": f"breaks {checked.rules}", **row} for row in checked.bad.to_dicts()]
    wrote = _write(study, checked.good, runs, rejects)
    failures = runs["failure"].drop_nulls()
    if failures.len():
        warn(f"{failures.len()} of {runs.height} runs failed, the first with: {failures[0]}")
    settings = ", ".join(f"{gate.name} ({gate.setting})" for gate in gates)
    return Outcome(
        f"replayed {settings} over {len(sessions)} sessions",
        read={"turns": sum(len(session.turns) for session in sessions)},
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates pool --study {study}",
        details={"records": _records(checked.good), "failures": failures.len()},
    )


def import_records(
    study: str, file: Path, *, gate: str, sessions_file: Path | None = None
) -> Outcome:
    """Take in what a live gate wrote: JSON lines {session_id, turn, statement, quote?, score?, …}.

    `sessions_file` lists the sessions it covered. Raises InputError where nothing fits.
    """
    taken = read_records(file, gate, _conversations(study), sessions_file)
    wrote = _write(study, taken.proposals, taken.gate_turns, taken.rejects)
    return Outcome(
        f"took in {taken.proposals.height} records of {gate}; {len(taken.rejects)} lines refused",
        read={file.name: taken.proposals.height + len(taken.rejects)},
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates pool --study {study}",
        details={"records": _records(taken.proposals), "rejected": len(taken.rejects)},
    )


def _conversations(study: str) -> list[Session]:
    return list(conversations(*(read(study, table) for table in UPSTREAM)))


def _watched(gate: NamedGate, sessions: list[Session]) -> Replayed:
    return run(gate, progress(sessions, total=len(sessions), what=f"replay {gate.name}"))


def _write(
    study: str, proposals: pl.DataFrame, runs: pl.DataFrame, rejects: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Proposals last: a run that dies between the two leaves old proposals and is repeated."""
    again = runs.select("gate", "setting").unique()
    whole = {
        name: _replaced(study, name, fresh, again)
        for name, fresh in (("gate_turns", runs), ("proposals", proposals))
    }
    wrote = {name: write(study, name, table, made_from=UPSTREAM) for name, table in whole.items()}
    lines = [json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rejects]
    write_text(study_folder(study) / REJECTS, "".join(lines))
    if rejects:
        warn(f"{len(rejects)} were refused: see {study_folder(study) / REJECTS}")
    return wrote


def _replaced(study: str, name: str, fresh: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    old = read(study, name) if exists(study, name) else empty(name)
    kept = old.join(again, on=["gate", "setting"], how="anti")
    order = ["gate", "setting", "session_id", "turn"]
    return pl.concat([kept, fresh]).sort(order, maintain_order=True)


def _records(proposals: pl.DataFrame) -> dict[str, int]:
    """Records by gate."""
    admitted = proposals.filter(pl.col("verdict") == "admit").group_by("gate").len().sort("gate")
    return dict(admitted.iter_rows())
