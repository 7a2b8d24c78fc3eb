"""`gates restore`: what a backup holds takes the place of what is there, all of it or nothing.

First everything is unpacked, compared and tried beside its place, then a list of moves is written,
from which on the restore is decided: cut short there, the next command ends it. What it does not
hold stays: other studies, logs, running settings.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from labelling import services
from labelling.archive import Manifest, unpack
from labelling.backup import POSTGRESQL, PRIVATE, SQLITE, in_words
from labelling.console import Outcome, amount
from labelling.server import account_file, postgres, versions, whereabouts
from labelling.server.copies import (
    count_sqlite,
    load_postgresql,
    read_postgresql,
    read_sqlite,
)
from labelling.server.environment import locked
from labelling.server.processes import ServiceFailure
from labelling.tables import InputError, data_folder, root_folder, studies, study_folder, write_text
from labelling.tables import locked as study_locked

_FOLDER = ".restoring"
_MOVES = "moves.json"


@dataclass(frozen=True)
class _Move:
    """`new` takes the place of `place`, which goes first; without `new` it only goes."""

    place: str
    new: str | None = None


def restore(file: Path, *, replace: bool = False) -> Outcome:
    """Bring a backup back; with `replace` over what is there. Nothing may run meanwhile.

    Raises InputError.
    """
    data = data_folder()
    (data / ".services").mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(data / ".services", "Another command starts or restores here; waiting for it ..."):
        _refuse_running(data)
        folder = data / _FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            manifest = unpack(file, folder)
            replaced = _in_the_way(data, manifest)
            if replaced and not replace:
                raise InputError(
                    f"{data} has {'; '.join(replaced)}, which {file} would replace",
                    then="give --replace if that is wanted (`gates backup` keeps what is there)",
                )
            _see_that_it_can_be_used(file, folder, manifest)
            moves = [asdict(move) for move in _moves(data, folder, manifest)]
            write_text(folder / _MOVES, json.dumps(moves), mode=0o600)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        _end(data)
    return _outcome(file, manifest, replaced)


def finish() -> None:
    """End a restore that was cut short after it was decided; else nothing."""
    data = data_folder()
    if (data / _FOLDER / _MOVES).exists():
        with locked(data / ".services"):
            if (data / _FOLDER / _MOVES).exists():
                _end(data)


def _end(data: Path) -> None:
    """Do the moves that are not done yet; again and again it comes to the same."""
    folder = data / _FOLDER
    moves = [_Move(**move) for move in json.loads((folder / _MOVES).read_text(encoding="utf-8"))]
    dump = folder / POSTGRESQL
    with ExitStack() as held:
        for study in {Path(move.place).name for move in moves} & set(studies()):
            held.enter_context(study_locked(study))
        if dump.exists():
            _load(data, dump)
        for move in moves:
            _take_place(folder, move)
    shutil.rmtree(folder)


def _take_place(folder: Path, move: _Move) -> None:
    place, new = Path(move.place), folder / move.new if move.new else None
    if new is not None and not new.exists():
        return  # it is in its place already
    if place.exists():
        old = folder / "replaced" / place.name
        old.parent.mkdir(exist_ok=True)
        shutil.rmtree(old, ignore_errors=True)
        old.unlink(missing_ok=True)
        place.rename(old)
    if new is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        new.rename(place)


def _load(data: Path, dump: Path) -> None:
    url = whereabouts.postgresql_of(data / ".services")
    try:
        load_postgresql(str(url), dump)
    except ServiceFailure as failure:
        raise InputError(
            f"the database was not restored, nor anything else: {failure}",
            then="any command tries again; to give it up, delete " + str(data / _FOLDER),
        ) from failure
    dump.unlink()


def _see_that_it_can_be_used(file: Path, folder: Path, manifest: Manifest) -> None:
    """Raise InputError for accounts or a database with which Argilla would not start."""
    try:
        for name in PRIVATE:
            account_file.read(folder / "services" / name)
        if "services/accounts.json" in manifest.files:
            account_file.keep(folder / "services" / "accounts.json")
        if manifest.database:
            _see_the_database(folder / manifest.database, manifest)
    except ServiceFailure as failure:
        said = str(failure).replace(f"{folder}/", "").rstrip(".")
        raise InputError(
            f"{file} cannot be used, and nothing was replaced: {said}",
        ) from failure


def _see_the_database(database: Path, manifest: Manifest) -> None:
    if manifest.database == POSTGRESQL:
        url = whereabouts.postgresql_of(data_folder() / ".services")
        held = read_postgresql(str(url), database)
    else:
        held = read_sqlite(database)
    if held.counts != manifest.counts:
        raise ServiceFailure(
            f"its database holds {held.counts}, not {manifest.counts} as was written down when it "
            "was made; take another backup"
        )
    known = versions.known(root_folder())
    if held.argilla not in known.argilla or held.ours > known.ours:
        raise ServiceFailure(
            f"its database has tables of version {held.argilla!r} and {held.ours}, which this "
            f"program (up to {known.argilla[0]!r} and {known.ours}) does not know; restore it with "
            f"the version of this program that made it, {manifest.program}, or a newer one"
        )


def _moves(data: Path, folder: Path, manifest: Manifest) -> Iterator[_Move]:
    state = data / ".services"
    if manifest.database == SQLITE:
        file = whereabouts.sqlite_of(state)
        for log in ("-wal", "-shm"):  # of the old database: they would spoil the new one
            yield _Move(f"{file}{log}")
        yield _Move(str(file), SQLITE)
    for name in PRIVATE:
        if f"services/{name}" in manifest.files:
            yield _Move(str(state / name), f"services/{name}")
        elif name == "removals.json" and manifest.database:
            yield _Move(str(state / name))
    for study in manifest.studies:
        (folder / "studies" / study).mkdir(parents=True, exist_ok=True)
        yield _Move(str(study_folder(study)), f"studies/{study}")


def _refuse_running(data: Path) -> None:
    if services.alive(data):
        raise InputError(
            f"Argilla runs for {data}, and nothing is restored under it",
            then="stop it with `gates down`, then run this again",
        )


def _in_the_way(data: Path, manifest: Manifest) -> list[str]:
    """What there is that the backup would replace, in words."""
    there = [f"study {study}" for study in manifest.studies if study in studies()]
    return [*_database_in_the_way(data / ".services", manifest), *there]


def _database_in_the_way(state: Path, manifest: Manifest) -> Iterator[str]:
    url, file = whereabouts.postgresql_of(state), whereabouts.sqlite_of(state)
    if manifest.database == POSTGRESQL:
        if url is None:
            raise InputError(
                "the backup is of a PostgreSQL database",
                expected=f"{whereabouts.URL} to name one to restore into",
                then="set it as for `gates up`, then run this again",
            )
        yield from _in_postgresql(url)
    elif manifest.database == SQLITE and url:
        raise InputError(
            f"the backup is of an SQLite database, and {whereabouts.URL} (or the last start) names "
            "PostgreSQL",
            then=f"unset it, or move {state / 'database.json'} away",
        )
    elif manifest.database not in (None, SQLITE):
        raise InputError(
            f"the backup's database is {manifest.database}",
            expected=f"{SQLITE} or {POSTGRESQL}",
            then="take another backup",
        )
    elif manifest.database and file.exists():
        found = count_sqlite(file)
        yield f"Argilla's database ({amount(found.get('responses', 0), 'answer')})"


def _in_postgresql(url: str) -> Iterator[str]:
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    try:
        connected, made = postgres.run(url, "psql", "-XAtq", "-c", others, "-c", tables).split()
    except ServiceFailure as failure:
        raise InputError(str(failure)) from failure
    if int(connected) > 1:  # the question itself is one
        raise InputError(
            f"{int(connected) - 1} others are connected to the database",
            then="stop whatever uses it, then run this again",
        )
    if int(made):
        yield "tables in PostgreSQL's database"


def _outcome(file: Path, manifest: Manifest, replaced: list[str]) -> Outcome:
    return Outcome(
        f"Restored {file} of {manifest.made_at}",
        text="\n".join(
            [
                f"  Argilla  {in_words(manifest) or 'nothing'}",
                f"  studies  {', '.join(manifest.studies) or 'none'}",
                *([f"  replaced {'; '.join(replaced)}"] if replaced else []),
            ]
        ),
        then="gates up",
        details={"made_at": manifest.made_at, "counts": manifest.counts, "replaced": replaced},
    )
