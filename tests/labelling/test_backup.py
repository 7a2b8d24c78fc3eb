"""Backup and restore with a server that really runs, on SQLite and PostgreSQL."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from alone import Alone, alone
from hosted import Hosted, host
from postgres import new_database, postgres
from services_fixture import ROOT, password

from labelling import client, restore
from labelling.archive import Manifest, Writer, unpack
from labelling.backup import POSTGRESQL, backup, left_over
from labelling.backup import SQLITE as SQLITE_FILE
from labelling.scratch import scratch
from labelling.server.copies import load_postgresql
from labelling.server.postgres import ask, run
from labelling.server.processes import Process
from labelling.tables import InputError, exists
from tests.studies import files, save

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("backup")]

RECORDS = 60
SQLITE = pytest.mark.parametrize("site", ["sqlite"], indirect=True)
"""For what is the same on PostgreSQL, whose own part is one transaction."""


@dataclass(frozen=True)
class Site:
    """A server with a dataset, its data folder, and the URL where that is in PostgreSQL."""

    data: Path
    server: Alone
    hosted: Hosted
    url: str | None


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    data = tmp_path_factory.mktemp("site") / "data"
    cluster: Any = postgres() if request.param == "postgresql" else nullcontext()
    with cluster as url:
        settings = {"ARGILLA_DATABASE_URL": url} if url else {}
        with alone(data / ".services", settings) as server:
            hosted = host(server.services, RECORDS, ("a0", "a1"))
            hosted.answer("a0", "c0", "submitted", durable="yes")
            yield Site(data, server, hosted, url)


@pytest.fixture
def data(site: Site, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GATES_DATA", str(site.data))
    monkeypatch.delenv("GATES_ARGILLA_URL", raising=False)
    return site.data


def elsewhere(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An empty data folder, and database where it is PostgreSQL; what a server there needs."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "other"))
    if not site.url:
        return {}
    url = new_database(site.url, f"d{os.urandom(6).hex()}")
    monkeypatch.setenv("ARGILLA_DATABASE_URL", url)
    return {"ARGILLA_DATABASE_URL": url}


class Submitting:
    """Somebody who submits answer after answer, in a `with` block; `stored` are acknowledged."""

    def __init__(self, hosted: Hosted) -> None:
        self.hosted, self.stored, self.ended = hosted, [], threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        for number in range(1, RECORDS):
            if self.ended.is_set():
                return
            self.hosted.answer("a1", f"c{number}", "submitted", durable="yes")
            self.stored.append(number)
            time.sleep(0.02)

    def __enter__(self) -> "Submitting":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def test_while_people_submit_a_backup_is_whole_and_comes_back(
    site: Site, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save("mine", sessions=[{}])
    with Submitting(site.hosted) as people:
        while len(people.stored) < 5:
            time.sleep(0.01)
        made = backup(tmp_path / "b.zip").details
        most = len(people.stored) + 2
    assert made["checked"]
    assert made["counts"]["records"] == RECORDS
    assert 5 < made["counts"]["responses"] <= most
    assert (tmp_path / "b.zip").stat().st_mode & 0o777 == 0o600
    assert list((data / ".services" / "backup").iterdir()) == []
    check_history(site.hosted, people.stored)
    there = elsewhere(site, tmp_path, monkeypatch)
    assert restore.restore(tmp_path / "b.zip").details["replaced"] == []
    assert exists("mine", "sessions")
    state = tmp_path / "other" / ".services"
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "secrets.json").stat().st_mode & 0o777 == 0o600
    with scratch(ROOT, state, there) as url, client.sign_in(url, state / "accounts.json") as found:
        wanted = {name: made["counts"][name] for name in ("records", "responses")}
        assert client.counts(found) == wanted
        form = {"username": "a0", "password": password(site.server.services, "a0")}
        assert found.call("POST", "token", data=form)["access_token"]


def test_a_restore_refuses_to_overwrite_and_replaces_when_told(
    site: Site, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "b.zip"
    counts = backup(file, check=False).details["counts"]
    elsewhere(site, tmp_path, monkeypatch)
    restore.restore(file)
    save("mine", sessions=[{}, {"session_id": "s2"}])
    save("other", sessions=[{}])
    before = files(tmp_path / "other")
    with pytest.raises(InputError, match=r"would replace; give --replace if that is wanted"):
        restore.restore(file)
    assert files(tmp_path / "other") == before
    again = restore.restore(file, replace=True).details
    assert again["counts"] == counts
    assert again["replaced"]
    assert exists("other", "sessions")
    assert not list((tmp_path / "other").glob(".restoring*"))


def test_a_damaged_backup_changes_nothing(site: Site, data: Path, tmp_path: Path) -> None:
    backup(tmp_path / "b.zip", check=False)
    whole = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(whole[: len(whole) // 2])
    before = files(data / ".services")
    with pytest.raises(InputError, match="is damaged, or no backup"):
        restore.restore(tmp_path / "b.zip", replace=True)
    assert files(data / ".services").keys() == before.keys()
    with pytest.raises(InputError, match=r"b.zip is there already; name another file"):
        backup(tmp_path / "b.zip")


def check_history(hosted: Hosted, stored: list[int]) -> None:
    """Every answer that was acknowledged is told by the server, with the seconds before it."""
    owner = hosted.clients["owner"]
    name = owner.get(f"/workspaces/{hosted.workspace}").json()["name"]
    found = owner.get("/gates/history", params={"workspace": name}).json()["items"]
    mine = [one for one in found if one["external_id"] != "c0"]
    assert {f"c{number}" for number in stored} <= {one["external_id"] for one in mine}
    assert {one["new_status"] for one in mine} == {"submitted"}
    assert all(0 < one["seconds"] < 60 for one in mine[1:])
    assert mine[0]["new_values"] == {"durable": {"value": "yes"}}


KILLED = """
import sys, time
from pathlib import Path
from labelling import archive, backup, client
def stop(*_):
    print("here", flush=True)
    time.sleep(60)
{where} = stop
backup.backup(Path(sys.argv[1]))
"""


@contextmanager
def started(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """The code, run until it says where it is."""
    command = [sys.executable, "-c", code, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        yield process


def killed(code: str, *arguments: str) -> None:
    """Run the code until it says where it is, and kill it there."""
    with started(code, *arguments) as process:
        process.kill()
        process.communicate()


@SQLITE
@pytest.mark.parametrize("where", ["archive.Writer.close", "client.counts"])
def test_a_killed_backup_leaves_no_file_and_nothing_running(
    site: Site, data: Path, tmp_path: Path, where: str
) -> None:
    file = tmp_path / "b.zip"
    killed(KILLED.format(where=where), str(file))
    assert not file.exists()
    (half,) = tmp_path.iterdir()
    assert left_over() == [str(data / ".services" / "backup"), str(half)]
    state = data / ".services" / "backup" / "server" / "services.json"
    deadline = time.monotonic() + 30
    while state.exists():  # its server, where there was one, takes it along as it ends
        assert time.monotonic() < deadline
        time.sleep(0.1)
    backup(file.with_name("c.zip"), check=False)
    assert [one.name for one in tmp_path.iterdir()] == ["c.zip"]
    assert left_over() == []


def scratch_databases(site: Site) -> str:
    return ask(site.url, "SELECT datname FROM pg_database WHERE datname LIKE 'gates_scratch%'")


@pytest.mark.long
@pytest.mark.parametrize("site", ["postgresql"], indirect=True)
def test_a_killed_backup_leaves_a_database_that_the_next_one_drops(
    site: Site, data: Path, tmp_path: Path
) -> None:
    killed(KILLED.format(where="client.counts"), str(tmp_path / "b.zip"))
    left = scratch_databases(site).strip()
    assert f"the database {left}" in left_over()
    backup(tmp_path / "c.zip", check=False)
    assert scratch_databases(site) == ""
    assert left_over() == []


ENDED = """
import signal, sys, time
from analysis import cli
from labelling import client
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where this runs behind `&`,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # or by `nohup`
def stop(*_):
    print("here", flush=True)
    time.sleep(60)
