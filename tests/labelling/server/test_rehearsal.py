"""A database of an older version is migrated on a copy first, and left alone where that fails."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("databases")]

OLDER = """
from alembic import command
from alembic.config import Config
from argilla_server.database import ALEMBIC_CONFIG_FILE, sync_engine
from labelling.server import database, rehearsal

install()
answer(r0, ann, q="yes")
with sync_engine.connect() as connection:
    triggers.remove(connection)
db.close()
command.downgrade(Config(ALEMBIC_CONFIG_FILE), "-1")

def version():
    return sql("SELECT version_num FROM alembic_version")[0][0]

def left_over():
    if sync_engine.dialect.name == "sqlite":
        from pathlib import Path
        return [one.name for one in Path(sync_engine.url.database).parent.glob(".rehearsal*")]
    return sql("SELECT datname FROM pg_database WHERE datname LIKE 'gates_scratch%'")

older = version()
"""


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield run


def test_an_older_database_is_brought_up_to_date_with_all_it_holds(run: Run) -> None:
    versions, answers, left = run(
        OLDER
        + """
database.prepare()
say([older, version(), database._scripts().get_current_head()])
say(sql("SELECT action, external_id FROM gates_history"))
say(left_over())
"""
    )
    assert versions[0] != versions[1] == versions[2]
    assert answers == [["insert", "r0"]]
    assert left == []


def test_where_the_copy_cannot_be_migrated_the_database_is_as_it_was(run: Run) -> None:
    # a table of the newer version is in the way
    sentence, versions, left = run(
        OLDER
        + """
sql("CREATE TABLE datasets_users (in_the_way INTEGER)")
try:
    database.prepare()
except Exception as error:
    say(f"{type(error).__name__}: {error}")
say([older, version()])
say(left_over())
"""
    )
    assert sentence.startswith("ServiceFailure: The database is of version ")
    assert "failed on a copy (" in sentence
    assert "the database itself is as it was" in sentence
    assert versions[0] == versions[1]
    assert left == []
