"""What a start takes over from the accounts file and the removals beside it, on real databases."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

from labelling.pseudonyms import pseudonym

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("databases")]

START = """
import tempfile
from pathlib import Path
from labelling.server.accounts import apply_file

def start(accounts, **removals):
    file = Path(tempfile.mkdtemp()) / "accounts.json"
    file.write_text(json.dumps({n: {"password": p, "role": "annotator"} for n, p in accounts}))
    if removals:
        file.with_name("removals.json").write_text(json.dumps(removals))
    changed = apply_file(file)
    db.expire_all()
    return [changed, file.with_name("removals.json").exists()]

install()
"""


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield run


def test_new_accounts_are_made_changed_ones_changed_others_stay(run: Run) -> None:
    first, again, other, names = run(
        START
        + """
say(start([("cleo", "long enough")]))
say(start([("cleo", "long enough")]))
say(start([("cleo", "another one")]))
say(sorted(row[0] for row in sql("SELECT username FROM users")))
"""
    )
    assert [first, again, other] == [[["cleo"], False], [[], False], [["cleo"], False]]
    assert names == ["ann", "bea", "cleo"]


def test_who_waits_to_be_removed_is_so_before_a_new_one_of_that_name_is_made(run: Run) -> None:
    ann, done, users, answers = run(
        START
        + """
answer(r0, ann, q="yes")
say(str(ann.id))
say(start([("ann", "long enough")], ann=False, nobody=True))
say([[str(row[0]), row[1]] for row in sql("SELECT id, username FROM users ORDER BY inserted_at")])
say([str(row[0]) for row in sql("SELECT user_id FROM responses")])
"""
    )
    assert done == [["ann"], False]
    names = [name for _, name in users]
    assert names == [pseudonym(ann), "bea", "ann"]
    assert [one.replace("-", "") for one in answers] == [ann.replace("-", "")]


def test_who_waits_to_be_erased_takes_answers_and_history_along(run: Run) -> None:
    done, users, counts, statuses = run(
        START
        + """
sql("UPDATE records SET status = 'completed' WHERE external_id IN ('r0', 'r1')")
db.expire_all()
for person in (ann, bea):
    answer(r0, person, q="yes")
cleo = add(User, first_name="cleo", username="cleo", password_hash="x")
for person in (ann, bea, cleo):
    answer(r1, person, q="yes")
say(start([], ann=True))
say([row[0] for row in sql("SELECT username FROM users ORDER BY inserted_at")])
say([sql(f"SELECT count(*) FROM {table}")[0][0] for table in ("responses", "gates_history")])
say(sql("SELECT external_id, status FROM records ORDER BY external_id"))
"""
    )
    assert done == [[], False]
    assert users == ["bea", "cleo"]
    assert counts == [3, 3]
    assert statuses == [["r0", "pending"], ["r1", "completed"], ["r2", "pending"]]
