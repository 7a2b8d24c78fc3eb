"""What is well, what is not, and what to do now."""

import polars as pl
import pytest

from analysis.doctor import doctor, tables, what_next
from labelling.tables import InputError, empty, metadata, table_path, write
from tests.studies import own_data, save, talk  # noqa: F401

FLOW = {
    "sessions": (),
    "turns": (),
    "events": (),
    "proposals": ("turns",),
    "gate_turns": ("turns",),
    "candidates": ("proposals", "turns"),
    "labels": ("candidates",),
    "reference_facts": ("labels",),
    "operating_points": ("reference_facts",),
}


def until(last):
    for name, made_from in FLOW.items():
        write("study", name, empty(name), made_from=made_from)
        if name == last:
            return


@pytest.mark.parametrize(
    ("last", "then"),
    [
        ("events", "gates replay --study study"),
        ("gate_turns", "gates pool --study study"),
        ("candidates", "gates push --study study, label in the browser, then gates pull --study"),
        ("labels", "gates reference --study study"),
        ("reference_facts", "gates score --study study"),
        ("operating_points", "open notebooks/2_replay_gates.ipynb in JupyterLab with STUDY"),
    ],
)
def test_the_next_step_follows_the_flow(data, last, then):
    until(last)
    assert what_next("study").then.startswith(then)


def test_the_next_step_of_nothing_and_of_what_is_stale(data):
    assert what_next("study").then == "gates ingest FILE --study study"
    with pytest.raises(InputError, match="is no name for a study"):
        what_next("../x")
    until("operating_points")
    save(turns=talk("new"))
    outcome = what_next("study")
    assert outcome.did == "proposals of study 'study' is older than turns"
    assert outcome.then == "gates replay --study study"


def test_damaged_stale_and_old_tables_are_found(data):
    until("operating_points")
    (well,) = tables("study")
    assert (well.well, well.found) == (True, "9 tables, up to date")
    table_path("study", "labels").write_bytes(b"junk")
    empty("candidates").write_parquet(
        table_path("study", "candidates"), metadata={"gates_schema": "0"}
    )
    found = {finding.what.split(", ")[1]: finding for finding in tables("study")}
    assert found.keys() == {"candidates", "labels", "reference_facts", "operating_points"}
    assert not any(finding.well for finding in found.values())
    assert "has schema 0" in found["candidates"].found
    assert "could not be read" in found["labels"].found
    assert found["reference_facts"].found == "older than labels"
    assert found["operating_points"].then == "gates score --study study"


def test_what_a_killed_command_left_is_found(data):
    until("turns")
    left, exported = (
        data / "study" / ".turns.parquet.x1.part",
        data / "study/export/.turns.csv.x1.part",
    )
    exported.parent.mkdir()
    for part in (left, exported):
        part.write_bytes(b"half")
    found = {finding.found: finding.then for finding in tables("study")}
    assert found == {
        f"{left.name} is half a file": "nothing: the next command that writes the study removes it",
        f"{exported.name} is half a file": f"delete {exported}",
    }


def test_rows_that_break_their_schema_are_found(data):
    save(labels=[{}, {"candidate_id": "c2"}], turns=[])
    path = table_path("study", "labels")
    known = metadata("study", "labels")
    spoilt = pl.read_parquet(path).with_columns(status=pl.lit(None, pl.String), round=0)
    spoilt.write_parquet(path, metadata={k: known[k] for k in known if k.startswith("gates")})
    (found,) = tables("study")
    assert found.found == "breaks its schema: status|nullability (2 rows), round|min (2 rows)"
    assert found.then == "move it away and run `gates pull --study study` to make it again"


def test_the_doctor_looks_at_all_studies_or_at_one(data):
    save("one", turns=[])
    save("two", turns=[])
    table_path("two", "turns").write_bytes(b"junk")
    outcome = doctor(None)
    whats = {finding["what"] for finding in outcome.details["findings"]}
    assert {"Python", "polars", "disk", "services", "study one", "study two, turns"} <= whats
    assert outcome.did.startswith("1 of ")
    assert outcome.then == "move it away and run `gates ingest FILE --study two` to make it again"
    assert "!! study two, turns" in outcome.text
    assert doctor("one").did == "everything is well"
    with pytest.raises(InputError, match="there is no study 'three'"):
        doctor("three")
