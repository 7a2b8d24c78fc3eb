import polars as pl
import pytest

from labelling.tables import exists, frame, made_from, read, stale, study_folder, write
from labelling.tables.strike import called, rename, strike
from tests.studies import own_data, rows, save, votes  # noqa: F401

ANNA, BEN = "a1b2c3d45", "a5b6c7d89"
YES, NO = ("yes", "yes", "yes"), ("no", "yes", "yes")


@pytest.fixture(autouse=True)
def study(data):
    """Labels of two people, and what was made from them."""
    people = pl.col("annotator").replace({"a0": ANNA, "a1": BEN})
    given = rows("labels", *votes("c1", YES, YES), *votes("c2", YES, NO))
    write("study", "labels", given.with_columns(people))
    split = {"candidate_id": "c2", "question": "durable"}
    said = [{"annotator": ANNA, "answer": "yes"}, {"annotator": BEN, "answer": "no"}]
    write("study", "disagreements", frame("disagreements", [{**split, "answers": said}]))


def test_the_person_s_rows_go_and_the_others_stay():
    others = read("study", "labels").filter(annotator=BEN)
    struck = strike("study", [ANNA])
    assert struck.rows == {"labels": 6}
    assert read("study", "labels").equals(others)


def test_what_names_the_person_is_removed_and_what_does_not_is_kept():
    save(agreement=[])
    exports = study_folder("study") / "export"
    exports.mkdir()
    (exports / "labels.csv").write_text(f"c1,{ANNA},yes\n")
    (exports / "turns.csv").write_text("s1,0\n")
    struck = strike("study", [ANNA])
    assert struck.removed == ["disagreements", "export/labels.csv"]
    assert not exists("study", "disagreements")
    assert exists("study", "agreement")
    assert [file.name for file in exports.iterdir()] == ["turns.csv"]


def test_a_stranger_changes_nothing():
    before = (study_folder("study") / "labels.parquet").read_bytes()
    struck = strike("study", ["affffffff"])
    assert (struck.rows, struck.removed) == ({}, [])
    assert (study_folder("study") / "labels.parquet").read_bytes() == before


def test_a_table_is_no_newer_for_lacking_rows():
    write("study", "labels", read("study", "labels"), made_from=("disagreements",))
    write(
        "study", "disagreements", read("study", "disagreements").with_columns(resolved=pl.lit("x"))
    )
    before = made_from("study", "labels")
    strike("study", [ANNA])
    assert made_from("study", "labels") == before
    assert stale("study", "labels") == ["disagreements"]


def test_a_name_becomes_the_pseudonym_and_answers_under_both_are_one():
    table = read("study", "labels")
    anna = table.filter(annotator=ANNA)
    older = anna.head(4).with_columns(annotator=pl.lit("anna"), answer=pl.lit("old"))
    write("study", "labels", pl.concat([older, anna.tail(4), table.filter(annotator=BEN)]))
    assert called("study", ["anna"])
    rename("study", "anna", ANNA)
    assert not called("study", ["anna"])
    found = read("study", "labels").filter(annotator=ANNA)
    assert found.height == 6
    assert found.filter(answer="old").height == 2
