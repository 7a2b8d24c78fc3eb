"""Tables and triggers of our own in Argilla's database, brought up to date at each start.

They follow Argilla's own migrations. All of it is one transaction: it is there, or it is as before.
`gates_schema` holds one row, the version of what is installed.
"""

from sqlalchemy import Connection

from labelling.server import history, text_index
from labelling.server.processes import ServiceFailure

VERSION = 1
"""It rises when the meaning of a table of ours changes."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS gates_schema (version INTEGER NOT NULL)"


def install(connection: Connection) -> None:
    """Make or renew tables and triggers, and take in what changed without them; commits.

    Raises ServiceFailure for a database whose tables a newer version made.
    """
    dialect = connection.dialect.name
    _begin(connection)
    connection.exec_driver_sql(_SCHEMA)
    _check_version(connection.exec_driver_sql("SELECT max(version) FROM gates_schema").scalar())
    for statement in [*history.statements(dialect), *text_index.statements(dialect)]:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("DELETE FROM gates_schema")
    connection.exec_driver_sql(f"INSERT INTO gates_schema VALUES ({VERSION})")
    connection.commit()


def remove(connection: Connection) -> None:
    """Take the triggers off, the tables stay; commits.

    SQLite changes no table that a trigger elsewhere names, so this comes before a migration.
    """
    if connection.dialect.name != "sqlite":
        return
    _begin(connection)
    named = "SELECT name FROM sqlite_master WHERE type = 'trigger'"  # Argilla has none itself
    for (name,) in connection.exec_driver_sql(named).all():
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    connection.commit()


def _begin(connection: Connection) -> None:
    """One transaction over statements that change tables; SQLite's driver begins none for them."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _check_version(found: int | None) -> None:
    if found is not None and found > VERSION:
        raise ServiceFailure(
            f"The database was used by a newer version of this program (its tables are of version "
            f"{found}, this one makes {VERSION}); install that version again, or restore a backup "
            "from before with `gates restore`."
        )
