"""Tables on disk: read as written, refused in one sentence, found stale through the chain."""

import subprocess
from pathlib import Path

import polars as pl
import pytest

from labelling import tables
from labelling.tables import InputError, frame, read, stale, study_folder, write
from labelling.tables.store import make_command
from tests.studies import files, own_data, row, rows, save  # noqa: F401

FLOW = ("turns", "proposals", "candidates", "labels")


@pytest.mark.parametrize("name", tables.SCHEMAS)
def test_an_empty_table_is_read_as_written(data, name):
    write("study", name, tables.empty(name))
    assert read("study", name).equals(tables.empty(name))
    assert tables.metadata("study", name)["gates_schema"] == "1"


def test_rows_come_back_in_their_order(data):
    given = rows("turns", {"turn": 1, "text": "b 🙂"}, {"turn": 0, "text": ""})
    assert write("study", "turns", given) == 2
    assert read("study", "turns").equals(given)


def test_equal_rows_make_equal_bytes(data):
    for study in ("one", "two"):
        save(study, turns=[{"turn": 0, "text": "hello"}])
    assert files(data / "one") == files(data / "two")


@pytest.mark.parametrize(
    ("name", "given", "rule"),
    [
        ("turns", [{"turn": -1, "text": ""}], "turn"),
        ("turns", [{"turn": 0, "text": ""}] * 2, "primary_key"),
        ("events", [{}, {}], "key"),  # nulls of a nullable key count as equal
        ("proposals", [{"scope": "project:"}], "scope"),
        ("proposals", [{"score": float("nan")}], "score"),
        ("candidates", [{"inclusion_probability": 0.0}], "inclusion_probability"),
        ("candidates", [{"strata": ["guessed"]}], "strata"),
        ("labels", [{"status": "done"}], "status"),
    ],
)
def test_a_row_that_breaks_its_schema_is_never_written(data, name, given, rule):
    bad = rows(name, *given)
    assert any(rule in broken for broken in tables.check(name, bad).rules)
    with pytest.raises(InputError, match=f"{len(given)} rows of {name}"):
        write("study", name, bad)
    assert not tables.exists("study", name)


def test_good_rows_survive_bad_ones_in_a_check():
    found = tables.check("turns", rows("turns", {"turn": 0, "text": ""}, {"turn": 1, "role": "x"}))
    assert (found.good.height, found.bad.height) == (1, 1)


@pytest.mark.parametrize("name", ["", "../x", "x/y", ".x", "X", "a" * 65, "_x", "x\n", "é", "-x"])
def test_a_hostile_name_is_no_study(data, name):
    with pytest.raises(InputError, match="is no name for a study; expected 1-64"):
        study_folder(name)


def test_an_unknown_study_or_table_is_told_with_those_there_are(data):
    save("alpha", turns=[])
    with pytest.raises(InputError, match=r"no study 'beta' in .*; expected one of: alpha; run"):
        read("beta", "turns")
    with pytest.raises(InputError, match="no table 'turn'; expected one of: sessions, turns"):
        read("alpha", "turn")
    with pytest.raises(InputError, match=r"has no labels yet .*run `gates pull --study alpha`"):
        read("alpha", "labels")


def test_a_column_that_the_table_gained_since_is_null(data):
    save(sessions=[row("sessions")])
    path = data / "study" / "sessions.parquet"
    known = pl.read_parquet_metadata(path)
    pl.read_parquet(path).drop("licence").write_parquet(path, metadata=known)
    assert read("study", "sessions")["licence"].to_list() == [None]
    pl.read_parquet(path).drop("user_id").write_parquet(path, metadata=known)
    with pytest.raises(InputError, match="could not be read"):
        read("study", "sessions")


def test_an_older_schema_says_what_to_run(data):
    path = tables.table_path("study", "proposals")
    path.parent.mkdir(parents=True)
    tables.empty("proposals").write_parquet(path, metadata={"gates_schema": "0"})
    sentence = "has schema 0; expected schema 1; move it away and run `gates replay --study study`"
    with pytest.raises(InputError, match=sentence):
        read("study", "proposals")


@pytest.mark.parametrize("damage", ["", "junk", "cut", "other columns"])
def test_a_damaged_file_says_what_to_run(data, damage):
    save(labels=[{}])
    path = tables.table_path("study", "labels")
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[: len(whole) // 2]}.get(damage, damage.encode()))
    if damage == "other columns":
        pl.DataFrame({"a": [1]}).write_parquet(path, metadata={"gates_schema": "1"})
    with pytest.raises(InputError, match=r"could not be read; expected a Parquet file.*gates pull"):
        read("study", "labels")


@pytest.mark.parametrize("made_from", ["{", "[]", "3", '{"turns": 1}', '{"../x": "0"}', ""])
def test_a_damaged_origin_says_what_to_run(data, made_from):
    save(labels=[{}])
    known = {"gates_schema": "1", "gates_made_from": made_from}
    read("study", "labels").write_parquet(tables.table_path("study", "labels"), metadata=known)
    for asked in (read, stale):
        with pytest.raises(InputError, match=r"labels.parquet could not be read; .*gates pull"):
            asked("study", "labels")


def chain():
    """turns -> proposals -> candidates -> labels."""
    for before, name in zip((None, *FLOW), FLOW, strict=False):
        write("study", name, tables.empty(name), made_from=(before,) if before else ())


def test_staleness_goes_through_the_chain(data):
    chain()
    assert [stale("study", name) for name in FLOW] == [[], [], [], []]
    save(turns=[{"turn": 0, "text": "new"}])
    assert [stale("study", name) for name in FLOW] == [[], ["turns"], ["proposals"], ["candidates"]]


def test_the_same_again_is_not_newer(data):
    chain()
    tables.table_path("study", "turns").unlink()
    assert stale("study", "proposals") == ["turns"]
    write("study", "turns", tables.empty("turns"))
    assert [stale("study", name) for name in FLOW] == [[], [], [], []]


def test_what_is_not_there_is_not_stale(data):
    assert stale("study", "labels") == []


@pytest.fixture
def full(data):
    """A study on a disk without space."""
    save("full", turns=[{"turn": 0, "text": "old"}])
    kept = files(data / "full")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(data / "full")],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no small disk could be mounted")
    for name, content in kept.items():
        (data / "full" / name).write_bytes(content)
    yield data / "full"
    subprocess.run(["umount", str(data / "full")], check=True)


def test_a_full_disk_leaves_the_old_table(full):
    before = files(full)
    much = [{"turn": i, "text": f"{hash(str(i))}" * 9} for i in range(9000)]
    with pytest.raises(InputError, match=r"turns.parquet could not be written .*No space.*free"):
        save("full", turns=much)
    assert files(full) == before


def test_the_data_folder_is_moved_by_the_environment(data):
    assert tables.data_folder() == data.resolve()
    assert tables.studies() == []
    save("b", turns=[])
    save("a", turns=[])
    (data / ".services").mkdir()
    assert tables.studies() == ["a", "b"]


def test_every_table_has_a_command_that_exists():
    from analysis.cli import COMMANDS

    later = {"observations", "promotions", "promotion_grid"}
    for name in set(tables.SCHEMAS) - later:
        made_by = make_command("study", name).removeprefix("gates ")
        assert any(f"{made_by} ".startswith(f"{command} ") for command in COMMANDS)


def test_frame_fills_what_a_row_lacks():
    made = frame("labels", [{"candidate_id": "c"}])
    assert made.schema == tables.columns("labels")
    assert made["answer"].to_list() == [None]
    assert isinstance(row("labels"), dict)
    assert Path(study_folder("study")).name == "study"
