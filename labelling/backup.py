"""`gates backup`: one file with all there is, made while people submit, and tried before it counts.

In it: Argilla's database as at one moment, accounts, secrets and pseudonyms, and every study, each
as it is between two commands. It is tried by starting a server of its own on the copy, which has
to count the same records and answers.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from labelling import client
from labelling.archive import Manifest, Writer, unpack
from labelling.console import Outcome, warn
from labelling.scratch import scratch
from labelling.server import whereabouts
from labelling.server.copies import (
    Counts,
    copy_postgresql,
    copy_sqlite,
    postgresql_beside,
)
from labelling.server.environment import locked
from labelling.server.processes import ServiceFailure
from labelling.tables import InputError, atomic, data_folder, root_folder, studies, study_folder
from labelling.tables import locked as study_locked

FOLDER = ".backups"
PRIVATE = ("accounts.json", "secrets.json", "pseudonyms.json", "removals.json")
SQLITE, POSTGRESQL = "database/argilla.db", "database/argilla.dump"
_STAGE = "backup"


def backup(file: Path | None = None, *, check: bool = True) -> Outcome:
    """Write a new file (0600), whole or not at all; `check` tries it on a server of its own.

    Raises InputError.
    """
    to = _new_file(file)
    try:
        with _stage() as stage, atomic(to, mode=0o600) as part:
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


def _write(part: Path, stage: Path) -> Manifest:
    state = data_folder() / ".services"
    name, counts = _copy_database(state, stage)
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = Manifest(made_at, version("memory-gates"), name, counts, studies())
    writer = Writer(part, manifest)
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
    writer.close()
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
    live = whereabouts.postgresql_of(data_folder() / ".services")
    if manifest.database == SQLITE or live is None:
        (folder / "argilla").mkdir()
        (unpacked / SQLITE).rename(folder / "argilla" / "argilla.db")
        with scratch(root_folder(), folder, {whereabouts.URL: ""}) as address:
            yield address
        return
    with (
        postgresql_beside(live, unpacked / POSTGRESQL) as url,
        scratch(root_folder(), folder, {whereabouts.URL: url}) as address,
    ):
        yield address


def _accounts(stage: Path) -> Path:
    return stage / "server" / "accounts.json"


@contextmanager
def _stage() -> Iterator[Path]:
    """A private folder of its own; one backup at a time, and what a killed one left goes first."""
    state = data_folder() / ".services"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    stage = state / _STAGE
    stage.mkdir(mode=0o700, exist_ok=True)
    with locked(stage, "Another backup is being made; waiting for it ..."):
        _empty(stage)
        try:
            yield stage
        finally:
            _empty(stage)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _new_file(file: Path | None) -> Path:
    """Where to write; leftovers of a killed backup to the same place are removed."""
    named = f"gates-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    to = file or data_folder() / FOLDER / named
    to = to / named if to.is_dir() else to
    if to.exists():
        raise InputError(f"{to} is there already", then="name another file, or move it away")
    if file is None:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in to.parent.glob(f".{to.name if file else 'gates-*.zip'}.*.part"):
        left.unlink()
    return to


def _files(folder: Path) -> Iterator[Path]:
    """What a study holds, but for locks, half files and what lies elsewhere."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path


def _outcome(to: Path, manifest: Manifest, *, checked: bool) -> Outcome:
    if manifest.database and not checked:
        warn("the backup was not tried on a server of its own (--no-check)")
    held = ", ".join(f"{n:,} {what}" for what, n in manifest.counts.items())
    return Outcome(
        f"Backup written to {to} ({to.stat().st_size / 1e6:,.1f} MB)",
        text="\n".join(
            [
                f"  Argilla  {held or 'no database yet'}",
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
