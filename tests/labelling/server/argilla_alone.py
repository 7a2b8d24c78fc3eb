"""Argilla without supervisor or JupyterLab, in a folder of its own, on any back ends.

    with argilla_alone(folder, ARGILLA_DATABASE_URL=url) as services:
        ...

With `opensearch()` it runs Argilla's own search engine over an in-memory stand-in for OpenSearch
(see `opensearch_standin`).
"""

import os
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from osmem_server import OsmemServer
from services_fixture import ROOT

from labelling.server import environment
from labelling.server.plan import valkey_binary
from labelling.server.ports import free_port
from labelling.server.processes import LOCAL, answers, last_lines
from labelling.services import Services

HERE = Path(__file__).parent
START_WITHIN = 240.0  # seconds


@contextmanager
def argilla_alone(folder: Path, **settings: str) -> Iterator[Services]:
    """A running Argilla with those `ARGILLA_...` settings; its accounts are the usual ones."""
    python, log = environment.ensure(ROOT), folder / "log"
    # by chance: whoever else starts one at the same time looks elsewhere
    port, valkey_port = (free_port(10_000 + random.randrange(9_000), LOCAL) for _ in range(2))
    valkey = [str(valkey_binary(python)), "--bind", LOCAL, "--port", str(valkey_port), "--save", ""]
    own = settings.get("ARGILLA_SEARCH_ENGINE") != "opensearch"
    module = "labelling.server.launch" if own else "opensearch_standin"
    serve = [str(python), "-m", module, "serve", "--state", str(folder)]
    settings = {"ARGILLA_REDIS_URL": f"redis://{LOCAL}:{valkey_port}/0", **settings}
    url = f"http://{LOCAL}:{port}"
    with ExitStack() as running:
        said = running.enter_context(log.open("wb"))
        running.enter_context(_running(valkey, said, {}))
        server = [*serve, "--port", str(port)]
        process = running.enter_context(_running(server, said, settings))
        deadline = time.monotonic() + START_WITHIN
        while not answers(f"{url}/api/v1/version"):
            assert process.poll() is None, last_lines(log)
            assert time.monotonic() < deadline, last_lines(log)
            time.sleep(0.3)
        yield Services(url, "", folder / "accounts.json", {"argilla": process.pid})


@contextmanager
def opensearch() -> Iterator[dict[str, str]]:
    """A running stand-in for OpenSearch, as the settings that make Argilla use it."""
    server = OsmemServer.start()
    try:
        yield {"ARGILLA_SEARCH_ENGINE": "opensearch", "ARGILLA_ELASTICSEARCH": server.url}
    finally:
        server.process.kill()
        server.process.wait()


@contextmanager
def _running(
    command: list[str], log: object, settings: dict[str, str]
) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{HERE}", **settings},
        stdout=log,
        stderr=log,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
