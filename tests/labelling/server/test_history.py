"""Every answer's history, on real databases: whatever route was used, nothing is lost."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("databases")]

STORY = """
install()
first = answer(r0, ann, q="yes")
answer(r1, bea, "discarded")
first.values = {"q": {"value": "no"}}
db.commit()
d.guidelines = "second"
db.commit()
first.status = "draft"
db.commit()
sql("UPDATE responses SET status = 'submitted' WHERE status = 'draft'")
sql("DELETE FROM users WHERE username = 'ann'")
sql("DELETE FROM datasets")
say(sql('''
    SELECT action, external_id, dataset, workspace, CAST(old_values AS TEXT),
        CAST(new_values AS TEXT), old_status, new_status, text
    FROM gates_history h LEFT JOIN gates_guidelines g ON g.id = h.guidelines_id ORDER BY h.id'''))
say(sql("SELECT count(*) FROM gates_history WHERE at IS NULL"))
say([str(ann.id), [str(row[0]) for row in sql("SELECT user_id FROM gates_history ORDER BY id")]])
"""
YES, NO, NONE = '{"q": {"value": "yes"}}', '{"q": {"value": "no"}}', "null"


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield run


def test_every_change_is_a_row_and_cascades_are_changes(run: Run) -> None:
    rows, no_time, (ann, users) = run(STORY)
    assert no_time == [[0]]
    where = ["d", "w"]
    expected = [
        ["insert", "r0", *where, None, YES, None, "submitted", "first"],
        ["insert", "r1", *where, None, NONE, None, "discarded", "first"],
        ["update", "r0", *where, YES, NO, "submitted", "submitted", "first"],
        ["update", "r0", *where, NO, NO, "submitted", "draft", "second"],
        ["update", "r0", *where, NO, NO, "draft", "submitted", "second"],
        ["delete", "r0", *where, NO, None, "submitted", None, "second"],
        ["delete", "r1", *where, NONE, None, "discarded", None, "second"],
    ]
    assert rows == expected
    assert users[0].replace("-", "") == ann.replace("-", "")
    assert len(set(users)) == 2


def test_what_changed_without_triggers_is_found_at_the_next_start(run: Run) -> None:
    (rows,) = run(
        """
early = answer(r0, ann, q="yes")
install()
install()
with sync_engine.connect() as connection:
    triggers.remove(connection)
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("ALTER TABLE responses DISABLE TRIGGER USER")
        connection.commit()
answer(r1, ann, q="yes")
sql("DELETE FROM responses WHERE id = (SELECT response_id FROM gates_history WHERE id = ("
    "SELECT max(id) FROM gates_history))")
install()
install()
say(sql("SELECT action, external_id, old_status, new_status FROM gates_history ORDER BY id"))
"""
    )
    assert rows == [
        ["found", "r0", None, "submitted"],
        ["found", "r1", None, "submitted"],
        ["missed", "r0", "submitted", None],
    ]
