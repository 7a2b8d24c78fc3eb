"""Runs Argilla (or its background worker) inside the server's environment.

    python -m labelling.server.launch serve --state DIR --host 127.0.0.1 --port 6900
    python -m labelling.server.launch work --state DIR

DIR holds `secrets.json` (0600: `argilla_secret`, `redis_url`), `accounts.json` and `argilla/`,
the home with the database. Any `ARGILLA_...` variable of the environment wins over what is
set here: that is how one runs it on PostgreSQL, OpenSearch or another Redis.
"""

import argparse
import json
import os
import warnings
from pathlib import Path


def main(argv: list[str] | None = None) -> None:
    """Parse the command line, set Argilla's environment, and serve or work until stopped."""
    parser = argparse.ArgumentParser(prog="labelling.server.launch")
    parser.add_argument("job", choices=["serve", "work"])
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=6900)
    options = parser.parse_args(argv)
    _set_environment(options.state, options.host, options.port)
    if options.job == "serve":
        serve(options.state, options.host, options.port)
    else:
        work()


def serve(state: Path, host: str, port: int) -> None:
    """Migrate the database, bring the accounts up to date, serve with one process."""
    import uvicorn

    _migrate()
    from labelling.server.accounts import apply_file

    apply_file(state / "accounts.json")
    uvicorn.run("labelling.server.app:app", host=host, port=port, access_log=False)


def work() -> None:
    """Do Argilla's background jobs, such as new record statuses after a new distribution."""
    from argilla_server.jobs.queues import DEFAULT_QUEUE, HIGH_QUEUE
    from rq import Worker

    import labelling.server.search  # noqa: F401 - registers the search engine

    Worker([HIGH_QUEUE, DEFAULT_QUEUE], connection=DEFAULT_QUEUE.connection).work()


def _set_environment(state: Path, host: str, port: int) -> None:
    """Argilla reads its settings when it is imported, so this comes first."""
    secrets = json.loads((state / "secrets.json").read_text(encoding="utf-8"))
    origins = [f"http://{name}:{port}" for name in sorted({host, "127.0.0.1", "localhost"})]
    settings = {
        "ARGILLA_HOME_PATH": str(state / "argilla"),
        "ARGILLA_SEARCH_ENGINE": "database",
        "ARGILLA_REDIS_URL": secrets["redis_url"],
        "ARGILLA_AUTH_SECRET_KEY": secrets["argilla_secret"],
        "ARGILLA_CORS_ORIGINS": json.dumps(origins),
        "ARGILLA_SHOW_HUGGINGFACE_SPACE_PERSISTENT_STORAGE_WARNING": "false",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", category=DeprecationWarning)


def _migrate() -> None:
    from argilla_server.cli.database.migrate import migrate_db
    from argilla_server.database import sync_engine
    from argilla_server.settings import settings

    from labelling.server import triggers

    migrate_db("head")
    with sync_engine.connect() as connection:
        triggers.install(connection)
    if settings.database_is_sqlite:
        # Readers and a writer then do not wait for each other; the database remembers it.
        with sync_engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


if __name__ == "__main__":
    main()
