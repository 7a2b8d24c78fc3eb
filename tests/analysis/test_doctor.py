"""What is well, what is not, and what to do now."""

import json
import os
from uuid import uuid4

import polars as pl
import pytest
from round_study import write_study
from services_fixture import services, session  # noqa: F401

from analysis.doctor import doctor, tables, what_next
from labelling import client, rounds
from labelling.server.processes import Process
from labelling.tables import InputError, empty, metadata, table_path, write
from tests.studies import REJECT, WRITE, own_data, row, rows, save, talk, votes  # noqa: F401

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


def until(last, **tables):
    for name, made_from in FLOW.items():
        write("study", name, tables.get(name, empty(name)), made_from=made_from)
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


def test_what_people_split_on_and_nobody_settled_is_told(data):
    split = rows("labels", *votes("c1", WRITE, REJECT))
    until("operating_points", candidates=rows("candidates", {}), labels=split)
    said = "1 disputed candidate nobody settled: `gates adjudicate push --study study`"
    assert said in what_next("study").did
    judge = rows("labels", row("labels", annotator="j", question="adjudication", answer="write"))
    settled = pl.concat([split, judge])
    until("operating_points", candidates=rows("candidates", {}), labels=settled)
    assert "disputed" not in what_next("study").did


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


# while people label


@pytest.fixture
def study(services, monkeypatch):  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    name = f"s{uuid4().hex[:8]}"
    write_study(name)
    return name


def label(services, study, which):  # noqa: F811
    with client.connect() as argilla:
        dataset = client.server_datasets(argilla, client.workspace_id(argilla, study))[
            "candidates-r1"
        ]
        records = argilla.items(f"datasets/{dataset['id']}/records", limit="100")[which]
    values = {name: {"value": "yes"} for name in ("durable", "well_evidenced", "scope_ok")}
    for name in ("annotator_a", "annotator_b"):
        http = session(services, name)
        for record in records:
            body = {"values": values, "status": "submitted"}
            http.post(f"/records/{record['id']}/responses", json=body).raise_for_status()


@pytest.mark.server
def test_while_people_label_the_next_step_is_to_look_and_to_bring_their_answers(
    services,  # noqa: F811
    study,
):
    for name in ("sessions", "proposals"):
        write(study, name, empty(name))
    assert what_next(study).then.startswith(f"gates push --study {study}, label")
    rounds.push(study)
    outcome = what_next(study)
    assert f"being labelled at {services.argilla_url}: 0 of 3 candidates" in outcome.did
    assert outcome.then.startswith(f"`gates status --study {study}` says how far")
    label(services, study, slice(2))
    rounds.pull(study)
    assert what_next(study).then == f"gates reference --study {study}"
    for name in ("reference_facts", "operating_points"):
        write(study, name, empty(name))
    assert "scored as far as it was pulled at" in what_next(study).did
    assert "2 of 3 candidates" in what_next(study).did
    label(services, study, slice(2, 3))
    assert f"`gates pull --study {study}` brings" in what_next(study).then
    rounds.pull(study)
    assert what_next(study).then.startswith("open notebooks/2_replay_gates")


@pytest.mark.server
def test_the_doctor_looks_at_the_server_that_is_named(services, study, monkeypatch, tmp_path):  # noqa: F811
    key = session(services, "owner").get("/me").json()["api_key"]
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    monkeypatch.setenv("GATES_ARGILLA_URL", services.argilla_url)
    monkeypatch.setenv("GATES_ARGILLA_API_KEY", key)
    found = {one["what"]: one for one in doctor(None).details["findings"]}
    assert found["Argilla"]["found"].startswith(f"{services.argilla_url} (GATES_ARGILLA_URL), ")
    assert "services" not in found
    monkeypatch.setenv("GATES_ARGILLA_API_KEY", "wrong")
    (ill,) = (one for one in doctor(None).details["findings"] if not one["well"])
    assert (ill["what"], "refused GET me" in ill["found"]) == ("Argilla", True)
    monkeypatch.setenv("GATES_ARGILLA_URL", "http://127.0.0.1:9")
    (ill,) = (one for one in doctor(None).details["findings"] if not one["well"])
    assert "does not answer at http://127.0.0.1:9" in ill["found"]


def test_what_runs_on_without_its_supervisor_is_not_called_down(data):
    folder = data / ".services"
    folder.mkdir(parents=True)
    processes = {"supervisor": {"pid": 1, "command": "gone"}, "argilla": Process.of(os.getpid())}
    (folder / "services.json").write_text(json.dumps({"processes": processes}, default=vars))
    found = {one["what"]: one for one in doctor(None).details["findings"]}
    assert not found["services"]["well"]
    assert found["services"]["then"].startswith("`gates up` ends them")
