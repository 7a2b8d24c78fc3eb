"""Tables and triggers of our own: all or nothing, and none of a newer version."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("databases")]


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield run


def test_a_newer_version_is_refused_in_one_sentence(run: Run) -> None:
    sentence, version = run(
        """
install()
sql("UPDATE gates_schema SET version = 99")
try:
    install()
except Exception as error:
    say(f"{type(error).__name__}: {error}")
say(sql("SELECT version FROM gates_schema"))
"""
    )
    assert sentence.startswith("ServiceFailure: The database was used by a newer version")
    assert "of version 99, this one makes 1" in sentence
    assert "gates restore" in sentence
    assert version == [[99]]


def test_an_installation_that_fails_leaves_all_as_it_was(run: Run) -> None:
    counts, again = run(
        """
install()
answer(r0, ann, q="yes")
whole = triggers.history.statements
triggers.history.statements = lambda dialect: [*whole(dialect)[:-1], "no statement"]
try:
    install()
except Exception as error:
    assert "no statement" in str(error)
answer(r1, ann, q="yes")
say(sql("SELECT action, external_id FROM gates_history"))
triggers.history.statements = whole
install()
say(sql("SELECT count(*) FROM gates_history"))
"""
    )
    assert counts == [["insert", "r0"], ["insert", "r1"]]
    assert again == [[2]]
