"""Disputed candidates there and back over a real Argilla: who sees them, what comes of it."""

from collections.abc import Callable
from uuid import uuid4

import answering
import polars as pl
import pytest
from round_study import write_study
from services_fixture import services, session  # noqa: F401

from labelling import accounts, adjudication, client, removal, rounds
from labelling.reference import make_reference
from labelling.services import Services
from labelling.tables import InputError, frame, read, write
from labelling.workspaces import of_judges

pytestmark = pytest.mark.server

YES = {"durable": "yes", "well_evidenced": "yes", "scope_ok": "yes"}
NO = {**YES, "durable": "no"}
A, B = "annotator_a", "annotator_b"


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    return f"s{uuid4().hex[:8]}"


@pytest.fixture
def judge(study: str) -> str:
    name = f"judge-{uuid4().hex[:6]}"
    accounts.add(name, "annotator")
    return name


Answer = Callable[..., None]


@pytest.fixture
def answer(services: Services, study: str) -> Answer:  # noqa: F811
    """Answer a record of a dataset as somebody."""

    def give(name: str, candidate_id: str, where: str = "candidates-r1", **given: str) -> None:
        answering.answer(services, study, name, {candidate_id: given}, where)

    return give


def split_study(study: str, answer: Answer) -> list[str]:
    """Of three candidates they split on the first two, and agree on the third."""
    ids = write_study(study)
    rounds.push(study, again=0)
    answer(A, ids[0], **YES, note="A saw it <b>twice</b>")
    answer(B, ids[0], **NO, reject_reason="situational", corrected="Warehouse is BigQuery")
    answer(A, ids[1], **NO)
    answer(B, ids[1], **YES)
    for name in (A, B):
        answer(name, ids[2], **YES)
    rounds.pull(study)
    return ids


def shown(services: Services, study: str, judge: str) -> dict[str, str]:  # noqa: F811
    found = answering.records(session(services, judge), study, "adjudication")
    return {one: record["fields"]["answers"] for one, record in found.items()}


def test_a_judge_settles_what_two_split_on(
    study: str,
    judge: str,
    answer: Answer,
    services: Services,  # noqa: F811
) -> None:
    first, second, third = split_study(study, answer)
    pushed = adjudication.push(study, [judge])
    assert pushed.wrote == {f"Argilla {study}.adjudication/adjudication": 2}
    assert judge in pushed.then
    seen = shown(services, study, judge)
    assert set(seen) == {first, second}
    split = seen[first].splitlines()[1]
    assert split.startswith("▶ SPLIT · Durable – A: ")
    assert sorted(split[-14:].split(" · ")) in (["A: no", "B: yes"], ["A: yes", "B: no"])
    assert "Scope right – A and B: yes" in seen[first]
    assert "A saw it &#60;b&#62;twice&#60;/b&#62;" in seen[first]
    assert "situational – about now, over soon" in seen[first]
    for name in (A, B, "gate", "sampled"):
        assert name not in "".join(seen.values())
    answer(judge, first, "adjudication", adjudication="write", reason_code="slip")
    pulled = adjudication.pull(study)
    assert pulled.details["adjudicated"]["by_reason"] == {"slip": 1}
    assert "1 disputed candidates are open" in pulled.text
    said = make_reference(study)
    assert "1 reference fact from 3 candidates" in said.did
    assert "2 disputed candidates 1 are settled: 1 to write" in said.text
    facts = dict(read(study, "reference_facts").select("fact_id", "source").iter_rows())
    assert facts == {third: "agreed", first: "adjudicated"}
    resolved = read(study, "disagreements").filter(question="write")
    assert dict(resolved.select("candidate_id", "resolved").iter_rows()) == {
        first: "write",
        second: None,
    }


def test_annotators_see_nothing_of_it_and_who_labelled_is_refused(
    study: str,
    judge: str,
    answer: Answer,
    services: Services,  # noqa: F811
) -> None:
    split_study(study, answer)
    with pytest.raises(InputError, match="'annotator_a' labelled 2 of the 2 disputed candidates"):
        adjudication.push(study, [A])
    with pytest.raises(InputError, match="there is no account 'nobody'"):
        adjudication.push(study, ["nobody"])
    adjudication.push(study, [judge])
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, of_judges(study))
        assert workspace
        (dataset,) = client.server_datasets(argilla, workspace).values()
    for name in (A, B):
        http = session(services, name)
        for path in ("/me/workspaces", "/me/datasets"):
            assert workspace not in http.get(path).text
        assert http.get(f"/datasets/{dataset['id']}").status_code in (403, 404)
        path = f"/me/datasets/{dataset['id']}/records/search"
        assert http.post(path, json={}).status_code in (403, 404)


def test_who_labels_later_sees_it_no_more_and_such_a_decision_does_not_count(
    study: str,
    judge: str,
    answer: Answer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, *_ = split_study(study, answer)
    adjudication.push(study, [judge])
    answer(judge, first, "adjudication", adjudication="write", reason_code="scope")
    rounds.push(study, again=0)
    answer(judge, first, **YES)
    rounds.pull(study)
    assert read(study, "labels").filter(question="adjudication").height == 1
    said = make_reference(study)
    assert "do not count: 1" in said.text
    assert "adjudicated" not in set(read(study, "reference_facts")["source"])
    pushed = adjudication.push(study)
    assert f"{judge} labelled 1 of the disputed candidates" in capsys.readouterr().err
    assert pushed.details["judges"] == []
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, of_judges(study))
        assert workspace
        assert client.members(argilla, workspace) == set()


def test_what_was_decided_stays_and_what_is_agreed_since_is_taken_back(
    study: str,
    judge: str,
    answer: Answer,
    services: Services,  # noqa: F811
) -> None:
    first, second, third = split_study(study, answer)
    adjudication.push(study, [judge])
    before = shown(services, study, judge)
    answer(judge, first, "adjudication", adjudication="reject", reason_code="ambiguous")
    answer(A, first, **YES, note="changed")
    answer(A, second, **YES)  # now they agree
    answer(A, third, **NO)  # now they do not
    rounds.pull(study)
    found = adjudication.push(study, [judge])
    assert (found.details["sent"], found.details["answered"], found.details["removed"]) == (1, 1, 1)
    after = shown(services, study, judge)
    assert set(after) == {first, third}
    assert after[first] == before[first]


def test_an_erased_person_s_answers_are_shown_to_no_judge(
    study: str,
    judge: str,
    answer: Answer,
    services: Services,  # noqa: F811
) -> None:
    first, second, third = split_study(study, answer)
    person = f"third-{uuid4().hex[:6]}"
    accounts.add(person, "annotator")
    rounds.push(study, again=0)
    answer(person, third, **NO, note="of the erased")
    rounds.pull(study)
    adjudication.push(study, [judge])
    assert "of the erased" in shown(services, study, judge)[third]
    answer(judge, third, "adjudication", adjudication="write", reason_code="slip")
    adjudication.pull(study)
    removal.remove(person, erase=True)
    assert set(shown(services, study, judge)) == {first, second}
    adjudication.pull(study)  # the judge's word stays in the table
    assert read(study, "labels").filter(question="adjudication")["candidate_id"][0] == third


def test_nothing_disputed_and_nothing_pushed_are_a_sentence_each(study: str) -> None:
    write_study(study)
    rounds.push(study)
    write(study, "labels", frame("labels", []))
    assert "nothing to adjudicate" in adjudication.push(study).did
    with pytest.raises(InputError, match=r"no adjudication of study .* `gates adjudicate push"):
        adjudication.pull(study)
    assert read(study, "labels").filter(pl.col("question") == "adjudication").is_empty()
