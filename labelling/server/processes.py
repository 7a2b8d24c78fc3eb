"""Processes and files of the services: who runs, ending them, asking a page, private files.

A process is known by its id and its command line together, since ids are used again. Times are
seconds. Standard library only.
"""

import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LOCAL = "127.0.0.1"
STOP_WITHIN = 15.0
REFUSED = 78
"""How a service ends whose last line says why it cannot run: to start it again would not help."""
_HALF = ".part"
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never by a proxy


class ServiceFailure(RuntimeError):
    """A service cannot be made or kept running: one sentence that says why."""


@dataclass(frozen=True)
class Process:
    """A process as it was when it started."""

    pid: int
    command: str

    @classmethod
    def of(cls, pid: int) -> "Process":
        """The process that has this id now."""
        deadline = time.monotonic() + 1
        while not (command := command_of(pid)) and time.monotonic() < deadline:
            time.sleep(0.005)  # just started: its command line is not there yet
        return cls(pid, command)

    def runs(self) -> bool:
        """Whether this very process still runs."""
        return bool(self.command) and command_of(self.pid) == self.command


def command_of(pid: int) -> str:
    """The command line of a running process, empty when there is none (or it is a zombie)."""
    if Path("/proc/self/cmdline").exists():
        with suppress(OSError):
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            return line.replace(b"\0", b" ").decode(errors="replace").strip()
        return ""
    ps = ["ps", "-p", str(pid), "-o", "command="]
    return subprocess.run(ps, capture_output=True, text=True, check=False).stdout.strip()


def end(processes: Iterable[Process], within: float = STOP_WITHIN) -> bool:
    """Ask the processes (and their groups) to end, and make them; whether any ran."""
    ours = [process for process in processes if process.runs()]
    _signal(ours, signal.SIGTERM)
    deadline = time.monotonic() + within
    while time.monotonic() < deadline and any(process.runs() for process in ours):
        time.sleep(0.05)
    _signal([process for process in ours if process.runs()], signal.SIGKILL)
    return bool(ours)


def _signal(processes: Iterable[Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            # A supervisor in a terminal shares its group with the shell's job: only itself.
            leads = os.getpgid(process.pid) == process.pid
            (os.killpg if leads else os.kill)(process.pid, number)


def answers(page: str, within: float = 2.0) -> bool:
    """Whether the page answers without a server error."""
    try:
        with _DIRECT.open(page, timeout=within) as answer:
            return bool(answer.status < 500)
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def write_private(path: Path, text: str) -> None:
    """Write the file whole or not at all, readable by its owner alone (0600).

    Killed on the way it leaves half a file, which `clear_halves` removes.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_HALF)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def clear_halves(folder: Path) -> None:
    """Remove what killed writers left in the folder; nobody may be writing there just now."""
    for half in folder.glob(f".*{_HALF}"):
        half.unlink(missing_ok=True)


def last_lines(log: Path, count: int = 5, after: int = 0) -> str:
    """The last lines of a log that say something, on one line; of what follows `after` bytes."""
    if not log.is_file():
        return ""
    lines = log.read_bytes()[after:].decode(errors="replace").splitlines()
    return " | ".join([line.strip() for line in lines if line.strip()][-count:])
