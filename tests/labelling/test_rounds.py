import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import polars as pl
import pytest
from round_study import candidate, write_study
from services_fixture import services, session  # noqa: F401

from labelling import client, rounds
from labelling.agreement.said import said_again
from labelling.candidates import COMPLETE
from labelling.practice import practice_items
from labelling.services import Services
from labelling.tables import InputError, alias, frame, named_people, read, table_path, write
from labelling.tables.decisions import counted
from labelling.tasks import guidelines, guidelines_version

pytestmark = pytest.mark.server

YES = {"durable": "yes", "well_evidenced": "yes", "scope_ok": "yes"}
SLOWLY = "from labelling import client, rounds; client.BATCH = 1; rounds.push({study!r})"
BEFORE_RENAME = """
import time
from labelling import rounds
from labelling.tables import files
files._sync = lambda path: (print("written", flush=True), time.sleep(60))
rounds.pull({study!r})
"""


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    return f"s{uuid4().hex[:8]}"


class Annotator:
    """Someone who answers over the API as the page does; records are found by candidate_id."""

    def __init__(self, http: httpx.Client, study: str, round_: int = 1, dataset: str = "") -> None:
        self._http = http
        datasets = http.get("/me/datasets").json()["items"]
        workspaces = {w["id"]: w["name"] for w in http.get("/me/workspaces").json()["items"]}
        name = dataset or f"candidates-r{round_}"
        mine = [d for d in datasets if workspaces[d["workspace_id"]] == study]
        path = f"/me/datasets/{next(d['id'] for d in mine if d['name'] == name)}/records/search"
        found = http.post(path, json={}, params={"limit": 100}).json()["items"]
        self._ids = {one["record"]["external_id"]: one["record"]["id"] for one in found}

    def answers(self, candidate_id: str, status: str, **answers: str) -> None:
        values = {name: {"value": value} for name, value in answers.items()}
        item = {"record_id": self._ids[candidate_id], "status": status, "values": values or None}
        answer = self._http.post("/me/responses/bulk", json={"items": [item]})
        assert answer.json()["items"][0]["item"], answer.text


@pytest.fixture
def annotator(services: Services, study: str) -> Callable[..., Annotator]:  # noqa: F811
    return lambda name, **more: Annotator(session(services, name), study, **more)


def rows(study: str) -> list[tuple[Any, ...]]:
    """The labels, with the names of those who answered."""
    found = read(study, "labels").select("candidate_id", whose(), "question", "answer", "status")
    return sorted(found.rows())


def whose() -> pl.Expr:
    """The annotator by name; whoever is called by a name in the table is called nobody here."""
    return pl.col("annotator").replace_strict(named_people(), default="nobody")


def test_answers_come_back_as_rows(study: str, annotator: Callable[..., Annotator]) -> None:
    first, second, third = write_study(study)
    pushed = rounds.push(study)
    assert pushed.wrote == {f"Argilla {study}/candidates-r1": 3}
    assert "annotator_a, annotator_b" in pushed.then
    a, b = annotator("annotator_a"), annotator("annotator_b")
    a.answers(first, "submitted", **{**YES, "durable": "no"})
    a.answers(first, "submitted", **YES, note="sure")  # the last answer counts
    b.answers(first, "submitted", **{**YES, "durable": "until"})
    a.answers(second, "discarded")
    b.answers(second, "draft", durable="no")
    a.answers(third, "draft")
    pulled = rounds.pull(study)
    three = [("durable", "yes"), ("scope_ok", "yes"), ("well_evidenced", "yes")]
    assert rows(study) == sorted(
        [(first, "annotator_a", *one, "submitted") for one in [*three, ("note", "sure")]]
        + [(first, "annotator_b", *one, "submitted") for one in [("durable", "until"), *three[1:]]]
        + [(second, "annotator_a", "task", None, "discarded")]
        + [(second, "annotator_b", "durable", "no", "draft")]
        + [(third, "annotator_a", "task", None, "draft")]
    )
    assert pulled.details["candidates_by_answers"] == {"0": 2, "1": 0, "2": 1}
    assert pulled.details["annotators"]["annotator_b"] == {"submitted": 1, "draft": 1}
    assert pulled.details.items() <= rounds.status(study).details.items()
    same = read(study, "labels").select("round", "occasion", "pilot", "guidelines_version").unique()
    assert same.rows() == [(1, 0, False, guidelines().version)]


