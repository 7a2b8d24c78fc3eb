"""Accounts made, reset, listed and removed: while Argilla runs, and while it does not."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import polars as pl
import pytest
from round_study import write_study
from services_fixture import password, services, session  # noqa: F401

from labelling import accounts, client, removal, rounds
from labelling.pseudonyms import is_pseudonym
from labelling.reference import make_reference
from labelling.services import Services
from labelling.tables import InputError, alias, exists, frame, named_people, read, write

YES = {"durable": "yes", "well_evidenced": "yes", "scope_ok": "yes"}
HOSTILE = [
    *("", " ", "a b", "-x", "a/b", "../x", "a\nb", "a\0b", "<script>", "a\u202eb", "a\u200bb"),
    *("source:x", "a1b2c3d45", "x" * 65, "\ud800", "'; DROP TABLE users; --", "annotator:x"),
]


@pytest.fixture
def down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder where nothing runs; its accounts file."""
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    monkeypatch.delenv("GATES_ARGILLA_URL", raising=False)
    return client.accounts_file()


def kept(file: Path) -> dict[str, dict[str, str]]:
    return dict(json.loads(file.read_text()))


def test_while_argilla_is_down_the_file_is_told_and_the_next_start_reads_it(down: Path) -> None:
    made = accounts.add("anna", "admin")
    assert kept(down)["anna"] == {"password": made.details["password"], "role": "admin"}
    assert set(kept(down)) == {"owner", "annotator_a", "annotator_b", "anna"}
    assert down.stat().st_mode & 0o777 == 0o600
    assert "next start" in made.then
    again = accounts.reset("anna")
    assert again.details["password"] != made.details["password"]
    assert kept(down)["anna"]["password"] == again.details["password"]
    listed = {row["name"]: row["role"] for row in accounts.list_().details["accounts"]}
    assert listed["anna"] == "admin"
    removed = removal.remove("anna", erase=False)
    assert "anna" not in kept(down)
    assert kept(down.with_name("removals.json")) == {"anna": False}
    assert "next start" in removed.then


def test_several_accounts_are_made_at_once_or_none(down: Path) -> None:
    made = accounts.add_all(["anna", "bo"], "annotator")
    assert made.did == "2 accounts made (annotator): anna, bo"
    secrets = {name: kept(down)[name]["password"] for name in ("anna", "bo")}
    assert made.details["passwords"] == secrets
    assert made.then.count("gates push") == 1
    before = kept(down)
    for names in (["cleo", "ANNA"], ["cleo", "a b"], ["cleo", "Cleo"]):
        with pytest.raises(InputError):
            accounts.add_all(names, "annotator")
    assert kept(down) == before
    assert "gates push" not in accounts.add_all(["dag"], "admin").then


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_no_name(down: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"is no name for an account; expected 1-64 letters"):
        accounts.add(name, "annotator")
    assert name not in kept(down)


@pytest.mark.parametrize("name", ["anna", "Anna.Müller@example.org", "李雷", "x", "1", "a+b-c_d"])
def test_a_name_people_use_is_one(down: Path, name: str) -> None:
    accounts.add(name, "annotator")
    assert name in kept(down)


def test_what_cannot_be_is_one_sentence(down: Path) -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: accounts.add("anna", "king"), "no role 'king'; expected one of: owner, admin"),
        (lambda: accounts.add("OWNER", "owner"), "an account 'owner' already; choose another"),
        (lambda: accounts.reset("nobody"), "no account 'nobody'; expected one of: annotator_a"),
        (lambda: removal.remove("nobody", erase=True), "no account 'nobody'; expected one of"),
        (lambda: removal.remove("owner", erase=True), "'owner' is the last owner; make another"),
    ]
    accounts.list_()
    before = kept(down)
    for step, said in cases:
        with pytest.raises(InputError, match=said):
            step()
    assert kept(down) == before


def test_a_damaged_file_is_one_sentence(down: Path) -> None:
    down.parent.mkdir(parents=True)
    down.write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        accounts.list_()


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    return f"s{uuid4().hex[:8]}"


@pytest.fixture
def person(services: Services, study: str) -> Iterator[str]:  # noqa: F811
    """A new annotator's name, on a running server."""
    name = f"anna.{uuid4().hex[:6]}"
    assert accounts.add(name, "annotator").then.startswith("gates push")
    yield name
    if name in kept(services.accounts_file):
        removal.remove(name, erase=True)


