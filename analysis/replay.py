"""Runs gates over a study, or takes in what a live gate wrote -> `proposals` and `gate_turns`.

A gate and setting that come again replace their own rows; those of other gates stay as long as the
transcripts do. Rows that break the schema (a gate is anybody's code), unfit lines, and rows that
were made from other transcripts go to `replay-rejects.jsonl`, with why, until their gate comes
again.
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
from labelling.tables import (
    InputError,
    check,
    empty,
    exists,
    frame,
    read,
    stale,
    study_folder,
    write,
    write_text,
    writing,
)
from labelling.tables.store import make_command

DEFAULT_GATES = ("heuristic", "nothing", "everything", "first_person")
UPSTREAM = ("sessions", "turns", "events")
REJECTS = "replay-rejects.jsonl"


@writing
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
    _say_failures(runs)
    wrote = _write(study, checked.good, runs, rejects)
    _say_refused(checked.good)
    settings = ", ".join(f"{gate.name} ({gate.setting})" for gate in gates)
    return Outcome(
        f"replayed {settings} over {len(sessions)} sessions",
        read={"turns": sum(len(session.turns) for session in sessions)},
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates pool --study {study}",
        details={"records": _records(checked.good), "failures": runs["failure"].drop_nulls().len()},
    )


@writing
def import_records(
    study: str, file: Path, *, gate: str, sessions_file: Path | None = None
) -> Outcome:
    """Take in what a live gate wrote: JSON lines {session_id, turn, statement, quote?, score?, …}.

    `sessions_file` lists the sessions it covered. Raises InputError where nothing fits.
    """
    taken = read_records(file, gate, _conversations(study), sessions_file)
    rejects = [{"gate": gate, **line} for line in taken.rejects]
    wrote = _write(study, taken.proposals, taken.gate_turns, rejects)
    return Outcome(
        f"took in {taken.proposals.height} records of {gate}; {len(taken.rejects)} lines refused; "
        f"{taken.lost_quotes} quotes were said nowhere up to their turn",
        read={taken.name: taken.proposals.height + len(taken.rejects)},
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates pool --study {study}",
        details={
            "records": _records(taken.proposals),
            "rejected": len(taken.rejects),
            "quotes_not_found": taken.lost_quotes,
        },
    )


def _conversations(study: str) -> list[Session]:
    tables = [read(study, table) for table in UPSTREAM]
    torn = stale(study, "sessions")
    if torn:
        raise InputError(
            f"the transcripts of study {study!r} are half of one ingest and half of another: "
            f"sessions is older than {' and '.join(torn)}",
            expected="tables of one ingest",
            then=f"run `{make_command(study, 'sessions')}` again",
        )
    return list(conversations(*tables))


def _watched(gate: NamedGate, sessions: list[Session]) -> Replayed:
    return run(gate, progress(sessions, total=len(sessions), what=f"replay {gate.name}"))


def _say_failures(runs: pl.DataFrame) -> None:
    """Warn of each gate that failed; raise InputError when no run of any gate came through."""
    failed = runs.drop_nulls("failure")
    for (gate,), part in failed.group_by("gate", maintain_order=True):
        turns = runs.filter(pl.col("gate") == gate).height
        warn(f"{gate} failed on {part.height} of {turns} turns, the first: {part['failure'][0]}")
    if failed.height and failed.height == runs.height:
        raise InputError(
            f"no run came through: {failed['failure'][0]}",
            expected="a gate that takes (turn, context) and returns a list of Proposal",
            then="mend the gate and replay it; nothing was written",
        )


def _say_refused(proposals: pl.DataFrame) -> None:
    """Warn of each gate that proposed and wrote nothing, since all of it was refused."""
    for (gate,), part in proposals.group_by("gate", maintain_order=True):
        if set(part["verdict"]) == {"reject"}:
            counts = part["reject_reason"].value_counts(sort=True).sort("count", descending=True)
            why, often = counts.row(0)
            warn(f"all {part.height:,} proposals of {gate} were refused, {often:,} of them: {why}")


def _write(
    study: str, proposals: pl.DataFrame, runs: pl.DataFrame, rejects: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Proposals last: a run that dies between the two leaves old proposals and is repeated."""
    again = runs.select("gate", "setting").unique()
    before = _before(study, again)
    changed = bool(stale(study, "proposals"))
    outdated = before["proposals"] if changed else empty("proposals")
    why = "made from transcripts that have changed since; replay the gate again"
    taken_out = [{"reason": why, **row} for row in outdated.to_dicts()]
    _list_rejects(study, again, [*rejects, *taken_out])  # first: a row is never in neither place
    order = ["gate", "setting", "session_id", "turn"]
    whole = {
        name: pl.concat([before[name].clear() if changed else before[name], fresh])
        for name, fresh in (("gate_turns", runs), ("proposals", proposals))
    }
    wrote = {
        name: write(study, name, table.sort(order, maintain_order=True), made_from=UPSTREAM)
        for name, table in whole.items()
    }
    if not outdated.is_empty():
        names = ", ".join(sorted(set(outdated["gate"])))
        warn(f"the transcripts have changed: rows of {names} were taken out; replay them again")
    return wrote


def _before(study: str, again: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """What is there of the gates and settings that are not run again."""
    tables = {
        name: read(study, name) if exists(study, name) else empty(name)
        for name in ("gate_turns", "proposals")
    }
    own = ["gate", "setting"]
    return {name: table.join(again, on=own, how="anti") for name, table in tables.items()}


def _list_rejects(study: str, again: pl.DataFrame, rejects: Sequence[Mapping[str, Any]]) -> None:
    """List these after what the file says of gates and settings that are not run again."""
    path = study_folder(study) / REJECTS
    lines = [json.dumps(row, ensure_ascii=False, default=str) for row in rejects]
    listed = set(lines)  # by a run that was killed before its tables
    kept = [line for line in _rejects_of_others(path, again) if line not in listed]
    write_text(path, "".join(f"{line}\n" for line in [*kept, *lines]))
    if rejects:
        warn(f"{len(rejects)} rows or lines were left out: see {path}")


def _rejects_of_others(path: Path, again: pl.DataFrame) -> list[str]:
    """The file's lines of other gates and settings; a line of a live gate has no setting."""
    if not path.exists():
        return []
    own = {*again.iter_rows(), *((gate, None) for gate in again["gate"]), (None, None)}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        rows = [(line, json.loads(line)) for line in lines if line]
        return [line for line, row in rows if (row.get("gate"), row.get("setting")) not in own]
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{path} is not as it was written", then="move it away and run the command again"
        ) from error


def _records(proposals: pl.DataFrame) -> dict[str, int]:
    """Records by gate."""
    admitted = proposals.filter(pl.col("verdict") == "admit").group_by("gate").len().sort("gate")
    return dict(admitted.iter_rows())
