"""Whole sessions over real Argilla: sent, read by two, marks brought home to their turns."""

import json
from typing import Any
from uuid import uuid4

import httpx
import polars as pl
import pytest
from round_study import candidate, turn, write_study
from services_fixture import services, session  # noqa: F401

from labelling import rounds
from labelling.candidates import pool
from labelling.services import Services
from labelling.tables import alias, frame, read, write
from labelling.tables.decisions import read_whole

pytestmark = pytest.mark.server

TEXTS = (
    "🙂 Our warehouse is BigQuery 🙂.",
    "■ 9 · USER\r\nAlways UTC?",
    "Yes,\u202e do.\x07 Call me 👩‍👩‍👧‍👦.",
)


class Readers:
    """Two people who mark words of the text on show, over the API as the page does it."""

    def __init__(self, running: Services, study: str) -> None:
        self._people = {name: session(running, f"annotator_{name}") for name in "ab"}
        owner = session(running, "owner")
        spaces = {w["id"]: w["name"] for w in owner.get("/me/workspaces").json()["items"]}
        (self.dataset,) = (
            d["id"]
            for d in owner.get("/me/datasets").json()["items"]
            if spaces[d["workspace_id"]] == study and d["name"] == "transcripts"
        )

    def records(self, name: str = "a") -> dict[str, Any]:
        path = f"/me/datasets/{self.dataset}/records/search"
        found = self._people[name].post(path, json={}, params={"limit": 100}).json()["items"]
        return {one["record"]["external_id"]: one["record"] for one in found}

    def answer(self, name: str, session_id: str, *words: str, **more: Any) -> httpx.Response:
        record = self.records(name)[session_id]
        text = record["fields"]["transcript"]
        spans = [
            {"label": "fact", "start": text.index(w), "end": text.index(w) + len(w)} for w in words
        ]
        values = {"read_whole": {"value": more.pop("whole", "yes")}, "marked": {"value": spans}}
        item = {"record_id": record["id"], "status": "submitted", "values": values, **more}
        answer = self._people[name].post("/me/responses/bulk", json={"items": [item]})
        assert answer.json()["items"][0]["item"], answer.text
        return answer


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    """A study whose one session is drawn, and has a candidate of a gate."""
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    name = f"s{uuid4().hex[:8]}"
    write_study(name)
    write(name, "turns", frame("turns", [turn(n, text) for n, text in enumerate(TEXTS)]))
    own = candidate(0, TEXTS[0], strata=["proposed"], proposal_ids=["p"])
    write(name, "candidates", frame("candidates", [own]))
    write(name, "proposals", frame("proposals", []))
    pool(name, read_sessions=1)
    return name


def marked(study: str) -> dict[str, list[tuple[int, str]]]:
    """Name -> (turn, words) of each piece in `labels`."""
    rows = read(study, "labels").filter(pl.col("question") == "marked")
    return {
        name: [
            (one["turn"], TEXTS[one["turn"]][one["start"] : one["end"]])
            for one in json.loads(answer)
        ]
        for name in ("annotator_a", "annotator_b")
        for answer in rows.filter(pl.col("annotator") == alias(name))["answer"]
    }


def test_marks_come_home_to_the_words_of_their_turns(
    services: Services,  # noqa: F811
    study: str,
) -> None:
    assert rounds.push(study, again=0).wrote[f"Argilla {study}/transcripts"] == 1
    readers = Readers(services, study)
    readers.answer("a", "c1", "BigQuery 🙂", "👩‍👩‍👧‍👦")
    readers.answer("b", "c1", "UTC?\n\n■ 3 · USER\nYes,[U+202E] do", whole="no")
    rounds.pull(study)
    assert marked(study) == {
        "annotator_a": [(0, "BigQuery 🙂"), (2, "👩‍👩‍👧‍👦")],
        "annotator_b": [(1, "UTC?"), (2, "Yes,\u202e do")],
    }
    assert read_whole(read(study, "labels")) == []
    readers.answer("b", "c1")  # nothing marked, all read
    assert rounds.push(study, again=0).wrote[f"Argilla {study}/transcripts"] == 1
    rounds.pull(study)
    assert marked(study).keys() == {"annotator_a"}
    assert read_whole(read(study, "labels")) == ["c1"]
    history = read(study, "response_history").filter(pl.col("candidate_id") == "c1")
    told = [one for answers in history["answers"] for one in answers if one["question"] == "marked"]
    assert {piece["turn"] for one in told for piece in json.loads(one["answer"])} == {0, 1, 2}
    pool(study)
    found = read(study, "candidates").filter(pl.col("strata").list.contains("read"))
    assert found.select("statement", "round").rows() == [("👩‍👩‍👧‍👦", 1)]  # the other is the gate's
    again = rounds.push(study, again=0)
    assert again.wrote[f"Argilla {study}/candidates-r1"] == 2


def test_a_session_that_changed_is_not_read_any_more(
    services: Services,  # noqa: F811
    study: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rounds.push(study, again=0)
    readers = Readers(services, study)
    shown = readers.records()["c1"]["fields"]["transcript"]
    for name in "ab":
        readers.answer(name, "c1", "BigQuery")
    longer = [turn(n, text) for n, text in enumerate((*TEXTS, "One more."))]
    write(study, "turns", frame("turns", longer))
    capsys.readouterr()
    rounds.push(study, again=0)
    assert "1 session changed after somebody answered, the first 'c1'" in capsys.readouterr().err
    assert readers.records()["c1"]["fields"]["transcript"] == shown
    rounds.pull(study)
    assert "the readings are left out" in capsys.readouterr().err
    assert read_whole(read(study, "labels")) == []


def test_a_session_that_nobody_answered_follows_its_transcript(
    services: Services,  # noqa: F811
    study: str,
) -> None:
    rounds.push(study, again=0)
    longer = [turn(n, text) for n, text in enumerate((*TEXTS, "One more."))]
    write(study, "turns", frame("turns", longer))
    rounds.push(study, again=0)
    assert Readers(services, study).records()["c1"]["fields"]["transcript"].endswith("One more.")