def test_a_row_tells_how_long_it_took_and_which_guidelines_were_on_show(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    first, second, third = write_study(study)
    rounds.push(study)
    a = annotator("annotator_a")
    a.answers(first, "submitted", **YES)
    time.sleep(1.1)
    a.answers(second, "submitted", **YES)
    a.answers(third, "draft", **YES)
    with client.connect() as argilla:
        dataset = client.server_datasets(argilla, client.workspace_id(argilla, study))[
            "candidates-r1"
        ]
        argilla.call("PATCH", f"datasets/{dataset['id']}", json={"guidelines": "Read twice."})
    a.answers(third, "submitted", **YES)
    rounds.pull(study)
    found = read(study, "labels").sort("submitted_at").unique("candidate_id", maintain_order=True)
    seconds = found["seconds"].to_list()
    assert 0.5 < seconds[1] < 60  # clocks are set while we wait
    assert 0 <= seconds[2] < 60
    shown = [guidelines().version] * 2 + [guidelines_version("Read twice.")]
    assert found["guidelines_version"].to_list() == shown


def test_rows_that_argilla_does_not_stand_for_stay(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    first, *_ = write_study(study)
    rounds.push(study)
    row = {
        "candidate_id": first,
        "annotator": "annotator_a",
        "question": "durable",
        "occasion": 0,
        "answer": "yes",
        "status": "submitted",
        "guidelines_version": "v",
        "round": 1,
        "pilot": False,
    }
    stay = [
        {**row, "annotator": "source:corpus"},
        {**row, "annotator": "somebody_removed"},
        {**row, "question": "adjudication"},
        {**row, "question": "read_whole", "candidate_id": "c1"},
        {**row, "candidate_id": "of another round"},
        {**row, "occasion": 1},
        {**row, "annotator": "annotator_b", "pilot": True},
    ]
    withdrawn = {**row, "question": "scope_ok"}
    write(study, "labels", frame("labels", [*stay, withdrawn]))
    annotator("annotator_a").answers(first, "submitted", **YES)
    rounds.pull(study)
    kept = read(study, "labels").filter(pl.col("guidelines_version") == "v")
    people = {name: alias(name) for name in ("annotator_a", "annotator_b")}
    expected = frame("labels", stay).with_columns(pl.col("annotator").replace(people))
    assert kept.sort(pl.all()).equals(expected.sort(pl.all()))
    assert read(study, "labels").height == len(stay) + 3


def test_answers_that_argilla_lost_stay(
    study: str, annotator: Callable[..., Annotator], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, _ = write_study(study)
    rounds.push(study)
    for name in ("annotator_a", "annotator_b"):
        annotator(name).answers(first, "submitted", **YES)
    annotator("annotator_a").answers(second, "discarded")
    rounds.pull(study)
    before = rows(study)
    assert "no answer any more" not in capsys.readouterr().err
    with client.connect() as argilla:
        dataset = client.server_datasets(argilla, client.workspace_id(argilla, study))[
            "candidates-r1"
        ]
        argilla.call("DELETE", f"datasets/{dataset['id']}")
    rounds.push(study)
    rounds.pull(study)
    assert rows(study) == before
    said = "no answer any more for 7 rows of labels (2 candidates, by annotator_a, annotator_b)"
    assert said in capsys.readouterr().err
    annotator("annotator_a").answers(first, "submitted", **{**YES, "durable": "no"})
    rounds.pull(study)  # what is answered again replaces the old
    again = (first, "annotator_a", "durable", "no", "submitted")
    assert set(rows(study)) - set(before) == {again}
    assert len(rows(study)) == len(before)
    assert "for 4 rows of labels" in capsys.readouterr().err


def test_a_second_round_leaves_the_first(study: str, annotator: Callable[..., Annotator]) -> None:
    first, *_ = write_study(study)
    rounds.push(study)
    annotator("annotator_a").answers(first, "submitted", **YES)
    late = candidate(0, "Sam is our lead.", round_=2)
    table = pl.concat([read(study, "candidates"), frame("candidates", [late])])
    write(study, "candidates", table)
    assert rounds.push(study).wrote == {f"Argilla {study}/candidates-r2": 1}
    annotator("annotator_b", round_=2).answers(late["candidate_id"], "submitted", **YES)
    rounds.pull(study)
    found = read(study, "labels").select("candidate_id", whose(), "round").unique().rows()
    expected = [(first, "annotator_a", 1), (late["candidate_id"], "annotator_b", 2)]
    assert sorted(found) == sorted(expected)


def test_a_killed_push_is_repeated_without_duplicates(study: str) -> None:
    ids = write_study(study, tuple(f"We use tool {n}." for n in range(60)))
    before = table_path(study, "candidates").read_bytes()
    killed = subprocess.Popen([sys.executable, "-c", SLOWLY.format(study=study)])
    while len(in_argilla(study)) < 3:
        assert killed.poll() is None
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert len(in_argilla(study)) < len(ids)
    assert table_path(study, "candidates").read_bytes() == before
    rounds.push(study)
    assert sorted(in_argilla(study)) == sorted(ids)


def test_a_pull_killed_before_its_table_is_in_place_leaves_the_old_one(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    first, *_ = write_study(study)
    rounds.push(study)
    a = annotator("annotator_a")
    a.answers(first, "discarded")
    rounds.pull(study)
    before = table_path(study, "labels").read_bytes()
    a.answers(first, "submitted", **YES)
    command = [sys.executable, "-c", BEFORE_RENAME.format(study=study)]
    killed = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "written\n"
    killed.kill()
    killed.communicate()
    assert table_path(study, "labels").read_bytes() == before
    rounds.pull(study)
    assert len(rows(study)) == 3


def test_a_study_that_came_with_its_labels_is_never_pulled_into(study: str) -> None:
    write_study(study)
    write(study, "candidates", read(study, "candidates"), notes={COMPLETE: "yes"})
    for step in (rounds.push, rounds.pull):
        with pytest.raises(InputError, match=r"came with its labels .*`try`"):
            step(study)


def test_nothing_pushed_is_one_sentence(study: str) -> None:
    write_study(study)
    with pytest.raises(InputError, match=f"no candidates of study '{study}' yet; run `gates push"):
        rounds.pull(study)


def test_a_pilot_comes_back_apart_and_the_round_asks_all_of_it_again(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    ids = write_study(study)
    pushed = rounds.push(study, pilot=2)
    assert pushed.wrote == {f"Argilla {study}/pilot-r1": 2}
    asked = in_argilla(study, "pilot-r1")
    a = annotator("annotator_a", dataset="pilot-r1")
    for one in asked:
        a.answers(one, "submitted", **{**YES, "durable": "no"})
    pulled = rounds.pull(study)
    assert pulled.details["candidates_by_answers"] == {"0": 0, "1": 0, "2": 0}
    assert pulled.details["not_pushed"] == 3
    before = read(study, "labels")
    assert before.select("occasion", "pilot").unique().rows() == [(2, True)]
    assert counted(before).is_empty()
    assert rounds.push(study).wrote == {f"Argilla {study}/candidates-r1": 3}
    annotator("annotator_a").answers(asked[0], "submitted", **YES)
    pulled = rounds.pull(study)
    assert pulled.details["candidates_by_answers"] == {"0": 2, "1": 1, "2": 0}
    labels = read(study, "labels")
    assert set(counted(labels)["candidate_id"]) == {asked[0]} < set(ids)
    assert labels.filter("pilot").equals(before)


def test_the_earlier_of_two_answers_to_the_same_counts(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    first, second, third = write_study(study)
    rounds.push(study)
    b = annotator("annotator_b")
    for one in (first, second, third):
        b.answers(one, "submitted", **YES)
    assert rounds.push(study, again=1.0).details == {"candidates": 3, "shown_again": 3}
    a = annotator("annotator_a")
    a.answers(f"{first}.again", "submitted", **YES)  # our order may show the second record first
    a.answers(first, "submitted", **{**YES, "durable": "no"})
    a.answers(f"{first}.again", "submitted", **{**YES, "scope_ok": "no"})  # edited, still the first
    a.answers(second, "submitted", **YES)
    a.answers(f"{third}.again", "draft", **YES)
    pulled = rounds.pull(study)
    assert pulled.details["candidates_by_answers"] == {"0": 0, "1": 1, "2": 2}
    assert pulled.details["annotators"]["annotator_a"] == {"submitted": 2, "draft": 1}
    labels = read(study, "labels")
    said = (
        labels.filter(annotator=alias("annotator_a"))
        .filter(candidate_id=first)
        .select("occasion", "question", "answer")
        .rows()
    )
    assert set(said) == {
        *[(0, "durable", "yes"), (0, "well_evidenced", "yes"), (0, "scope_ok", "no")],
        *[(1, "durable", "no"), (1, "well_evidenced", "yes"), (1, "scope_ok", "yes")],
    }
    assert set(labels["candidate_id"]) == {first, second, third}
    assert not labels["pilot"].any()
    assert set(read(study, "response_history")["candidate_id"]) == {first, second, third}
    again = said_again(labels, read(study, "candidates"))
    assert set(again["candidate_id"]) == {first}
    rounds.pull(study)
    assert read(study, "labels").equals(labels)


def test_one_in_twenty_of_what_was_answered_is_shown_again_always_the_same(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    ids = write_study(study, tuple(f"We use tool {n}." for n in range(80)))
    assert rounds.push(study).details["shown_again"] == 0  # what nobody has answered is not
    a = annotator("annotator_a")
    for one in ids[:60]:
        a.answers(one, "submitted", **YES)
    pushed = rounds.push(study)
    repeated = {one.removesuffix(".again") for one in in_argilla(study) if one.endswith(".again")}
    assert len(repeated) == pushed.details["shown_again"]
    assert repeated <= set(ids[:60])
    assert 1 <= len(repeated) <= 9
    assert rounds.push(study, again=0).details["shown_again"] == 0
    assert rounds.status(study).details["candidates_by_answers"] == {"0": 20, "1": 60, "2": 0}


@pytest.mark.parametrize("wrong", [{"pilot": 0}, {"again": 1.5}, {"again": -0.1}])
def test_absurd_numbers_are_refused(study: str, wrong: dict[str, Any]) -> None:
    write_study(study)
    (name,) = wrong
    with pytest.raises(InputError, match=f"--{name} is .*expected"):
        rounds.push(study, **wrong)


def test_practice_is_offered_once_and_is_nobodys_labels(
    study: str, annotator: Callable[..., Annotator]
) -> None:
    first, *_ = write_study(study)
    rounds.push(study)
    offered = in_argilla(study, "practice")
    assert sorted(offered) == sorted(item["candidate_id"] for item in practice_items())
    annotator("annotator_a", dataset="practice").answers(offered[0], "submitted", **YES)
    annotator("annotator_a").answers(first, "submitted", **YES)
    rounds.push(study)
    assert in_argilla(study, "practice") == offered
    assert rounds.pull(study).details["annotators"]["annotator_a"] == {"submitted": 1}
    assert read(study, "labels")["candidate_id"].unique().to_list() == [first]
    assert read(study, "response_history")["candidate_id"].unique().to_list() == [first]


def test_the_order_of_the_records_tells_nothing_of_the_candidates(study: str) -> None:
    ids = write_study(study, tuple(f"We use tool {n}." for n in range(30)))
    rounds.push(study)
    assert in_argilla(study) != ids
    assert in_argilla(study) != sorted(ids)


def in_argilla(study: str, name: str = "candidates-r1") -> list[str]:
    """External ids of a dataset's records, in the order they were inserted."""
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, study)
        there = client.server_datasets(argilla, workspace) if workspace else {}
        if name not in there:
            return []
        path = f"datasets/{there[name]['id']}/records"
        return [r["external_id"] for r in argilla.items(path, limit="100")]
