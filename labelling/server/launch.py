"""Runs Argilla (or its background worker) inside the server's environment.

    python -m labelling.server.launch serve --state DIR --host 127.0.0.1 --port 6900
    python -m labelling.server.launch work --state DIR
    python -m labelling.server.launch check --state DIR
    python -m labelling.server.launch move --state DIR
    python -m labelling.server.launch index --state DIR

DIR is the services' folder (see `state`); what is missing in it is made. `argilla/` in it is the
home with the database. Any `ARGILLA_...` variable of the environment wins over what is set here:
that is how one runs it on PostgreSQL, OpenSearch or another Redis (see `backends`). `check` prints
a JSON object with a sentence for each back end that cannot be used; `move` copies what is in
DIR's SQLite into an empty PostgreSQL; `index` makes the index of OpenSearch or Elasticsearch anew.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from labelling.server import account_file
from labelling.server.backends import Backends, asked_for
from labelling.server.environment import locked
from labelling.server.processes import REFUSED, ServiceFailure
from labelling.server.state import keep_secrets, make_folder


def main(argv: list[str] | None = None) -> int:
    """Parse the command line, set Argilla's environment, and serve or work until stopped."""
    parser = argparse.ArgumentParser(prog="labelling.server.launch")
    parser.add_argument("job", choices=["serve", "work", "check", "move", "index"])
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6900)
    options = parser.parse_args(argv)
    jobs: dict[str, Callable[[Backends], None]] = {
        "serve": lambda asked: serve(options.state, options.host, options.port, asked.workers),
        "work": lambda _: work(),
        "check": check,
        "move": lambda _: move(options.state),
        "index": lambda _: index(),
    }
    try:
        asked = asked_for()  # as somebody says, before our own are named; a wrong URL is said here
        _set_environment(make_folder(options.state), options.host, options.port)
        jobs[options.job](asked)
    except ServiceFailure as failure:
        print(failure, file=sys.stderr, flush=True)
        return REFUSED
    return 0


def serve(state: Path, host: str, port: int, workers: int) -> None:
    """Bring the database and the accounts up to date, once; then serve with as many processes
    as were asked for. Raises ServiceFailure.
    """
    import uvicorn
    from argilla_server.settings import settings

    from labelling.server import database, reach, whereabouts
    from labelling.server.accounts import apply_file

    reach.queue(reach.PATIENCE)
    reach.search()
    database.prepare()
    whereabouts.remember(state, settings.database_url)
    apply_file(state / "accounts.json")
    uvicorn.run(
        "labelling.server.launch:application",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        access_log=False,
    )


def application() -> Any:
    """What each process serves."""
    _end_with_parent()
    from labelling.server import database  # noqa: F401 - makes its connections durable
    from labelling.server.app import app

    return app


def work() -> None:
    """Do Argilla's background jobs, such as new record statuses after a new distribution."""
    from argilla_server.jobs.queues import DEFAULT_QUEUE, HIGH_QUEUE
    from rq import Worker

    import labelling.server.search  # noqa: F401 - registers the search engine
    from labelling.server import database, reach  # noqa: F401 - makes its connections durable

    reach.queue(reach.PATIENCE)
    Worker([HIGH_QUEUE, DEFAULT_QUEUE], connection=DEFAULT_QUEUE.connection).work()


def check(asked: Backends) -> None:
    """Print what cannot be used of what was asked for, as a JSON object of sentences."""
    from labelling.server import reach

    print(json.dumps(reach.failures(asked)))


def move(state: Path) -> None:
    """Copy the SQLite database into the PostgreSQL one that is asked for; print rows by table."""
    from labelling.server import move as moving

    print(json.dumps(moving.move(state / "argilla" / "argilla.db")))


def index() -> None:
    """Make the external search engine's index anew."""
    import labelling.server.search  # noqa: F401 - with our own engine there is nothing to do
    from labelling.server import external_index, reach

    reach.search()
    counts = asyncio.run(external_index.make())
    print(", ".join(f"{name} {rows:,}" for name, rows in counts.items()) or "no dataset")


def _set_environment(state: Path, host: str, port: int) -> None:
    """Argilla reads its settings when it is imported, so this comes first."""
    with locked(state / "argilla"):  # server and worker may start in an empty folder at once
        secrets = keep_secrets(state)
        account_file.keep(state / "accounts.json")
    origins = [f"http://{name}:{port}" for name in sorted({host, "127.0.0.1", "localhost"})]
    settings = {
        "ARGILLA_HOME_PATH": str(state / "argilla"),
        "ARGILLA_SEARCH_ENGINE": "database",
        "ARGILLA_REDIS_URL": secrets.get("redis_url", ""),
        "ARGILLA_AUTH_SECRET_KEY": secrets["argilla_secret"],
        "ARGILLA_CORS_ORIGINS": json.dumps(origins),
        "ARGILLA_SHOW_HUGGINGFACE_SPACE_PERSISTENT_STORAGE_WARNING": "false",
        "ARGILLA_DATABASE_SQLITE_TIMEOUT": "30",  # seconds to wait for another's commit
        "ARGILLA_DATABASE_POSTGRESQL_POOL_SIZE": "8",  # a process; a server has 100 in all
        "ARGILLA_DATABASE_POSTGRESQL_MAX_OVERFLOW": "8",
        "PGCONNECT_TIMEOUT": "10",  # seconds, for a PostgreSQL that does not answer at all
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    for name, value in settings.items():
        if value and not os.environ.get(name):
            os.environ[name] = value
    warnings.filterwarnings("ignore", category=DeprecationWarning)


def _end_with_parent() -> None:
    """One of several processes ends when the one that started them is killed.

    Else it would keep the port, and the next start could not have it.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_end, args=(parent.sentinel,), daemon=True).start()


def _wait_and_end(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
