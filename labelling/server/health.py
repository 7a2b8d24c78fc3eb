"""What stands in the way of the services, a sentence each; nothing is changed by looking.

For `gates doctor`, whether they run or not. Standard library only: what needs a driver is asked
of the launcher, in the server's environment.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelling.server import environment, ports, whereabouts
from labelling.server.backends import Backends, asked_for
from labelling.server.plan import valkey_binary
from labelling.server.processes import LOCAL, Process, ServiceFailure, answers
from labelling.server.state import what_runs

CHECK_WITHIN = 90.0  # seconds
FEW_BYTES = 20_000_000
"""With less than this even a start fails."""


@dataclass(frozen=True)
class Trouble:
    """What was looked at, and one sentence: what was found; what to do."""

    what: str
    sentence: str


def troubles(root: Path, folder: Path) -> list[Trouble]:
    """What is wrong with the services of the repository at `root` whose folder is `folder`."""
    try:
        backends = asked_for()
        of_others = bool(backends.servers() or whereabouts.postgresql_of(folder))
    except ServiceFailure as failure:
        return [Trouble("settings", str(failure))]
    if full := _full(folder):
        return [full]
    state = what_runs(folder)
    running = [name for name, one in state.get("processes", {}).items() if Process(**one).runs()]
    if "supervisor" in running:
        found = [*_away(state), *_restarted(state, folder)]
        if not of_others:  # what is our own was looked at just now
            return found
    else:
        found = [_left(running)] if running else [*_port(backends)]
    return [*found, *_made(root, folder, backends)]


def _full(folder: Path) -> Trouble | None:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(there).free
    if free >= FEW_BYTES:
        return None
    return Trouble(
        "services' disk",
        f"The disk of {there} has {free / 1e6:.1f} MB left, so no answer can be stored; free some "
        "space, or set GATES_DATA to a folder on another disk.",
    )


def _left(running: list[str]) -> Trouble:
    return Trouble(
        "services",
        f"Their supervisor was killed, and {', '.join(running)} run on without it, so nothing "
        "starts them again when they end; `gates up` ends them and starts all anew, `gates down` "
        "only ends them.",
    )


def _away(state: dict[str, Any]) -> Iterator[Trouble]:
    pages = {"Argilla": state["argilla_url"], "JupyterLab": state["jupyter_url"]}
    for name, page in pages.items():
        if not answers(page):
            where = page.split("?")[0]
            yield Trouble(
                name,
                f"It does not answer at {where}, though its supervisor runs; wait a minute, then "
                "start it anew with `gates down` and `gates up`.",
            )


def _restarted(state: dict[str, Any], folder: Path) -> Iterator[Trouble]:
    for name, times in state.get("restarts", {}).items():
        yield Trouble(
            name,
            f"It ended by itself and was started again, {_in_a_row(times)}; "
            f"see {folder / 'logs' / name}.log.",
        )


def _in_a_row(times: int) -> str:
    return "once" if times == 1 else f"{times} times in a row"


def _port(backends: Backends) -> Iterator[Trouble]:
    if backends.port:
        try:
            ports.wanted_port(backends.port, LOCAL)
        except ServiceFailure as failure:
            yield Trouble("port", str(failure))


def _made(root: Path, folder: Path, backends: Backends) -> Iterator[Trouble]:
    """What the server's environment lacks or cannot reach; it is made at the first start."""
    home = environment.location(root)
    if not environment.is_current(home):
        return
    try:
        if not backends.redis:
            valkey_binary(environment.python_of(home))
        if whereabouts.was_started(folder) or backends.servers():
            yield from _reached(root, folder, environment.python_of(home))
    except ServiceFailure as failure:
        yield Trouble("server environment", str(failure))


def _reached(root: Path, folder: Path, python: Path) -> list[Trouble]:
    with _or_scratch(folder) as state:
        command = [str(python), "-m", "labelling.server.launch", "check", "--state", str(state)]
        try:
            done = subprocess.run(
                command,
                cwd=root,
                env={**os.environ, **_as_it_ran(folder)},
                capture_output=True,
                text=True,
                timeout=CHECK_WITHIN,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ServiceFailure(
                f"The back ends did not answer within {CHECK_WITHIN:.0f} s; see that what the "
                "ARGILLA_ variables name runs and can be reached."
            ) from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise ServiceFailure(
            f"The server's environment cannot run Argilla ({(said or ['no message'])[-1]}); "
            f"delete {python.parent.parent} to have it made anew."
        )
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return [Trouble(what, sentence) for what, sentence in found.items()]


def _as_it_ran(folder: Path) -> dict[str, str]:
    """The PostgreSQL of the last start, also for whoever looks from another shell."""
    url = whereabouts.postgresql_of(folder)
    return {whereabouts.URL: url} if url else {}


@contextmanager
def _or_scratch(folder: Path) -> Iterator[Path]:
    """The services' folder, or an empty one for the time being where nothing was started yet."""
    if (folder / "argilla").is_dir() and os.access(folder, os.W_OK):
        yield folder
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield Path(scratch)
