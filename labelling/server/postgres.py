"""PostgreSQL's own programs (pg_dump, pg_restore, psql ...) on the database of a URL.

Passwords go by the environment, never on a command line. Standard library only.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from labelling.server.backends import shown
from labelling.server.processes import ServiceFailure


def is_postgresql(url: str | None) -> bool:
    """Whether the URL (SQLAlchemy's) is one of PostgreSQL."""
    return (url or "").startswith("postgresql")


def named(url: str, database: str) -> str:
    """The URL of another database in the same cluster."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


def database(url: str) -> str:
    """The name of the URL's database."""
    return unquote(urlsplit(url).path.strip("/"))


def ask(url: str, question: str) -> str:
    """What the database answers, a row a line, `|` between columns. Raises ServiceFailure."""
    return run(url, "psql", "-X", "-A", "-t", "-q", "-c", question)


def run(url: str, program: str, *arguments: str, on_database: bool = True) -> str:
    """What a program prints. Raises ServiceFailure.

    Not `on_database`, it works on the cluster, to make a database, or on a file.
    """
    command = [_found(program), *arguments]
    environment = os.environ | _environment(url)
    if not on_database:
        environment.pop("PGDATABASE")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise _failure(program, url, done.stderr)
    return done.stdout


@contextmanager
def snapshot(url: str, questions: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The name of a snapshot that lasts as long as the block, and the answers asked in it."""
    command = [_found("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    pipe = subprocess.PIPE
    asked = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SELECT pg_export_snapshot()"]
    with subprocess.Popen(
        command, env=os.environ | _environment(url), stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as session:
        assert session.stdin
        assert session.stdout
        assert session.stderr
        session.stdin.write("".join(f"{line};\n" for line in [*asked, *questions]))
        session.stdin.flush()
        said = [session.stdout.readline().strip() for _ in ["name", *questions]]
        if not all(said):
            session.stdin.close()
            raise _failure("psql", url, session.stderr.read())
        try:
            yield said[0], said[1:]
        finally:
            session.stdin.close()


def _environment(url: str) -> dict[str, str]:
    """What PostgreSQL's programs read of a URL."""
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    found = {
        "PGHOST": parts.hostname or query.get("host"),
        "PGPORT": str(parts.port) if parts.port else query.get("port"),
        "PGUSER": unquote(parts.username) if parts.username else None,
        "PGPASSWORD": unquote(parts.password) if parts.password else None,
        "PGDATABASE": database(url),
        "PGSSLMODE": query.get("sslmode") or query.get("ssl"),
    }
    return {name: value for name, value in found.items() if value}


def _found(program: str) -> str:
    """The newest there is, since an old one refuses a newer server; also where Debian hides it."""
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=_version)
    found = str(hidden[-1]) if hidden else shutil.which(program)
    if not found:
        raise ServiceFailure(
            f"{program} was not found; PostgreSQL's client programs copy its databases: install "
            "them (`apt-get install postgresql-client`)."
        )
    return found


def _version(path: Path) -> float:
    try:
        return float(path.parts[-3])
    except ValueError:
        return 0.0


def _failure(program: str, url: str, said: str) -> ServiceFailure:
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]  # and no notice before them
    why = (errors or lines or ["it said nothing"])[0].removeprefix(f"{program}: error: ")
    if why.startswith("connection to server"):
        return ServiceFailure(
            f"The database {shown(url)} cannot be reached ({why}); see that its server runs, and "
            "that the URL names it, its user and password."
        )
    return ServiceFailure(
        f"{program} failed on {shown(url)} ({why}); see that the server runs, that the URL names "
        "it, and that its user may do this."
    )
