"""`gates move`: what Argilla keeps in SQLite goes into a PostgreSQL database, once.

The server's environment does it (`labelling.server.move`); here is what stands in the way said
first, and what it came to.
"""

import json
import os
import subprocess

from labelling import services
from labelling.console import Outcome
from labelling.server import environment, whereabouts
from labelling.server.backends import asked_for, shown
from labelling.server.environment import locked
from labelling.server.processes import ServiceFailure
from labelling.server.state import make_folder
from labelling.tables import InputError, data_folder, root_folder


def move() -> Outcome:
    """Copy the SQLite file of the data folder into the database of ARGILLA_DATABASE_URL.

    All or nothing; the file stays. Raises InputError.
    """
    data = data_folder()
    state = data / ".services"
    file = state / "argilla" / "argilla.db"
    url = _wanted()
    if not file.is_file():
        raise InputError(
            f"there is no {file} to move",
            expected="a data folder in which Argilla ran on SQLite",
            then="set GATES_DATA as it was for `gates up`; a new database needs no move",
        )
    with locked(make_folder(state), "Another command starts or restores here; waiting for it ..."):
        if services.alive(data):
            raise InputError(
                f"Argilla runs for {data}, and would go on writing what is moved",
                then="stop it with `gates down`, then run this again",
            )
        rows = _move()
        # From here on a start that forgets the variable is refused: it would go on with the file
        whereabouts.remember(state, url)
    left = " ".join(str(one) for one in whereabouts.left_over(state))
    return Outcome(
        f"Moved into {shown(url)}",
        read={str(file): sum(rows.values())},
        wrote={name: count for name, count in rows.items() if count},
        text=f"  {file} is as it was, and holds people whom you remove later: delete it once the "
        "page shows all",
        then=f"keep {whereabouts.URL} set, run `gates up --detach`, look, then `rm {left}`",
        details={"left_over": left.split()},
    )


def _wanted() -> str:
    try:
        wanted = asked_for()
    except ServiceFailure as failure:
        raise InputError(str(failure)) from failure
    if not wanted.database or not wanted.is_postgresql:
        raise InputError(
            f"{whereabouts.URL} names no PostgreSQL database",
            expected="postgresql+asyncpg://USER:PASSWORD@HOST:PORT/NAME of an empty one",
            then="set it, then run this again",
        )
    return wanted.database


def _move() -> dict[str, int]:
    """Rows by table. Alembic talks on standard error meanwhile; its last line is the failure."""
    root, state = root_folder(), data_folder() / ".services"
    try:
        python = str(environment.ensure(root))
    except ServiceFailure as failure:
        raise InputError(str(failure)) from failure
    command = [python, "-m", "labelling.server.launch", "move", "--state", str(state)]
    done = subprocess.run(
        command, cwd=root, env=os.environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise InputError(f"nothing was moved: {(said or ['no message'])[-1]}")
    rows: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return rows
