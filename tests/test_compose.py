"""compose.yaml: of the compose specification, closed to the outside; its commands really run."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import yaml
from alone import ROOT
from postgres import postgres

from labelling.server import environment, ports
from labelling.server.plan import valkey_binary
from labelling.server.processes import LOCAL, Process, answers, end

FILE = ROOT / "compose.yaml"
SERVICES = yaml.safe_load(FILE.read_text())["services"]


def test_it_is_of_the_compose_specification(tmp_path: Path) -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    assert subprocess.run([*check, str(FILE)], capture_output=True, check=False).returncode == 0
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(FILE.read_text().replace("healthcheck:", "health:"))
    assert subprocess.run([*check, str(wrong)], capture_output=True, check=False).returncode == 1


def test_only_the_page_is_published_and_only_here() -> None:
    published = {name: one["ports"] for name, one in SERVICES.items() if "ports" in one}
    assert published == {"argilla": ["127.0.0.1:6900:6900"]}


def test_no_password_stands_in_it() -> None:
    for name in ("POSTGRES_PASSWORD", "VALKEY_PASSWORD"):
        assert "${" + name + ":?" in FILE.read_text()
    assert not re.search(r"PASSWORD: (?!\$\{)", FILE.read_text())


def test_what_is_kept_outlives_a_container() -> None:
    kept = {name: one["volumes"] for name, one in SERVICES.items()}
    volumes = yaml.safe_load(FILE.read_text())["volumes"]
    assert {one.split(":")[0] for names in kept.values() for one in names} == set(volumes)
    assert kept["argilla"] == kept["worker"]


@contextmanager
def started(folder: Path, url: str) -> Iterator[str]:
    """Valkey, Argilla and worker as the file says, but for hosts, ports and folder; Argilla's URL.

    They run in a copy of the folder that the image is built from, without the rest of this one.
    """
    ours = shutil.ignore_patterns("__pycache__")
    shutil.copytree(
        ROOT / SERVICES["argilla"]["build"]["context"], folder / "labelling", ignore=ours
    )
    python, port = environment.ensure(ROOT), ports.free_port(31_000, LOCAL)
    words = {"python": str(python), "valkey-server": str(valkey_binary(python)), "6900": str(port)}
    queue = ports.free_port(31_500, LOCAL)
    places = {
        "argilla:secret@postgres:5432/argilla": url.partition("://")[2],
        "valkey:6379": f"{LOCAL}:{queue}",
        "0.0.0.0": LOCAL,
        "/state": str(folder / "state"),
    }

    def here(said: str) -> str:
        said = re.sub(r"\$\{\w+:\?[^}]*\}", "secret", words.get(said, said))
        said = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", said)
        for theirs, its in places.items():
            said = said.replace(theirs, its)
        return said

    with ExitStack() as running:
        for name in ("valkey", "argilla", "worker"):
            command = [here(word) for word in SERVICES[name]["command"]]
            command += ["--port", str(queue)] if name == "valkey" else []
            asked = SERVICES[name].get("environment", {})
            settings = {key: here(value) for key, value in asked.items()}
            running.enter_context(_running(command, folder, settings))
        yield f"http://{LOCAL}:{port}"


@contextmanager
def _running(command: list[str], folder: Path, settings: dict[str, str]) -> Iterator[None]:
    settings = {"PATH": os.environ["PATH"], **settings}
    with (folder / "log").open("ab") as log:
        one = subprocess.Popen(
            command, cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield
        assert one.poll() is None, (folder / "log").read_text()
    finally:
        end([Process.of(one.pid)] if one.poll() is None else [])
        one.wait()


@pytest.mark.server
@pytest.mark.long
def test_its_commands_run_from_the_folder_it_is_built_from(tmp_path: Path) -> None:
    with postgres() as url, started(tmp_path, url) as page:
        deadline = time.monotonic() + 180
        while not answers(f"{page}/api/v1/version"):
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.3)
        _, _, *code = SERVICES["argilla"]["healthcheck"]["test"]
        assert SERVICES["argilla"]["healthcheck"]["test"][:2] == ["CMD", "python"]
        healthy = [word.replace("http://127.0.0.1:6900", page) for word in code]
        assert subprocess.run([sys.executable, *healthy], check=False).returncode == 0