client.counts = stop
sys.exit(cli.main(["backup", sys.argv[1]]))
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_backup_that_is_asked_to_end_leaves_nothing(
    site: Site, data: Path, tmp_path: Path, how: signal.Signals
) -> None:
    with started(ENDED, str(tmp_path / "b.zip")) as process:
        process.send_signal(how)
        assert process.communicate()[1] == ""
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []
    assert left_over() == []
    assert list((data / ".services" / "backup").iterdir()) == []
    assert not site.url or scratch_databases(site) == ""


FULL = """
import resource, sys
from analysis import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
sys.exit(cli.main(["backup", sys.argv[1], "--no-check"]))
"""


@pytest.mark.parametrize("limit", [100, 10_000, 100_000])
def test_a_full_disk_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Which comes in the middle of a file, where its directory is written, or its manifest."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "data"))
    save("mine", sessions=[{}])
    (tmp_path / "data" / "mine" / "noise").write_bytes(os.urandom(limit - 90))
    command = [sys.executable, "-c", FULL, str(tmp_path / "b.zip"), str(limit)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "b.zip could not be written (File too large); free some space" in line
    assert [one.name for one in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("away/b.zip", "there is no folder .*away; make the folder, or see that its disk"),
        ("away", "there is no folder .*away; expected one that is there, or a file's name"),
        ("away/away/b.zip", "there is no folder"),
    ],
)
def test_a_disk_that_is_away_is_no_folder_to_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "data"))
    with pytest.raises(InputError, match=said):
        backup(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_a_backup_writes_on_the_way_is_private(
    site: Site, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at while its server runs; a study's tables are as in their study."""
    seen: dict[str, str] = {}
    count, stage = client.counts, data / ".services" / "backup"

    def look(argilla: client.Argilla) -> dict[str, int]:
        seen.update({str(p): oct(p.stat().st_mode) for p in stage.rglob("*") if p.is_file()})
        return count(argilla)

    monkeypatch.setattr(client, "counts", look)
    backup(tmp_path / "b.zip")
    assert len(seen) > 10
    ours = {name: mode for name, mode in seen.items() if "/studies/" not in name}
    assert {name: mode for name, mode in ours.items() if not mode.endswith("600")} == {}


KILLED_RESTORE = """
import sys, time
from pathlib import Path
from labelling import restore
take, done = restore._take_place, []
def stop(folder, move):
    if len(done) == {after}:
        print("here", flush=True)
        time.sleep(60)
    take(folder, move)
    done.append(move)
restore._take_place = stop
restore.restore(Path(sys.argv[1]), replace=True)
"""


@SQLITE
@pytest.mark.parametrize("after", [0, 3, 5])
def test_a_restore_that_was_killed_is_ended_by_the_next_command(
    site: Site, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    file = tmp_path / "b.zip"
    save("mine", sessions=[{}])
    backup(file, check=False)
    elsewhere(site, tmp_path, monkeypatch)
    restore.restore(file)
    whole = files(tmp_path / "other")
    save("mine", sessions=[{}, {"session_id": "s2"}])
    database = tmp_path / "other" / ".services" / "argilla" / "argilla.db"
    with closing(sqlite3.connect(database)) as changed, changed:
        changed.execute("DELETE FROM responses")
    killed(KILLED_RESTORE.format(after=after), str(file))
    restore.finish()
    restore.finish()
    assert files(tmp_path / "other") == whole


def altered(site: Site, file: Path, change: str) -> Path:
    """The backup with its database changed by a statement, and whole as such."""
    folder = file.with_suffix("")
    manifest = unpack(file, folder)
    if site.url:
        url = new_database(site.url, f"d{os.urandom(6).hex()}")
        load_postgresql(url, folder / POSTGRESQL)
        ask(url, change)
        run(url, "pg_dump", "-Fc", "-O", "-x", "-f", str(folder / POSTGRESQL))
    else:
        with closing(sqlite3.connect(folder / SQLITE_FILE)) as database, database:
            database.execute(change)
    return packed(folder, manifest, file.with_name("altered.zip"))


def packed(folder: Path, manifest: Manifest, to: Path) -> Path:
    with Writer(to, manifest) as writer:
        for name in list(manifest.files):
            writer.put(name, folder / name)
    return to


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE alembic_version SET version_num = 'f00'", "tables of version 'f00' and 1, which"),
        ("UPDATE gates_schema SET version = 99", "and 99, which this program .* does not know"),
        ("DELETE FROM responses", "its database holds .*'responses': 0}, not .*as was written"),
        ("DROP TABLE users", "users"),
    ],
)
def test_a_backup_with_which_nothing_would_start_replaces_nothing(
    site: Site,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    said: str,
) -> None:
    backup(tmp_path / "b.zip", check=False)
    if change.startswith("DROP"):
        change += " CASCADE" if site.url else ""
    file = altered(site, tmp_path / "b.zip", change)
    there = elsewhere(site, tmp_path, monkeypatch)
    restore.restore(tmp_path / "b.zip")
    refused(site, file, tmp_path, there, said)


@pytest.mark.parametrize("name", ["database", "services/accounts.json", "services/secrets.json"])
def test_junk_in_a_backup_replaces_nothing(
    site: Site, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    backup(tmp_path / "b.zip", check=False)
    manifest = unpack(tmp_path / "b.zip", tmp_path / "junk")
    place = str(manifest.database) if name == "database" else name
    (tmp_path / "junk" / place).write_bytes(b"junk" * 999)
    file = packed(tmp_path / "junk", manifest, tmp_path / "junk.zip")
    there = elsewhere(site, tmp_path, monkeypatch)
    restore.restore(tmp_path / "b.zip")
    refused(site, file, tmp_path, there, Path(place).name)


def refused(site: Site, file: Path, tmp_path: Path, there: dict[str, str], said: str) -> None:
    """The backup is refused in a sentence, and all is as it was."""
    before = files(tmp_path / "other")
    with pytest.raises(InputError, match=said) as raised:
        restore.restore(file, replace=True)
    assert "nothing was replaced" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert files(tmp_path / "other") == before
    if there:
        assert int(ask(there["ARGILLA_DATABASE_URL"], "SELECT count(*) FROM responses")) > 0


@SQLITE
def test_nothing_is_restored_under_a_running_server(site: Site, data: Path, tmp_path: Path) -> None:
    backup(tmp_path / "b.zip", check=False)
    us = Process.of(os.getpid())
    state = data / ".services" / "services.json"
    state.write_text(json.dumps({"processes": {"argilla": asdict(us)}}))
    try:
        with pytest.raises(InputError, match=r"Argilla runs for .*; stop it with `gates down`"):
            restore.restore(tmp_path / "b.zip", replace=True)
    finally:
        state.unlink()
