"""The supervisor: starts, restarts, gives up in a sentence, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from labelling.server.environment import locked
from labelling.server.processes import Process, end
from labelling.server.supervisor import Child, Plan

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a detached supervisor over Python scripts `name=code`; what is left is ended."""
    started: list[subprocess.Popen[str]] = []

    def run(
        pages: dict[str, str] | None = None,
        locks: tuple[int, ...] = (),
        private: dict[str, bool] | None = None,
        **scripts: str,
    ) -> subprocess.Popen[str]:
        children = [
            Child(
                name,
                [sys.executable, "-c", code],
                str(tmp_path / f"{name}.log"),
                page=(pages or {}).get(name, ""),
                private=(private or {}).get(name, True),
            )
            for name, code in scripts.items()
        ]
        plan = Plan(children, str(tmp_path), str(tmp_path / "state.json"), {"fact": "kept"})
        plan.save(tmp_path / "plan.json")
        command = [
            sys.executable,
            "-m",
            "labelling.server.supervisor",
            str(tmp_path / "plan.json"),
            *map(str, locks),
        ]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, pass_fds=locks))
        return started[-1]

    yield run
    end(Process.of(one.pid) for one in started if one.poll() is None)


def state(folder: Path) -> dict[str, object]:
    """The state file, once it says that all is ready."""
    file = folder / "state.json"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if file.exists() and json.loads(file.read_text())["ready"]:
            return dict(json.loads(file.read_text()))
        time.sleep(0.05)
    pytest.fail("the services were not ready within 20 s")


def process(folder: Path, name: str) -> Process:
    return Process(**state(folder)["processes"][name])  # type: ignore[index]


def wait_for(condition: Callable[[], bool], within: float = 20) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_runs_all_says_so_and_stops_all(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    supervisor = run(one=SLEEP, two=SLEEP)
    assert state(tmp_path)["fact"] == "kept"
    ours = [process(tmp_path, name) for name in ("supervisor", "one", "two")]
    assert all(one.runs() for one in ours)
    assert (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "one.log").stat().st_mode & 0o777 == 0o600
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(10) == 0
    assert not [one for one in ours if one.runs()]
    assert not (tmp_path / "state.json").exists()


def test_what_dies_is_started_again(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    run(one=SLEEP)
    before = process(tmp_path, "one")
    os.kill(before.pid, signal.SIGKILL)
    wait_for(lambda: process(tmp_path, "one").pid != before.pid)
    assert process(tmp_path, "one").runs()


def test_what_dies_again_and_again_is_started_again_after_longer_pauses(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    """The others run on; the state file says how often, and stderr why."""
    supervisor = run(one=SLEEP, two="raise SystemExit('no space left')")
    well = process(tmp_path, "one")
    wait_for(lambda: state(tmp_path).get("restarts") == {"two": 2})
    assert well.runs()
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(10) == 0
    assert supervisor.stderr is not None
    first, second = supervisor.stderr.read().splitlines()[:2]
    assert first.startswith("The service two ended with code 1 (no space left)")
    assert first.endswith("starting two again in 1 s")
    assert second.endswith("starting two again in 2 s")


def test_a_lock_that_it_inherits_is_held_until_all_is_ready(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    """So the next start waits for this one, though what began it is dead."""
    lock = tmp_path / "lock"
    lock.mkdir()
    with locked(lock) as handle:
        run(locks=(handle,), one=SLEEP)
    with locked(lock):
        assert json.loads((tmp_path / "state.json").read_text())["ready"]
    assert process(tmp_path, "one").runs()


def test_what_cannot_start_is_said_in_one_sentence(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    broken = "raise SystemExit('no such table: users')"
    page = "http://127.0.0.1:9/"  # where nothing answers
    supervisor = run(pages={"two": page}, one=SLEEP, two=broken)
    assert supervisor.wait(20) == 1
    assert supervisor.stderr is not None
    said = supervisor.stderr.read()
    assert said.startswith("The service two ended with code 1 (no such table: users")
    assert said.count("\n") == 1


def test_what_refuses_to_start_is_asked_once_and_says_it_once(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    refusing = "import sys; print('Starting.\\nNo database; start it.'); sys.exit(78)"
    (tmp_path / "two.log").write_text("No database; start it.\n" * 3)  # of an earlier start
    supervisor = run(pages={"two": "http://127.0.0.1:9/"}, one=SLEEP, two=refusing)
    assert supervisor.wait(20) == 1
    assert supervisor.stderr is not None
    assert supervisor.stderr.read() == "No database; start it.\n"
    assert (tmp_path / "two.log").read_text().count("Starting.") == 1


def test_a_log_is_quoted_from_the_last_start_on(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    supervisor = run(pages={"one": "http://127.0.0.1:9/"}, one="raise SystemExit('no luck')")
    assert supervisor.wait(20) == 1
    assert supervisor.stderr is not None
    assert supervisor.stderr.read().count("no luck") == 1


def test_what_a_service_writes_is_its_owner_s_alone_but_not_people_s_notebooks(
    run: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    write = "import sys, time; open(sys.argv[0] + 'written-%s', 'w').close(); time.sleep(60)"
    run(private={"two": False}, one=write.replace("%s", "one"), two=write.replace("%s", "two"))
    state(tmp_path)
    files = [tmp_path / f"-cwritten-{name}" for name in ("one", "two")]
    wait_for(lambda: all(file.exists() for file in files))
    ours = 0o666 & ~_umask()
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, ours]


def _umask() -> int:
    os.umask(now := os.umask(0))
    return now


def test_a_child_that_ignores_the_wish_to_end_is_made_to(tmp_path: Path) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); "
    stubborn = deaf + SLEEP
    child = subprocess.Popen(
        [sys.executable, "-c", stubborn], stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    assert end([Process.of(child.pid)], within=0.5)
    assert child.wait(5) == -signal.SIGKILL


def test_another_process_with_the_same_id_is_let_alone() -> None:
    us = Process.of(os.getpid())
    assert us.runs()
    assert not Process(us.pid, "some other command").runs()
    assert not end([Process(us.pid, "some other command")])
