"""The cluster that the tests start is a real one, and nothing of it stays."""

import subprocess
from pathlib import Path

import pytest
from postgres import new_database, postgres, program


def ask(url: str, sql: str) -> str:
    command = [program("psql"), "-tAc", sql, url.replace("+asyncpg", "")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_it_answers_keeps_databases_apart_and_ends() -> None:
    with postgres() as url:
        other = new_database(url, "other")
        ask(url, "CREATE TABLE here (id int)")
        assert ask(other, "SELECT to_regclass('here')") == ""
        folder = Path(ask(url, "SHOW data_directory"))
        assert ask(url, "SHOW listen_addresses") == "127.0.0.1"
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(subprocess.CalledProcessError):
        ask(url, "SELECT 1")


@pytest.mark.parametrize(("durable", "fsync"), [(True, "on"), (False, "off")])
def test_only_a_durable_one_waits_for_the_disk(durable: bool, fsync: str) -> None:
    with postgres(durable=durable) as url:
        assert ask(url, "SHOW fsync") == ask(url, "SHOW synchronous_commit") == fsync
