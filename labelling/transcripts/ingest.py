"""Merge transcript files into a study: `sessions`, `turns`, `events` and `rejects.jsonl`.

A file is known by its name, which stands in every `source_ref`: the same file again replaces what
it gave before, and the order of rows depends on the files alone. A session id that another file has
already is a reject, and a file that has nothing in common with what its name gave before is refused
(`again`). Turns and events are written before sessions, which know them by their hashes: sessions
are stale after a run that was killed on the way. Rows without their session are dropped on the way
in, so running it again repairs it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from labelling import tables
from labelling.console import Outcome, amount, progress
from labelling.tables import InputError
from labelling.transcripts import read
from labelling.transcripts.again import refuse_stranger
from labelling.transcripts.files import file_name, files_of
from labelling.transcripts.model import Read, Reject

REJECTS = "rejects.jsonl"
"""The file beside the tables that lists what was left out, as JSON Lines of rejects."""

_REASONS = 6
"""So many reasons for leaving something out are counted in words; the file lists all."""

MADE_FROM = {"sessions": ("turns", "events")}
"""Not that sessions need them: so it shows when a run ended between the tables."""

_FILE = pl.col("source_ref").str.replace(r"#[^#]*$", "")


def ingest(
    study: str,
    paths: Sequence[str | Path],
    *,
    format: str = "auto",  # noqa: A002
    licence: str | None = None,
    partner: str | None = None,
    replace: bool = False,
) -> Outcome:
    """Read files, folders or patterns (`-` is standard input) and merge them into a study.

    `replace` lets a file take the place of another one of its name. Raises InputError, with the
    study untouched, when nothing good came out of any of them.
    """
    tables.study_folder(study)
    files = files_of(paths)
    reads, failed = {}, []
    for path in progress(files, total=len(files), what="files"):
        name = file_name(path)
        try:
            reads[name] = read(path, format, partner=partner or "assistant", licence=licence)
        except InputError as error:
            if len(files) == 1:
                raise
            failed.append(Reject(name, None, None, str(error), ""))
    if not any(one.sessions.height for one in reads.values()):  # before a folder is made for it
        raise _nothing_good(files, [*failed, *(r for one in reads.values() for r in one.rejects)])
    with tables.locked(study, new=True):
        return _into(study, files, reads, failed, replace=replace)


def _into(
    study: str,
    files: Sequence[str],
    reads: dict[str, Read],
    failed: Sequence[Reject],
    *,
    replace: bool,
) -> Outcome:
    """Merge what was read into the study, whose lock is held."""
    before = _before(study)
    if not replace:
        _refuse_strangers(before, reads)
    merged = _merge(before, reads)
    rejects = [*failed, *merged.rejects]
    if not merged.added.height:
        raise _nothing_good(files, rejects)
    path = tables.study_folder(study) / REJECTS
    kept = _rejects_of_others(path, {*map(file_name, files)})
    tables.write_text(path, _as_lines([*kept, *map(asdict, rejects)]))
    wrote = {
        name: tables.write(study, name, table, made_from=MADE_FROM.get(name, ()))
        for name, table in merged.tables.items()
    }
    return _outcome(study, reads, merged, rejects, wrote)


def _refuse_strangers(before: dict[str, pl.DataFrame], reads: dict[str, Read]) -> None:
    for name, one in reads.items():
        old = before["sessions"].filter(_FILE.eq(name))
        refuse_stranger(name, (old, before["turns"]), (one.sessions, one.turns))


@dataclass(frozen=True)
class _Merged:
    """The study's tables in the order of writing, sessions read now, rejects.

    `replaced`: file, sessions (how many it gave before), gone (those of them not in it any more).
    """

    tables: dict[str, pl.DataFrame]
    added: pl.DataFrame
    replaced: pl.DataFrame
    rejects: list[Reject]


def _before(study: str) -> dict[str, pl.DataFrame]:
    """The tables as they are, empty where there are none yet."""
    names = ("turns", "events", "sessions")
    try:
        return {
            name: tables.read(study, name) if tables.exists(study, name) else tables.empty(name)
            for name in names
        }
    except InputError as error:
        folder = tables.study_folder(study)
        then = f"move {folder} away and ingest all its files again"
        raise InputError(error.found, expected=error.expected, then=then) from error


def _merge(before: dict[str, pl.DataFrame], reads: dict[str, Read]) -> _Merged:
    """Files with something good replace what they gave before; the others leave it as it is."""
    good = [name for name, one in reads.items() if one.sessions.height]
    others = before["sessions"].filter(~_FILE.is_in(good))
    owner = dict(others.select("session_id", _FILE).iter_rows())
    rejects: list[Reject] = []
    parts = [{**before, "sessions": others}]
    for name, one in reads.items():
        fresh = one.sessions.filter(~pl.col("session_id").is_in(list(owner)))
        rejects += [*one.rejects, *_taken(one.sessions, owner)]
        owner |= dict.fromkeys(fresh["session_id"], name)
        parts.append({"turns": one.turns, "events": one.events, "sessions": fresh})
    sessions = pl.concat([part["sessions"] for part in parts]).sort(_FILE, maintain_order=True)
    rows = {
        name: _in_order(
            pl.concat([_of_sessions(part[name], part["sessions"]) for part in parts]), sessions
        )
        for name in ("turns", "events")
    }
    added = pl.concat([part["sessions"] for part in parts[1:]] or [tables.empty("sessions")])
    gone = ~pl.col("session_id").is_in(sessions["session_id"].implode())
    old = before["sessions"].filter(_FILE.is_in(good)).group_by(file=_FILE, maintain_order=True)
    replaced = old.agg(sessions=pl.len(), gone=gone.sum())
    return _Merged({**rows, "sessions": sessions}, added, replaced, rejects)


def _taken(sessions: pl.DataFrame, owner: dict[str, str]) -> list[Reject]:
    """A reject for each session whose id another file has."""
    return [
        Reject(file, None, None, f"this session id is already there from {owner[name]}", name)
        for name, file in sessions.select("session_id", _FILE).iter_rows()
        if name in owner
    ]


def _of_sessions(rows: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    return rows.join(sessions, on="session_id", how="semi", maintain_order="left")


def _in_order(rows: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order of the sessions, and in their own within a session."""
    place = sessions.select("session_id").with_row_index("place")
    placed = rows.join(place, on="session_id", maintain_order="left")
    return placed.sort("place", maintain_order=True).drop("place")