def answer(services: Services, name: str, study: str, candidate_id: str) -> None:  # noqa: F811
    http = session(services, name)
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, study)
        assert workspace
        dataset = client.server_datasets(argilla, workspace)["candidates-r1"]
        records = argilla.items(f"datasets/{dataset['id']}/records", limit="100")
        ids = {record["external_id"]: record["id"] for record in records}
        values = {question: {"value": value} for question, value in YES.items()}
        body = {"values": values, "status": "submitted"}
        http.post(f"/records/{ids[candidate_id]}/responses", json=body).raise_for_status()


def signs_in(services: Services, name: str, secret: str) -> bool:  # noqa: F811
    form = {"username": name, "password": secret}
    return httpx.post(f"{services.argilla_url}/api/v1/token", data=form).is_success


@pytest.mark.server
def test_a_running_argilla_is_told_at_once(
    services: Services,  # noqa: F811
    person: str,
) -> None:
    first = password(services, person)
    assert signs_in(services, person, first)
    second = accounts.reset(person).details["password"]
    assert password(services, person) == second != first
    assert [signs_in(services, person, one) for one in (first, second)] == [False, True]
    row = next(r for r in accounts.list_().details["accounts"] if r["name"] == person)
    assert row["role"] == "annotator"
    assert named_people()[row["pseudonym"]] == person
    with pytest.raises(InputError, match="already"):
        accounts.add(person, "annotator")


@pytest.mark.server
def test_who_is_removed_is_a_pseudonym_ever_after(
    services: Services,  # noqa: F811
    study: str,
    person: str,
) -> None:
    first, *_ = write_study(study)
    rounds.push(study)
    answer(services, person, study, first)
    rounds.pull(study)
    known, before, secret = alias(person), read(study, "labels"), password(services, person)
    assert set(before["annotator"]) == {known}
    removed = removal.remove(person, erase=False)
    assert removed.details["pseudonyms"] == [known]
    assert not signs_in(services, person, secret)
    assert person not in json.dumps([named_people(), kept(services.accounts_file)])
    rounds.pull(study)
    assert read(study, "labels").equals(before)
    assert person not in rounds.push(study).then
    assert person not in [r["name"] for r in accounts.list_().details["accounts"]]
    erased = removal.remove(known, erase=True)  # later on, by what the tables call them
    assert erased.details["studies"][0]["rows"] == {"labels": 3, "response_history": 1}
    rounds.pull(study)
    assert read(study, "labels").is_empty()


@pytest.mark.server
def test_who_is_erased_leaves_nothing_and_what_that_opens_is_told(
    services: Services,  # noqa: F811
    study: str,
    person: str,
) -> None:
    first, second, _ = write_study(study)
    rounds.push(study)
    for name, candidate in [(person, first), ("annotator_a", first), (person, second)]:
        answer(services, name, study, candidate)
    rounds.pull(study)
    make_reference(study)
    known = alias(person)
    removed = removal.remove(person, erase=True)
    assert removed.details["opened_in_argilla"] == {f"{study}/candidates-r1": 1}
    (lost,) = removed.details["studies"]
    assert (lost["study"], lost["reopened_candidates"]) == (study, 1)
    assert lost["rows"] == {"labels": 6, "response_history": 2}
    assert "agreement" in lost["removed"]
    assert f"gates reference --study {study}" in removed.then
    assert known not in str(read(study, "labels")["annotator"].to_list())
    assert not exists(study, "agreement")
    rounds.pull(study)
    assert set(read(study, "labels")["annotator"]) == {alias("annotator_a")}
    assert set(read(study, "response_history")["annotator"]) == {alias("annotator_a")}


@pytest.mark.server
def test_a_study_of_an_older_version_calls_nobody_by_name_any_more(study: str, person: str) -> None:
    first, *_ = write_study(study)
    row = {"candidate_id": first, "annotator": person, "question": "durable", "occasion": 0}
    more = {"status": "submitted", "guidelines_version": "v", "round": 1, "pilot": False}
    write(study, "labels", frame("labels", [{**row, **more, "answer": "yes"}]))
    (known,) = removal.remove(person, erase=False).details["pseudonyms"]
    assert read(study, "labels")["annotator"].to_list() == [known]
    assert is_pseudonym(known)
    assert read(study, "labels").filter(pl.col("annotator") == person).is_empty()
