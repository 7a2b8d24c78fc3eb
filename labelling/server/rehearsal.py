"""A migration is tried on a copy before the database itself is changed.

The copy is migrated by a process of its own (this module run as a program), because Argilla reads
its database's URL when it is imported. Where that fails, the original is as it was.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from argilla_server.settings import settings

from labelling.server.copies import copy_postgresql, copy_sqlite, postgresql_beside
from labelling.server.processes import ServiceFailure
from labelling.server.whereabouts import URL

_FOLDER = ".rehearsal."


def rehearse(database: str | None, found: str, wanted: str) -> None:
    """Migrate a copy; `database` is the file where it is SQLite.

    Raises ServiceFailure, in a sentence, where the migration fails on it. PostgreSQL is changed in
    one transaction anyway: where it cannot be copied, that is said and has to do.
    """
    print(f"Trying the migration from {found} to {wanted} on a copy ...", flush=True)
    with ExitStack() as kept:
        try:
            copy = _sqlite_copy(Path(database)) if database else _postgresql_copy()
            url = kept.enter_context(copy)
        except ServiceFailure as failure:
            if database:
                raise
            print(f"Not tried on a copy: {failure}", flush=True)
            return
        _try(url, found, wanted)


@contextmanager
def _sqlite_copy(database: Path) -> Iterator[str]:
    """Beside the database, where there is room for it; what a killed start left goes first."""
    for left in database.parent.glob(f"{_FOLDER}*"):
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=database.parent, prefix=_FOLDER) as folder:
        copy = Path(folder) / database.name
        copy_sqlite(database, copy)
        yield f"sqlite+aiosqlite:///{copy}?check_same_thread=False"


@contextmanager
def _postgresql_copy() -> Iterator[str]:
    url = str(settings.database_url)
    with tempfile.TemporaryDirectory(prefix="gates-rehearsal-") as folder:
        dump = Path(folder) / "argilla.dump"
        copy_postgresql(url, dump)
        with postgresql_beside(url, dump, "start") as copy:
            yield copy


def _try(url: str, found: str, wanted: str) -> None:
    command = [sys.executable, "-m", "labelling.server.rehearsal"]
    done = subprocess.run(
        command, env=os.environ | {URL: url}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise ServiceFailure(
            f"The database is of version {found}, and bringing it to {wanted} failed on a copy "
            f"({said[-1] if said else 'it said nothing'}); the database itself is as it was: go "
            "back to the version of this program that made it, and report this."
        )


if __name__ == "__main__":
    from labelling.server import database

    database.migrate()