def _rejects_of_others(path: Path, files: set[str]) -> list[dict[str, Any]]:
    """What the list says of other files."""
    if not path.exists():
        return []
    try:
        before = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [row for row in before if row["file"] not in files]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path} is not as it was written", then="move it away and run the command again"
        ) from error


def _as_lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _nothing_good(files: Sequence[str], rejects: Sequence[Reject]) -> InputError:
    first = next(iter(rejects), None)
    because = f"; the first of {len(rejects)} faults: {_words(first)}" if first else ""
    named = ", ".join(files[:3]) + " …" * (len(files) > 3)
    return InputError(
        f"nothing in {named} could be taken{because}",
        expected="at least one turn",
        then="mend it or try another --format; the study is as it was",
    )


def _words(reject: Reject) -> str:
    place = f"line {reject.line}" if reject.line else ""
    where = ", ".join(filter(None, (reject.file, place, reject.path)))
    return f"{where}: {reject.reason}"


def _outcome(
    study: str,
    reads: dict[str, Read],
    merged: _Merged,
    rejects: Sequence[Reject],
    wrote: dict[str, int],
) -> Outcome:
    users = Counter(dict(merged.added.select("user_id", "split").iter_rows()).values())
    formats = Counter((one.format, one.because) for one in reads.values())
    path = tables.study_folder(study) / REJECTS
    said = [f"  {name}: {because} ({amount(n, 'file')})" for (name, because), n in formats.items()]
    said += [
        f"  {name} was there before: replaced {amount(n, 'session')} (a file is known by its name)"
        + f"; {gone:,} of them not in it any more" * bool(gone)
        for name, n, gone in merged.replaced.iter_rows()
    ]
    if rejects:
        said.append(f"  {len(rejects)} left out, listed in {path}; the first: {_words(rejects[0])}")
        reasons = Counter(reject.reason for reject in rejects).most_common(_REASONS)
        said += [f"    {n:,} x {reason}" for reason, n in reasons]
    return Outcome(
        f"Took {amount(merged.added.height, 'session')} of {amount(users.total(), 'user')} "
        f"({users['dev']:,} dev, {users['test']:,} test) into study {study!r}",
        read={name: one.turns.height for name, one in reads.items()},
        wrote={name: wrote[name] for name in ("sessions", "turns", "events")},
        where=str(tables.study_folder(study)),
        then=f"gates replay --study {study}",
        details={
            "users": {split: users[split] for split in ("dev", "test")},
            "formats": sorted({one.format for one in reads.values()}),
            "rejects": len(rejects),
            "rejects_file": str(path),
        },
        text="\n".join(said),
    )
