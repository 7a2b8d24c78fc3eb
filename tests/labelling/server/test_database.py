"""The database before anything serves: migrated once, durable, its statuses as the answers say."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("database")]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield run


def test_preparing_it_again_changes_nothing(run: Run) -> None:
    versions, tables, again = run(
        """
from labelling.server import database
from sqlalchemy import inspect
database.prepare()
say(sql("SELECT version_num FROM alembic_version"))
say(sorted(inspect(sync_engine).get_table_names()))
database.prepare()
say(sorted(inspect(sync_engine).get_table_names()))
"""
    )
    assert len(versions) == 1
    assert {"records", "responses", "gates_history"} <= set(tables)
    assert tables == again


def test_every_commit_waits_for_the_disk(run: Run) -> None:
    """Of SQLite in both ways that Argilla connects; PostgreSQL is its administrator's."""
    found = run(
        """
from labelling.server import database
import asyncio
from argilla_server.database import async_engine
database.prepare()
async def ask(what):
    async with async_engine.connect() as connection:
        return (await connection.exec_driver_sql(what)).scalar()
if sync_engine.dialect.name == "sqlite":
    sync_engine.dispose()
    say([sql("PRAGMA synchronous")[0][0], asyncio.run(ask("PRAGMA synchronous"))])
    say(sql("PRAGMA journal_mode")[0][0])
"""
    )
    assert found in ([], [[2, 2], "wal"])


def test_a_status_that_a_kill_left_behind_is_mended(run: Run) -> None:
    before, mended, after, again = run(
        """
from labelling.server import statuses
def mend():
    with sync_engine.connect() as connection:
        return statuses.mend(connection)
answer(r0, ann, q="yes"), answer(r0, bea, q="no")
answer(r1, ann, q="yes"), answer(r1, bea, status="draft", q="no")
r2.status = "completed"
db.commit()
look = "SELECT external_id, status FROM records ORDER BY 1"
say(dict(sql(look)))
say(mend())
say(dict(sql(look)))
say(mend())
"""
    )
    assert before == {"r0": "pending", "r1": "pending", "r2": "completed"}
    assert after == {"r0": "completed", "r1": "pending", "r2": "pending"}
    assert (mended, again) == (2, 0)
