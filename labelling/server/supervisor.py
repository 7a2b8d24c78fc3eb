"""Keeps the services running: starts children in order, restarts what dies, stops all.

A plan is plain data, so that a detached process can read it: what to run, and where to write
the state file, which says what runs, whether the pages answer, and how often a child had to be
started again. Times are seconds. Standard library only; detached it runs as `python -m
labelling.server.supervisor PLAN LOCK...`, where a LOCK is an inherited file descriptor: the lock
of the start, which ends when all is ready.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from labelling.server.processes import (
    REFUSED,
    Process,
    ServiceFailure,
    answers,
    end,
    last_lines,
    write_private,
)

START_WITHIN = 180.0
STEADY_AFTER = 60.0  # who runs so long is well again
LONGEST_PAUSE = 60.0  # between two starts of a child that dies again and again
_TICK = 0.2


@dataclass(frozen=True)
class Child:
    """A process to keep running; `page` tells that it is ready, a `late` one waits for all."""

    name: str
    command: list[str]
    log: str
    environment: dict[str, str] = field(default_factory=dict)
    page: str = ""
    late: bool = False
    private: bool = True
    """Whether its files are for their owner alone."""


@dataclass(frozen=True)
class Plan:
    """What to run in which folder; `facts` go into the state file as they are."""

    children: list[Child]
    folder: str
    state_file: str
    facts: dict[str, str]

    def save(self, path: Path) -> None:
        """Write the plan, readable by its owner alone."""
        write_private(path, json.dumps(asdict(self)))

    @classmethod
    def load(cls, path: Path) -> "Plan":
        """Read a plan that `save` wrote."""
        plan = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**plan, "children": [Child(**child) for child in plan["children"]]})


def supervise(plan: Plan, on_ready: Callable[[], None] = lambda: None) -> None:
    """Run the plan until SIGINT, SIGTERM or SIGHUP; then stop the children and return.

    `on_ready` is called once, when every page answers. Raises ServiceFailure when a service
    does not start; once all did, what dies is started again for ever. However it ends, nothing
    runs on.
    """
    kept = [_Kept(child, plan.folder) for child in plan.children]
    try:
        with _stop_signal() as stopped:
            _start(plan, [one for one in kept if not one.child.late], stopped)
            if not stopped():
                _start(plan, kept, stopped)
                _write_state(plan, kept, ready=True)
                on_ready()
            while not stopped():
                time.sleep(_TICK)
                if _revive(kept):
                    _write_state(plan, kept, ready=True)
            print("Stopping the services ...", file=sys.stderr, flush=True)
    finally:
        end(one.known for one in kept if one.process)
        Path(plan.state_file).unlink(missing_ok=True)


def _start(plan: Plan, kept: list["_Kept"], stopped: Callable[[], bool]) -> None:
    """Start those that do not run yet, and wait until every page answers."""
    for one in kept:
        if one.process is None:
            one.spawn()
            _write_state(plan, kept, ready=False)
    deadline = time.monotonic() + START_WITHIN
    waiting = [one for one in kept if one.child.page]
    while not stopped() and (waiting := [one for one in waiting if not answers(one.child.page)]):
        if _revive(kept, once=True):
            _write_state(plan, kept, ready=False)
        if time.monotonic() > deadline:
            raise waiting[0].failure(f"did not answer within {START_WITHIN:.0f} s")
        time.sleep(_TICK)


def _revive(kept: list["_Kept"], *, once: bool = False) -> bool:
    """Start again what died and has paused; whether any was."""
    revived = [one.child.name for one in kept if one.revive(once=once)]
    return bool(revived)


def _write_state(plan: Plan, kept: list["_Kept"], *, ready: bool) -> None:
    processes = {"supervisor": asdict(Process.of(os.getpid()))}
    processes |= {one.child.name: asdict(one.known) for one in kept if one.process}
    restarts = {one.child.name: one.restarts for one in kept if one.restarts}
    state = {**plan.facts, "ready": ready, "processes": processes, "restarts": restarts}
    write_private(Path(plan.state_file), json.dumps(state, indent=2))


class _Kept:
    """A child, its process, and how often it had to be started again."""

    def __init__(self, child: Child, folder: str) -> None:
        self.child, self.folder = child, folder
        self.process: subprocess.Popen[bytes] | None = None
        self.known = Process(0, "")
        self.started = self.due = 0.0
        self.restarts = self.said_before = 0

    def spawn(self) -> None:
        """Start the process, in a session of its own: Ctrl-C reaches the supervisor alone."""
        log = os.open(self.child.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.said_before = Path(self.child.log).stat().st_size
        try:
            self.process = subprocess.Popen(
                self.child.command,
                cwd=self.folder,
                env={**os.environ, **self.child.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077 if self.child.private else -1,
            )
        finally:
            os.close(log)
        self.known = Process.of(self.process.pid)
        self.started, self.due = time.monotonic(), 0.0

    def revive(self, *, once: bool) -> bool:
        """Start a dead process again after a pause of 1, 2, 4, ... s; whether it was now.

        Raises ServiceFailure where it had its one chance.
        """
        if self.process is None or self.process.poll() is None:
            return False
        now = time.monotonic()
        if not self.due:
            self._died(now, self.process.returncode, once)
        if now < self.due:
            return False
        self.spawn()
        return True

    def _died(self, now: float, code: int, once: bool) -> None:
        self.restarts = self.restarts + 1 if now - self.started < STEADY_AFTER else 1
        failure = self.failure(f"ended with code {code}", refused=code == REFUSED)
        if once and (self.restarts > 1 or code == REFUSED):
            raise failure
        pause = min(2.0 ** (self.restarts - 1), LONGEST_PAUSE)
        if not once:
            again = f"starting {self.child.name} again in {pause:.0f} s"
            print(f"{str(failure).rstrip('.')}; {again}", file=sys.stderr, flush=True)
        self.due = now + pause

    def failure(self, what: str, *, refused: bool = False) -> ServiceFailure:
        """The sentence for a service that will not run; its own one where it refused."""
        log = Path(self.child.log)
        if refused:
            return ServiceFailure(last_lines(log, 1, after=self.said_before))
        said = last_lines(log, after=self.said_before)
        return ServiceFailure(f"The service {self.child.name} {what} ({said}); see {log}")


@contextmanager
def _stop_signal() -> Iterator[Callable[[], bool]]:
    """Whether a signal to stop has come; the signals' former meaning is put back at the end."""
    received: list[int] = []
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    former = {one: signal.signal(one, lambda number, _: received.append(number)) for one in wanted}
    try:
        yield lambda: bool(received)
    finally:
        for one, meaning in former.items():
            signal.signal(one, meaning)


def main() -> int:
    """Supervise the plan named on the command line; 1 and a sentence when it fails."""
    plan, *locks = sys.argv[1:]

    def let_go() -> None:
        for lock in locks:
            os.close(int(lock))

    try:
        supervise(Plan.load(Path(plan)), let_go)
    except ServiceFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
