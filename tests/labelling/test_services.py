"""`up`, `running` and `down`: what runs is found again, what is left over is cleared away."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from services_fixture import ROOT, password, session
from services_fixture import services as services  # a fixture

from labelling.server import whereabouts
from labelling.server.plan import make_plan
from labelling.server.ports import check_host
from labelling.server.processes import Process, ServiceFailure, command_of
from labelling.server.state import make_folder
from labelling.services import Services, down, running, up
from labelling.tables import InputError


def data_of(services: Services) -> Path:
    return services.accounts_file.parent.parent


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.server
def test_both_pages_answer_and_the_accounts_sign_in(services: Services) -> None:
    assert httpx.get(services.argilla_url).is_success
    assert httpx.get(services.jupyter_url, follow_redirects=True).is_success
    expected = {"owner": "owner", "annotator_a": "annotator", "annotator_b": "annotator"}
    assert expected.keys() <= json.loads(services.accounts_file.read_text()).keys()
    roles = {name: session(services, name).get("/me").json()["role"] for name in expected}
    assert roles == expected
    assert min(len(password(services, name)) for name in expected) >= 8


@pytest.mark.server
def test_a_stranger_is_kept_out_of_jupyterlab(services: Services) -> None:
    stranger = services.jupyter_url.split("/lab")[0] + "/api/contents"
    assert httpx.get(stranger).status_code == 403


@pytest.mark.server
def test_what_holds_a_secret_is_private(services: Services) -> None:
    folder = services.accounts_file.parent
    assert mode(folder) == 0o700
    private = ["accounts.json", "secrets.json", "services.json", "plan.json"]
    private += ["valkey/valkey.conf", "jupyter/config.json", "logs/jupyter.log"]
    assert {name: oct(mode(folder / name)) for name in private} == dict.fromkeys(private, "0o600")
    commands = json.dumps(json.loads((folder / "services.json").read_text())["processes"])
    secrets = json.loads((folder / "secrets.json").read_text())
    assert not [one for one in secrets.values() if isinstance(one, str) and one in commands]


@pytest.mark.server
def test_a_second_start_finds_the_first_and_lets_it_be(services: Services) -> None:
    told: list[Services] = []
    found = up(ROOT, data_of(services), detach=True, on_ready=told.append)
    assert found == services == running(data_of(services))
    assert told == [found]


@pytest.mark.server
def test_background_jobs_are_done(services: Services) -> None:
    """A changed dataset makes a job; the worker, which starts last, does it."""
    owner = session(services, "owner")
    workspace = owner.post("/workspaces", json={"name": "jobs"}).raise_for_status().json()["id"]
    body = {"name": "jobs", "workspace_id": workspace}
    dataset = owner.post("/datasets", json=body).raise_for_status().json()["id"]
    owner.patch(f"/datasets/{dataset}", json={"guidelines": "Read."}).raise_for_status()
    log = services.accounts_file.parent / "logs" / "worker.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and "Job OK" in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.server
@pytest.mark.long
def test_the_supervisor_is_killed_and_the_next_start_clears_up(tmp_path: Path) -> None:
    first = up(ROOT, tmp_path, detach=True)
    supervisor, *orphans = [Process.of(pid) for pid in first.pids.values()]
    try:
        os.kill(supervisor.pid, signal.SIGKILL)
        while supervisor.runs():
            time.sleep(0.01)
        assert running(tmp_path) is None
        assert all(one.runs() for one in orphans)
        second = up(ROOT, tmp_path, detach=True)
        assert not [one for one in orphans if one.runs()]
        assert second.jupyter_url.split("?")[1] == first.jupyter_url.split("?")[1]  # the token
        assert password(second, "owner") == password(first, "owner")
    finally:
        assert down(tmp_path)
    assert not down(tmp_path)
    assert running(tmp_path) is None


@pytest.mark.server
@pytest.mark.long
@pytest.mark.parametrize("folders", [("one", "one"), ("one", "two")])
def test_starts_at_once(tmp_path: Path, folders: tuple[str, str]) -> None:
    """For one data folder they are one start; for two they do not take each other's ports."""
    data = [tmp_path / name for name in folders]
    found: dict[int, Services] = {}

    def start(i: int) -> None:
        found[i] = up(ROOT, data[i], detach=True)

    threads = [threading.Thread(target=start, args=[i]) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert [running(folder) for folder in data] == [found[0], found[1]]
        assert (found[0] == found[1]) is (data[0] == data[1])
        assert len({one.argilla_url for one in found.values()}) == len(set(folders))
    finally:
        stopped = [down(folder) for folder in data]
    assert stopped == [True, data[0] != data[1]]


@pytest.mark.server
@pytest.mark.long
@pytest.mark.parametrize("after", [0.0, 3.0])
def test_a_start_is_killed_and_the_next_one_finds_what_it_began(
    tmp_path: Path, after: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed some seconds after its supervisor began, which goes on alone."""
    code = "import sys; from pathlib import Path; from labelling.services import up; "
    code += "up(Path(sys.argv[1]), Path(sys.argv[2]), detach=True)"
    first = subprocess.Popen([sys.executable, "-c", code, str(ROOT), str(tmp_path)], cwd=ROOT)
    log = tmp_path / ".services" / "logs" / "supervisor.log"
    while not log.exists():
        assert first.poll() is None
        time.sleep(0.01)
    time.sleep(after)
    first.kill()
    first.wait()
    half = tmp_path / ".services" / ".secrets.json.abc.part"
    half.write_text("half a file")
    try:
        found = up(ROOT, tmp_path, detach=True)
        assert "Another start for" in capsys.readouterr().err
        supervisors = [_supervisors(tmp_path), [found.pids["supervisor"]]]
        assert supervisors[0] == supervisors[1]
        down(tmp_path)
        up(ROOT, tmp_path, detach=True)
        assert not half.exists()
    finally:
        down(tmp_path)


def _supervisors(data: Path) -> list[int]:
    """The supervisors that run for this data folder."""
    plan = str(data / ".services" / "plan.json")
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if plan in command_of(pid)]


@pytest.mark.server
@pytest.mark.long
def test_in_the_foreground_it_stays_until_it_is_interrupted(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from labelling.services import up; "
        "up(Path(sys.argv[1]), Path(sys.argv[2]), on_ready=lambda s: print(s.pids, flush=True))"
    )
    command = [sys.executable, "-c", code, str(ROOT), str(tmp_path)]
    foreground = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert foreground.stdout is not None
    assert "argilla" in foreground.stdout.readline()
    found = running(tmp_path)
    assert found is not None
    ours = [Process.of(pid) for pid in found.pids.values()]
    foreground.send_signal(signal.SIGINT)
    assert foreground.wait(30) == 0
    assert not [one for one in ours if one.runs()]


def test_nothing_runs_where_nothing_was_started(tmp_path: Path) -> None:
    assert running(tmp_path) is None
    assert not down(tmp_path)


@pytest.mark.parametrize(
    ("accounts", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no JSON object"),
        ('{"owner": "secret word"}', "gives 'owner' no password"),
        ('{"owner": {"password": 12345678, "role": "owner"}}', "no password that is a text"),
        ('{"owner": {"password": "short", "role": "owner"}}', "a password of 5 characters"),
        ('{"owner": {"password": "long enough", "role": "king"}}', "the role 'king'"),
    ],
)
def test_accounts_that_cannot_be_used_are_named(tmp_path: Path, accounts: str, said: str) -> None:
    (make_folder(tmp_path / ".services") / "accounts.json").write_text(accounts)
    with pytest.raises(InputError, match=said):
        up(ROOT, tmp_path, detach=True)


def test_a_host_that_is_not_ours_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailure, match=r"cannot listen on 192\.0\.2\.1"):
        make_plan(ROOT, make_folder(tmp_path / ".services"), "192.0.2.1")


def test_a_database_that_was_forgotten_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARGILLA_DATABASE_URL", raising=False)
    folder = make_folder(tmp_path / ".services")
    whereabouts.remember(folder, "postgresql+asyncpg://u:secret@db/argilla")
    with pytest.raises(InputError, match=r"last ran on postgresql\+asyncpg://u@db/argilla, and"):
        up(ROOT, tmp_path, detach=True)


@pytest.mark.parametrize(
    ("variable", "url"),
    [
        ("ARGILLA_DATABASE_URL", "postgresql+asyncpg://u:secret@127.0.0.1:9/argilla"),
        ("ARGILLA_REDIS_URL", "redis://:secret@127.0.0.1:9/0"),
    ],
)
def test_a_server_that_is_down_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, url: str
) -> None:
    monkeypatch.setenv(variable, url)
    said = rf"^Nothing answers at 127\.0\.0\.1:9, which {variable} names \(Connection refused\)"
    with pytest.raises(InputError, match=said) as refused:
        up(ROOT, tmp_path, detach=True)
    assert "secret" not in str(refused.value)
    assert not list((tmp_path / ".services" / "logs").iterdir())


@pytest.mark.server
def test_a_damaged_database_is_said_once(tmp_path: Path) -> None:
    file = make_folder(tmp_path / ".services") / "argilla" / "argilla.db"
    file.write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match=r"^The database file .* cannot be used") as refused:
        up(ROOT, tmp_path, detach=True)
    assert str(refused.value).count("cannot be used") == 1
    assert str(refused.value).endswith("begin anew.")
    assert not running(tmp_path)


NO_HOSTS = ["", " ", "0", "0x0", "127.1", "224.0.0.1", "255.255.255.255", "<broadcast>", "::1"]
NO_HOSTS += ["127.0.0.1:6900", "http://127.0.0.1", "127.0.0.1\n", "a..b", "a\0b", "-x", "x" * 64]


@pytest.mark.parametrize("host", NO_HOSTS)
def test_a_host_that_is_none_is_refused_before_anything_starts(tmp_path: Path, host: str) -> None:
    with pytest.raises(InputError, match="is no IPv4 address and no name") as refused:
        up(ROOT, tmp_path, host=host, detach=True)
    assert repr(host) in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "localhost", "3f2a1b4c5d6e", "a-b.c_d"])
def test_addresses_and_names_are_hosts(host: str) -> None:
    check_host(host)


@pytest.mark.server
def test_another_host_is_for_argilla_alone_and_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_folder(tmp_path / ".services")
    plan = make_plan(ROOT, folder, "0.0.0.0")
    commands = {child.name: child.command for child in plan.children}
    assert "0.0.0.0" in commands["argilla"]
    assert "passwords travel unencrypted" in capsys.readouterr().err
    assert (
        json.loads((folder / "jupyter/config.json").read_text())["ServerApp"]["ip"] == "127.0.0.1"
    )
    assert "bind 127.0.0.1\n" in (folder / "valkey/valkey.conf").read_text()
