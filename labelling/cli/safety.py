"""Backups, and the move to a larger database."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from labelling import backup, moving, restore
from labelling.cli.options import FILE, Json
from labelling.console import Outcome


def backup_(
    file: Annotated[Path | None, Parameter(**FILE)] = None,
    /,
    *,
    check: Annotated[bool, Parameter(negative="--no-check")] = True,
    json: Json = False,
) -> Outcome:
    """Write all there is to one file while people go on: Argilla, accounts, secrets, all studies.

    Parameters
    ----------
    file
        A new file (`.zip`) in a folder that is there, or a folder for one; in the data folder's
        `.backups` if left out. It holds passwords, and on the same disk it does not help against
        losing that.
    check
        Start a server of its own on the copy (some ten seconds) and compare what it counts.
    """
    return backup.backup(file, check=check)


def restore_(
    file: Annotated[Path, Parameter(**FILE)],
    /,
    *,
    replace: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> Outcome:
    """Bring back what a backup holds, all or nothing; other studies stay. Argilla must be down.

    Parameters
    ----------
    file
        What `gates backup` wrote.
    replace
        Let it take the place of what is there: the database, accounts, studies of its names.
    """
    return restore.restore(file, replace=replace)


def move(*, json: Json = False) -> Outcome:
    """Copy what is in SQLite into the empty PostgreSQL that ARGILLA_DATABASE_URL names, once.

    All or nothing: accounts, records, answers with their times and history. Argilla must be down;
    the SQLite file stays as it is.
    """
    return moving.move()
