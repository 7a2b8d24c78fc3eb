"""The server's environment: pinned, made once, mended when it is not whole."""

import re
import threading
import time
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from labelling.server import environment
from labelling.server.processes import ServiceFailure


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with nothing to install, in a folder that `VENV_SERVER` names."""
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("")
    monkeypatch.setattr(environment, "REQUIREMENTS", requirements)
    monkeypatch.setenv("VENV_SERVER", str(tmp_path / "moved"))
    return tmp_path / "moved"


def test_every_requirement_is_pinned_and_names_no_place() -> None:
    lines = environment.REQUIREMENTS.read_text().split("\n")
    for line in filter(None, lines):
        requirement = Requirement(line)
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), line
        assert requirement.url is None


def test_it_is_made_where_it_is_wanted_and_then_kept(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = environment.ensure(tmp_path)
    assert python == small / "bin" / "python"
    assert "Making the annotation server's environment" in capsys.readouterr().err
    assert environment.ensure(tmp_path) == python
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("damage", ["killed midway", "other requirements"])
def test_what_is_not_whole_is_made_anew(small: Path, tmp_path: Path, damage: str) -> None:
    environment.ensure(tmp_path)
    leftover = small / "leftover"
    leftover.touch()
    if damage == "killed midway":
        (small / "requirements.sha256").unlink()
    else:
        environment.REQUIREMENTS.write_text("# changed\n")
    assert not environment.is_current(small)
    environment.ensure(tmp_path)
    assert environment.is_current(small)
    assert not leftover.exists()


def test_a_failure_is_one_sentence_and_leaves_no_stamp(small: Path, tmp_path: Path) -> None:
    environment.REQUIREMENTS.write_text(f"{tmp_path}/no-such-package.whl\n")
    with pytest.raises(ServiceFailure, match=r"could not be made \(ERROR: .*\); check that"):
        environment.ensure(tmp_path)
    assert not environment.is_current(small)


def test_the_lock_makes_the_second_wait_and_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order: list[str] = []

    def second() -> None:
        with environment.locked(tmp_path, "Waiting for the first ..."):
            order.append("second")

    with environment.locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    with environment.locked(tmp_path, "Waiting for nobody ..."):
        assert capsys.readouterr().err == "Waiting for the first ...\n"
