"""Scripts on Argilla databases of their own, run in the server's environment.

    with databases(kind) as run:  # kind: sqlite or postgresql
        rows = run(script)        # what the script hands to `say`, through JSON

The script finds `sync_engine`, `triggers`, Argilla's models and some rows: workspace `w`, dataset
`d` with guidelines `first`, records r0-r2, users `ann` and `bea`; all by those names.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from uuid import uuid4

from postgres import new_database, postgres
from services_fixture import ROOT

from labelling.server import environment

BEGIN = """
import json, sys
from uuid import uuid4
from sqlalchemy import text
from argilla_server.cli.database.migrate import migrate_db
from argilla_server.database import SyncSessionLocal, sync_engine
from argilla_server.models import Dataset, Record, Response, User, Workspace
from labelling.server import triggers

def install():
    with sync_engine.connect() as connection:
        triggers.install(connection)

def sql(statement):
    found = db.execute(text(statement))
    rows = [list(row) for row in found] if found.returns_rows else []
    db.commit()
    return rows

def say(value):
    print("SAID", json.dumps(value, default=str))

def add(model, **values):
    row = model(id=uuid4(), **values)
    db.add(row)
    db.commit()
    return row

def answer(record, user, status="submitted", **values):
    said = {name: {"value": value} for name, value in values.items()} or None
    return add(Response, values=said, status=status, record_id=record.id, user_id=user.id)

migrate_db("head")
db = SyncSessionLocal()
w = add(Workspace, name="w")
ann, bea = (add(User, first_name=n, username=n, password_hash="x") for n in ("ann", "bea"))
overlap = {"strategy": "overlap", "min_submitted": 2}
d = add(Dataset, name="d", guidelines="first", distribution=overlap, workspace_id=w.id)
r0, r1, r2 = (add(Record, fields={}, external_id=f"r{i}", dataset_id=d.id) for i in range(3))
"""

Run = Callable[[str], list[Any]]


@contextmanager
def databases(kind: str) -> Iterator[Run]:
    """Run scripts, each on a new database of that kind; all that a script says comes back."""
    cluster: Any = postgres() if kind == "postgresql" else nullcontext()
    with cluster as url:
        yield lambda script: _run(script, url and new_database(url, f"d{uuid4().hex}"))


def _run(script: str, url: str | None) -> list[Any]:
    with tempfile.TemporaryDirectory() as home:
        settings = {"ARGILLA_HOME_PATH": home, "ARGILLA_SEARCH_ENGINE": "database"}
        settings |= {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
        settings |= {"ARGILLA_DATABASE_URL": url} if url else {}
        command = [str(environment.ensure(ROOT)), "-W", "ignore", "-c", BEGIN + script]
        done = subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    said = [line for line in done.stdout.splitlines() if line.startswith("SAID ")]
    return [json.loads(line.removeprefix("SAID ")) for line in said]
