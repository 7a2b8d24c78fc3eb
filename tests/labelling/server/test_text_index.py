"""The texts of records are in our tables whatever route they came by, and leave with them."""

from collections.abc import Iterator

import pytest
from argilla_database import Run, databases

pytestmark = pytest.mark.server

BEGIN = """
from argilla_server.models import Field

SQLITE = sync_engine.dialect.name == "sqlite"
TEXTS = "SELECT t.field, w.words FROM gates_texts t JOIN gates_words w ON w.rowid = t.id ORDER BY 1"
if not SQLITE:
    TEXTS = "SELECT field, words FROM gates_texts ORDER BY 1"

def texts():
    return [[field, " ".join(words.lower().split())] for field, words in sql(TEXTS)]

def count(table):
    return sql(f"SELECT count(*) FROM {table}")[0][0]

def field(kind):
    add(Field, name=kind, title=kind, settings={"type": kind}, dataset_id=d.id)

for kind in ("text", "chat", "custom", "image"):
    field(kind)
"""


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
)
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with databases(request.param) as run:
        yield lambda script: run(BEGIN + script)


def test_every_text_is_kept_and_follows_its_record(run: Run) -> None:
    said = run("""
install()
page = {"k": ["Two", {"m": 3}, None, True]}
chat = [{"role": "user", "content": "Hello"}, {"role": "agent", "content": "You"}]
fields = {"text": "Groß", "chat": chat, "custom": page, "image": "https://x.test/y.png"}
one = add(Record, fields=fields, external_id="one", dataset_id=d.id)
say(texts())
one.fields = {"text": "Changed", "chat": None}
db.commit()
say(texts())
sql("DELETE FROM records WHERE external_id = 'one'")
say(texts())
""")
    first, changed, deleted = said
    assert [field for field, _ in first] == ["chat", "custom", "text"]
    words = [[word for word in text.split() if word.isalnum()] for _, text in first]
    assert words == [["hello", "you"], ["two", "3"], ["gross"]]
    assert changed == [["text", "changed"]]
    assert deleted == []


def test_what_was_there_is_taken_in_once(run: Run) -> None:
    said = run("""
r0.fields = {"text": "before"}
db.commit()
install()
install()
say(texts())
""")
    assert said == [[["text", "before"]]]


def test_a_deleted_dataset_takes_its_texts_along(run: Run) -> None:
    said = run("""
install()
add(Record, fields={"text": "alpha"}, external_id="one", dataset_id=d.id)
say(count("gates_texts"))
db.delete(d)
db.commit()
say([count("gates_texts"), count("gates_words_docsize") if SQLITE else 0])
""")
    assert said == [1, [0, 0]]


def test_a_text_of_two_megabytes_is_kept(run: Run) -> None:
    said = run("""
install()
many = " ".join(str(7919 * i) for i in range(200_000))
add(Record, fields={"text": many}, external_id="long", dataset_id=d.id)
say(texts() == [["text", many]])
""")
    assert said == [True]


def test_nul_is_no_part_of_a_word(run: Run) -> None:
    said = run("""
install()
add(Record, fields={"text": "alpha \\0 beta"}, external_id="nul", dataset_id=d.id)
say(len(texts()))
""")
    assert said == [1]
