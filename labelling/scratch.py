"""A server of its own for a while: Argilla on a copy, beside whatever else runs.

It is started as `gates up` starts one, without JupyterLab and background jobs, and ends with the
block, also where its starter is killed.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from labelling.server import environment, ports
from labelling.server.plan import server_children
from labelling.server.processes import LOCAL, Process, ServiceFailure, end, last_lines
from labelling.server.state import make_folder, what_runs
from labelling.server.supervisor import START_WITHIN, Child, Plan
from labelling.services import doorway


@contextmanager
def scratch(root: Path, folder: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """The address of a server whose state is in `folder`; `settings` go into its environment.

    Raises ServiceFailure where it does not start.
    """
    make_folder(folder)
    python = environment.ensure(root)
    own = {"ARGILLA_HOME_PATH": str(folder / "argilla"), "ARGILLA_SEARCH_ENGINE": "database"}
    own |= {"GATES_ARGILLA_WORKERS": "1", "GATES_ARGILLA_PORT": "", **settings}
    with environment.locked(doorway()):
        port = ports.free_port(ports.ARGILLA, LOCAL)
        *children, _ = server_children(folder, python, LOCAL, port)
        running = _start(root, folder, [replace(child, environment=own) for child in children])
        try:
            _wait(running, folder)
        except BaseException:
            _stop(running)
            raise
    try:
        yield f"http://{LOCAL}:{port}"
    finally:
        _stop(running)


def _start(root: Path, folder: Path, children: list[Child]) -> "subprocess.Popen[bytes]":
    plan = Plan(children, str(root), str(folder / "services.json"), {})
    plan.save(folder / "plan.json")
    command = [sys.executable, "-m", "labelling.server.tethered", str(folder / "plan.json")]
    with _log(folder).open("wb") as log:
        _log(folder).chmod(0o600)
        return subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _wait(running: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Until the state file says that all is ready."""
    deadline = time.monotonic() + START_WITHIN
    while not what_runs(folder).get("ready"):
        if running.poll() is not None or time.monotonic() > deadline:
            raise ServiceFailure(f"a server did not start on it ({last_lines(_log(folder))})")
        time.sleep(0.1)


def _stop(running: "subprocess.Popen[bytes]") -> None:
    if running.stdin:
        running.stdin.close()
    try:
        running.wait(30)
    except subprocess.TimeoutExpired:
        end([Process.of(running.pid)])


def _log(folder: Path) -> Path:
    return folder / "logs" / "supervisor.log"
