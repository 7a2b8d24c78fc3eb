"""`gates backup`: one file with all there is, made while people submit, and tried before it counts.

In it: Argilla's database as at one moment, accounts, secrets and pseudonyms, and every study, each
as it is between two commands. It is tried by starting a server of its own on the copy, which has
to count the same records and answers.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from labelling import client
from labelling.archive import Manifest, Writer, unpack
from labelling.console import Outcome, amount, warn
from labelling.scratch import scratch
from labelling.server import whereabouts
from labelling.server.copies import (
    Counts,
    copy_postgresql,
    copy_sqlite,
    drop_beside,
    left_beside,
    postgresql_beside,
    see_may_create,
)
from labelling.server.environment import is_locked, locked
from labelling.server.processes import ServiceFailure, write_private
from labelling.tables import InputError, atomic, data_folder, root_folder, studies, study_folder
from labelling.tables import locked as study_locked

FOLDER = ".backups"
PRIVATE = ("accounts.json", "secrets.json", "pseudonyms.json", "removals.json")
SQLITE, POSTGRESQL = "database/argilla.db", "database/argilla.dump"
_STAGE = "backup"
_HALF = "half-file"
"""In the stage: where the file is that is being written."""


def backup(file: Path | None = None, *, check: bool = True) -> Outcome:
    """Write a new file (0600), whole or not at all; `check` tries it on a server of its own.

    Raises InputError.
    """
    to = _new_file(file)
    try:
        with _stage() as stage:
            if check:
                _see_may_check()
            with atomic(to, mode=0o600) as part:
                write_private(stage / _HALF, str(part))
                manifest = _write(part, stage)
                checked = check and _check(part, stage)
    except ServiceFailure as failure:
        raise InputError(f"no backup was made: {failure}") from failure
    except OSError as error:
        raise InputError(
            f"{to} could not be written ({error.strerror or error})",
            then="free some space, or name another place: `gates backup FILE`",
        ) from error
    return _outcome(to, manifest, checked=checked)


def left_over() -> list[str]:
    """What a killed backup left and the next one clears away, in words; nothing while one runs."""
    stage, url = _state() / _STAGE, whereabouts.postgresql_of(_state())
    if not stage.is_dir() or is_locked(stage):
        return []
    half = _half_of(stage)
    found = [str(stage)] if any(stage.iterdir()) else []
    found += [str(half)] if half and half.exists() else []
    if url:
        with suppress(ServiceFailure):  # that it cannot be reached is said elsewhere
            found += [f"the database {left}" for left in [left_beside(url, _STAGE)] if left]
    return found


def _see_may_check() -> None:
    url = whereabouts.postgresql_of(_state())
    if not url:
        return
    try:
        see_may_create(url)
    except ServiceFailure as failure:
        found = str(failure).rstrip(".")
        raise InputError(
            f"no backup was made: {found}", then="or leave the trial out: `gates backup --no-check`"
        ) from failure


def _state() -> Path:
    return data_folder() / ".services"


def _write(part: Path, stage: Path) -> Manifest:
    state = _state()
    name, counts = _copy_database(state, stage)
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = Manifest(made_at, version("memory-gates"), name, counts, studies())
    with Writer(part, manifest) as writer:
        if name:
            writer.put(name, stage / Path(name).name)
        for private in PRIVATE:
            if (state / private).exists():
                writer.put(f"services/{private}", state / private)
        for study in manifest.studies:
            with study_locked(study):
                for path in _files(study_folder(study)):
                    relative = path.relative_to(study_folder(study)).as_posix()
                    writer.put(f"studies/{study}/{relative}", path)
    return manifest


def _copy_database(state: Path, stage: Path) -> tuple[str | None, Counts]:
    """The database's name in the backup, None where there is none yet, and what it holds."""
    url, file = whereabouts.postgresql_of(state), whereabouts.sqlite_of(state)
    if url:
        return POSTGRESQL, copy_postgresql(url, stage / Path(POSTGRESQL).name)
    if file.exists():
        return SQLITE, copy_sqlite(file, stage / Path(SQLITE).name)
    return None, {}


