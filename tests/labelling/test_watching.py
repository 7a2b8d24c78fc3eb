"""`gates status --watch` against a real Argilla: what changed since, an absence, and the end."""

import json
import shutil
from pathlib import Path
from uuid import uuid4

import pytest
from round_study import write_study
from services_fixture import services, session  # noqa: F401

from analysis.cli import main
from labelling import rounds
from labelling.rounds import watching
from labelling.services import Services
from tests.labelling.test_rounds import YES, Annotator

pytestmark = pytest.mark.server
TIMES = ("at", "pace")


@pytest.fixture
def server(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    """What tells where Argilla is; without it, nothing answers."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    folder = tmp_path / ".services"
    shutil.copytree(services.accounts_file.parent, folder, ignore=lambda _, names: _others(names))
    return folder / "services.json"


def _others(names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".json")]


def test_later_looks_see_what_changed_and_wait_for_a_server_that_is_away(
    services: Services,  # noqa: F811
    server: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = f"s{uuid4().hex[:8]}"
    first, second, third = write_study(study)
    rounds.push(study)
    looks = watching.looks(study, every=0)
    assert next(looks)["rounds"][0]["none"] == 3
    a, b = (Annotator(session(services, f"annotator_{x}"), study) for x in "ab")
    a.answers(first, "draft", **YES)
    b.answers(first, "submitted", **YES)
    assert _same(next(looks), rounds.status(study).details)
    a.answers(first, "submitted", **{**YES, "durable": "no"})
    b.answers(second, "discarded")
    told = next(looks)
    assert _same(told, rounds.status(study).details)
    assert told["rounds"][0]["two"] == 1
    away = server.rename(server.with_name("away"))
    assert "Argilla does not run" in next(looks)["away"]
    away.rename(server)
    assert "back_after" in next(looks)
    for one in (second, third):
        a.answers(one, "submitted", **YES)
        b.answers(one, "submitted", **YES)
    assert [watching.done(told) for told in looks] == [True]
    capsys.readouterr()
    assert main(["status", "--watch", "--study", study, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["rounds"][0]["two"] == 3
    assert main(["status", "--watch", "--study", study]) == 0
    assert "Every record has its answers: gates pull" in capsys.readouterr().out


def _same(one: dict[str, object], other: dict[str, object]) -> bool:
    return all(one[name] == other[name] for name in one if name not in TIMES)
