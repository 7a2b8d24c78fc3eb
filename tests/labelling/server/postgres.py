"""A real PostgreSQL cluster for a test: its own folder, port and processes, gone at the end.

    with postgres() as url:  # postgresql+asyncpg://postgres@127.0.0.1:PORT/argilla
        ...

It listens on 127.0.0.1 only and asks for no password. PostgreSQL refuses to run as root: there it
runs as the user `postgres`, whom Debian's package makes.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HOST = "127.0.0.1"
START_WITHIN = 60.0  # seconds
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[str]:
    """A running cluster with the empty database `argilla`; the SQLAlchemy/asyncpg URL of it.

    A `durable` one waits for the disk as PostgreSQL does by default. Without PostgreSQL the test
    is skipped, or fails where POSTGRES=required.
    """
    initdb, server = program("initdb"), program("postgres")
    with tempfile.TemporaryDirectory(prefix="gates-postgres-") as name:
        folder, port = Path(name), _free_port()
        _as_postgres(initdb, "-D", str(_owned(folder)), "-U", "postgres", "-A", "trust", "-N")
        command = [server, "-D", str(folder), "-p", str(port), "-k", str(folder), "-h", HOST]
        options = [part for one in (() if durable else _FAST) for part in ("-c", one)]
        with (folder / "log").open("wb") as log:
            running = subprocess.Popen([*command, *options], stdout=log, stderr=log, **_user())
        try:
            _wait(running, port, folder / "log")
            url = f"postgresql+asyncpg://postgres@{HOST}:{port}/postgres"
            yield new_database(url, "argilla")
        finally:
            _end(running)
            if (folder / "postmaster.pid").exists():  # `stopped` started another
                _as_postgres(program("pg_ctl"), "-D", name, "stop", "-m", "immediate")


def new_database(url: str, name: str) -> str:
    """The URL of a new, empty database in the cluster of `url`."""
    before, _, _ = url.rpartition("/")
    port = before.rpartition(":")[2]
    where = ["-h", HOST, "-p", port, "-U", "postgres"]
    subprocess.run([program("createdb"), *where, name], check=True, capture_output=True)
    return f"{before}/{name}"


@contextmanager
def stopped(url: str) -> Iterator[None]:
    """The cluster of `url` is down meanwhile, at once as after a crash; then it is there again."""
    where = url.replace("+asyncpg", "")
    show = [program("psql"), "-tAc", "SHOW data_directory", where]
    folder = subprocess.run(show, capture_output=True, text=True, check=True).stdout.strip()
    control = (program("pg_ctl"), "-D", folder)
    port = where.rpartition("/")[0].rpartition(":")[2]
    _as_postgres(*control, "stop", "-m", "immediate")
    try:
        yield
    finally:
        options = f"-p {port} -k {folder} -h {HOST}"
        _as_postgres(*control, "-l", f"{folder}/log-again", "-o", options, "start")


def program(name: str) -> str:
    """The path of a program of PostgreSQL's, also where Debian hides it."""
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=_version)
    found = [str(path) for path in hidden[-1:]] or [shutil.which(name)]
    if found[0]:
        return found[0]
    sentence = f"PostgreSQL's {name} was not found; get it by `apt-get install postgresql`"
    if os.environ.get("POSTGRES") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


def _version(path: Path) -> float:
    return float(path.parts[-3])


def _user() -> dict[str, Any]:
    """Who runs it and where, as arguments of `subprocess`; Ctrl-C reaches the test alone."""
    other = {"user": "postgres", "group": "postgres", "extra_groups": []}
    return {"cwd": "/", "start_new_session": True, **(other if os.geteuid() == 0 else {})}


def _owned(folder: Path) -> Path:
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    return folder


def _as_postgres(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **_user())
    assert done.returncode == 0, done.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait(running: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    ready = [program("pg_isready"), "-q", "-h", HOST, "-p", str(port)]
    deadline = time.monotonic() + START_WITHIN
    while subprocess.run(ready, check=False).returncode:
        if running.poll() is not None or time.monotonic() > deadline:
            pytest.fail(log.read_text(errors="replace"))
        time.sleep(0.1)


def _end(running: "subprocess.Popen[bytes]") -> None:
    """End it, whoever is connected (that is what SIGINT means to it)."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(15)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
