"""Argilla alone, without supervisor and JupyterLab: what can be killed and started at will.

    with alone(folder, {"ARGILLA_DATABASE_URL": url}, annotators=8) as server:
        server.kill(); server.start()

With the settings of `opensearch()` and the launcher `opensearch_standin` it runs Argilla's own
search engine over an in-memory stand-in for OpenSearch.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

from osmem_server import OsmemServer

from labelling.server import environment, plan, ports
from labelling.server.processes import LOCAL, Process, answers, end, last_lines
from labelling.server.state import make_folder
from labelling.server.supervisor import Child
from labelling.services import Services, doorway

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
START_WITHIN = 180.0  # seconds


class Alone:
    """The processes; `services` is what the clients of the tests ask for."""

    def __init__(self, folder: Path, children: list[Child], environment: Mapping[str, str]) -> None:
        self.children = {child.name: child for child in children}
        self.environment = environment
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.page = self.children["argilla"].page
        url = self.page.removesuffix("/api/v1/version")
        self.services = Services(url, "", folder / "accounts.json", {})

    def start(self) -> None:
        """Start what does not run, and wait until the page answers."""
        for name, child in self.children.items():
            if name not in self.running or self.running[name].poll() is not None:
                self.running[name] = self._spawn(child)
        deadline = time.monotonic() + START_WITHIN
        while not answers(self.page):
            log = Path(self.children["argilla"].log)
            assert self.running["argilla"].poll() is None, last_lines(log)
            assert time.monotonic() < deadline, last_lines(log)
            time.sleep(0.1)

    def kill(self, name: str = "argilla") -> None:
        """SIGKILL to the one process, as the system does that runs out of memory."""
        os.kill(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()

    def stop(self) -> None:
        """End all."""
        end(Process.of(one.pid) for one in self.running.values() if one.poll() is None)
        for one in self.running.values():
            one.wait()

    def _spawn(self, child: Child) -> "subprocess.Popen[bytes]":
        with Path(child.log).open("ab") as log:
            return subprocess.Popen(
                child.command,
                cwd=ROOT,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


@contextmanager
def alone(
    folder: Path,
    settings: Mapping[str, str] | None = None,
    *,
    annotators: int = 2,
    launcher: str = "labelling.server.launch",
) -> Iterator[Alone]:
    """A running server whose state is in the folder, with accounts `owner`, `a0`, `a1`, ...

    Without annotators the accounts are those that a first start makes. `launcher` is the module
    that is run; it may be one of this folder.
    """
    settings = {"PYTHONPATH": str(HERE), **(settings or {})}
    make_folder(folder)
    if annotators:
        _write_accounts(folder / "accounts.json", annotators)
    python = environment.ensure(ROOT)
    with mock.patch.dict(os.environ, settings), environment.locked(doorway()):
        # Far from where others start: they would take the port while this server is killed.
        port = ports.free_port(random.randrange(20_000, 30_000), LOCAL)
        children = plan.server_children(folder, python, LOCAL, port)
        server = Alone(folder, [_by(launcher, one) for one in children], settings)
        server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def opensearch() -> Iterator[dict[str, str]]:
    """A running stand-in for OpenSearch, as the settings that make Argilla use it."""
    server = OsmemServer.start()
    try:
        yield {"ARGILLA_SEARCH_ENGINE": "opensearch", "ARGILLA_ELASTICSEARCH": server.url}
    finally:
        server.process.kill()
        server.process.wait()


def _by(launcher: str, child: Child) -> Child:
    command = [launcher if one == "labelling.server.launch" else one for one in child.command]
    return replace(child, command=command)


def _write_accounts(file: Path, annotators: int) -> None:
    roles = {"owner": "owner"} | {f"a{i}": "annotator" for i in range(annotators)}
    made = {name: {"password": f"{name}-password", "role": role} for name, role in roles.items()}
    file.write_text(json.dumps(made))