def _check(part: Path, stage: Path) -> bool:
    """Unpack the backup and start a server on it; whether there was a database to try.

    Raises InputError where it is not what was backed up.
    """
    manifest = unpack(part, stage / "unpacked")
    if manifest.database is None:
        return False
    with _server(stage, manifest) as url, client.sign_in(url, _accounts(stage)) as argilla:
        found = client.counts(argilla)
    wanted = {name: manifest.counts[name] for name in found}
    if found != wanted:
        raise InputError(
            f"no backup was made: a server on the copy counts {found}",
            expected=str(wanted),
            then="run `gates backup` again, and `gates doctor` where this comes again",
        )
    return True


@contextmanager
def _server(stage: Path, manifest: Manifest) -> Iterator[str]:
    """A server on what was unpacked."""
    folder, unpacked = stage / "server", stage / "unpacked"
    shutil.copytree(unpacked / "services", folder)
    (folder / "removals.json").unlink(missing_ok=True)  # it is to count what was backed up
    live = whereabouts.postgresql_of(_state())
    if manifest.database == SQLITE or live is None:
        (folder / "argilla").mkdir()
        (unpacked / SQLITE).rename(folder / "argilla" / "argilla.db")
        with scratch(root_folder(), folder, {whereabouts.URL: ""}) as address:
            yield address
        return
    with (
        postgresql_beside(live, unpacked / POSTGRESQL, _STAGE) as url,
        scratch(root_folder(), folder, {whereabouts.URL: url}) as address,
    ):
        yield address


def _accounts(stage: Path) -> Path:
    return stage / "server" / "accounts.json"


@contextmanager
def _stage() -> Iterator[Path]:
    """A private folder of its own; one backup at a time, and what a killed one left goes first."""
    stage = _state() / _STAGE
    stage.mkdir(mode=0o700, parents=True, exist_ok=True)
    stage.parent.chmod(0o700)
    with locked(stage, "Another backup is being made; waiting for it ..."):
        _clear(stage)
        try:
            yield stage
        finally:
            _empty(stage)


def _clear(stage: Path) -> None:
    """Remove what a killed backup left: files, half a backup wherever it was to be, a database."""
    url, half = whereabouts.postgresql_of(_state()), _half_of(stage)
    if half:
        with suppress(OSError):  # its disk may be away
            half.unlink()
    if url:
        drop_beside(url, _STAGE)
    _empty(stage)


def _half_of(stage: Path) -> Path | None:
    note = stage / _HALF
    return Path(note.read_text(encoding="utf-8")) if note.exists() else None


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _new_file(file: Path | None) -> Path:
    """Where to write: into a folder that is there, for one that is not may be a disk's."""
    named = f"gates-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    if file is None:
        file = data_folder() / FOLDER
        file.mkdir(mode=0o700, parents=True, exist_ok=True)
    to = file / named if file.is_dir() else file
    if to.exists():
        raise InputError(f"{to} is there already", then="name another file, or move it away")
    if to.suffix != _SUFFIX:
        raise InputError(
            f"there is no folder {to}",
            expected=f"one that is there, or a file's name that ends in {_SUFFIX}",
            then=_MOUNTED,
        )
    if not to.parent.is_dir():
        raise InputError(f"there is no folder {to.parent}", then=_MOUNTED)
    return to


_SUFFIX = ".zip"
_MOUNTED = "make the folder, or see that its disk is mounted, and run this again"


def _files(folder: Path) -> Iterator[Path]:
    """What a study holds, but for locks, half files and what lies elsewhere."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path


def in_words(manifest: Manifest) -> str:
    """The rows by table; the tables' names are plurals."""
    counts = manifest.counts.items()
    return ", ".join(amount(n, table.removesuffix("s")) for table, n in counts)


def _outcome(to: Path, manifest: Manifest, *, checked: bool) -> Outcome:
    if manifest.database and not checked:
        warn("the backup was not tried on a server of its own (--no-check)")
    return Outcome(
        f"Backup written to {to} ({to.stat().st_size / 1e6:,.1f} MB)",
        text="\n".join(
            [
                f"  Argilla  {in_words(manifest) or 'no database yet'}",
                f"  studies  {', '.join(manifest.studies) or 'none'}",
                *(["  tried    a server started on it and counted the same"] if checked else []),
                "  it holds passwords and secrets: keep it private, and on another disk",
            ]
        ),
        then=f"`gates restore {to}` brings it back",
        details={
            "file": str(to),
            "bytes": to.stat().st_size,
            "counts": manifest.counts,
            "studies": manifest.studies,
            "checked": checked,
        },
    )
