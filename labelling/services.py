"""`gates up` and `gates down`: Argilla and JupyterLab, started, found again and stopped.

Everything they keep is in `<data>/.services`: `services.json` (what runs), `accounts.json`,
`secrets.json`, `logs/`, and the homes of Argilla, Valkey and Jupyter; what holds a secret is
0600. Valkey and JupyterLab listen on 127.0.0.1 only. Passwords and tokens are made once and
kept, so a restart changes no address book.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from labelling.server.environment import locked
from labelling.server.plan import make_plan
from labelling.server.ports import check_host
from labelling.server.processes import LOCAL, Process, ServiceFailure, answers, end, last_lines
from labelling.server.state import make_folder, what_runs
from labelling.server.supervisor import START_WITHIN, Plan, supervise
from labelling.tables import InputError

PATIENCE = 60.0  # seconds, with services that run but do not answer
T = TypeVar("T")


@dataclass(frozen=True)
class Services:
    """Running services. `jupyter_url` carries the token, so it opens without another question."""

    argilla_url: str
    jupyter_url: str
    accounts_file: Path
    pids: dict[str, int]


def up(
    root: Path,
    data: Path,
    *,
    host: str = LOCAL,
    detach: bool = False,
    on_ready: Callable[[Services], None] | None = None,
) -> Services:
    """Start Argilla (on `host`) and JupyterLab (on 127.0.0.1), or find them running.

    In the foreground it returns after Ctrl-C or SIGTERM, when all is stopped; detached, as soon
    as both pages answer. `on_ready` is called when they do, also with services found running.
    `root` is the repository, `data` the folder of the studies. Raises InputError.
    """
    _checked(lambda: check_host(host))
    folder = make_folder(data.absolute() / ".services")
    tell = on_ready or (lambda services: None)
    with ExitStack() as starting:
        locks = [starting.enter_context(locked(folder, _waiting(data)))]
        services = _found(data)
        if not services:
            _clear(data)
            locks.append(starting.enter_context(locked(doorway(), _waiting())))
            plan = _checked(lambda: make_plan(root.absolute(), folder, host))
            if not detach:
                return _foreground(plan, data, starting.close, tell)
            services = _detached(plan, folder, data, locks)
    tell(services)
    return services


def running(data: Path) -> Services | None:
    """The services that run for this data folder: every process is ours and both pages answer."""
    state = _state(data)
    processes = _processes(data)
    if not state.get("ready") or not all(process.runs() for process in processes):
        return None
    pages = [state["argilla_url"], state["jupyter_url"]]
    return _services(state) if all(map(answers, pages)) else None


def alive(data: Path) -> bool:
    """Whether any process of these services runs, whether the pages answer or not."""
    return any(process.runs() for process in _processes(data))


def down(data: Path) -> bool:
    """Stop the services of this data folder; False when none ran."""
    ran = end(_supervisor(data), within=30)  # it stops the others itself
    return _clear(data) or ran


def _clear(data: Path) -> bool:
    """End what a killed supervisor left behind; whether anything was."""
    ran = end(_processes(data))
    _state_file(data).unlink(missing_ok=True)
    return ran


def doorway() -> Path:
    """The folder whose lock this user's starts take in turn.

    A port is free until its service listens, seconds later: of two starts for different data
    folders at once, both would choose it.
    """
    folder = Path(tempfile.gettempdir()) / f"gates-starting-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _state_file(data: Path) -> Path:
    return data.absolute() / ".services" / "services.json"


def _state(data: Path) -> dict[str, Any]:
    return what_runs(_state_file(data).parent)


def _pids(state: dict[str, Any]) -> dict[str, int]:
    return {name: process["pid"] for name, process in state.get("processes", {}).items()}


def _processes(data: Path) -> list[Process]:
    return [Process(**process) for process in _state(data).get("processes", {}).values()]


def _supervisor(data: Path) -> list[Process]:
    pid = _pids(_state(data)).get("supervisor")
    return [process for process in _processes(data) if process.pid == pid]


def _services(state: dict[str, Any]) -> Services:
    accounts = Path(state["accounts_file"])
    return Services(state["argilla_url"], state["jupyter_url"], accounts, _pids(state))


def _waiting(data: Path | None = None) -> str:
    """What is said where another start holds the lock; killed, it leaves its supervisor to it."""
    if data is None:
        return "Another start on this machine chooses its ports; waiting until its pages answer ..."
    return (
        f"Another start for {data} is under way; waiting until its pages answer (at most "
        f"{START_WITHIN:.0f} s; `gates down` stops it) ..."
    )


def _found(data: Path) -> Services | None:
    """Running services; where their supervisor lives but a page is away, wait for it a while."""
    deadline, told = time.monotonic() + PATIENCE, False
    while not (services := running(data)):
        supervisor = next((one for one in _supervisor(data) if one.runs()), None)
        if supervisor is None:
            return None
        if not told:
            _say(f"The services run, but a page does not answer; waiting {PATIENCE:.0f} s for it")
            told = True
        if time.monotonic() > deadline:
            _say("It does not come; the services are stopped and started anew")
            return None
        time.sleep(0.5)
    return services


def _say(sentence: str) -> None:
    print(f"{sentence} ...", file=sys.stderr, flush=True)


def _foreground(
    plan: Plan, data: Path, started: Callable[[], None], on_ready: Callable[[Services], None]
) -> Services:
    last: list[Services] = []

    def ready() -> None:
        started()
        last.append(_services(_state(data)))
        on_ready(last[0])

    _checked(lambda: supervise(plan, ready))
    if not last:
        raise InputError("The services were stopped before both pages answered")
    return last[0]


def _checked(step: Callable[[], T]) -> T:
    """Do the step; a service's failure is what the command line prints."""
    try:
        return step()
    except ServiceFailure as failure:
        raise InputError(str(failure)) from failure


def _detached(plan: Plan, folder: Path, data: Path, locks: list[int]) -> Services:
    """Start a supervisor of its own, which holds the locks too until the pages answer.

    So where this start is killed, the next one waits for what it began.
    """
    log = folder / "logs" / "supervisor.log"
    plan.save(folder / "plan.json")
    supervisor = _spawn_supervisor(folder / "plan.json", plan.folder, log, locks)
    deadline = time.monotonic() + 2 * START_WITHIN
    try:
        while supervisor.poll() is None and time.monotonic() < deadline:
            if _state(data).get("ready"):
                return _services(_state(data))
            time.sleep(0.2)
    except KeyboardInterrupt:
        end([Process.of(supervisor.pid)])
        raise
    end([Process.of(supervisor.pid)])
    raise InputError(last_lines(log, 1) or f"Argilla and JupyterLab did not start; see {log}")


def _spawn_supervisor(
    plan: Path, folder: str, log: Path, locks: list[int]
) -> "subprocess.Popen[bytes]":
    log.unlink(missing_ok=True)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    command = [sys.executable, "-m", "labelling.server.supervisor", str(plan), *map(str, locks)]
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
            pass_fds=locks,
        )
    finally:
        os.close(handle)
