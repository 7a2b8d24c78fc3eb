"""An audit over a real Argilla: who sees what of a drawn record, and what comes of the answers."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from answering import answer, records
from services_fixture import services, session  # noqa: F401

from labelling import accounts, audit, removal
from labelling.services import Services
from labelling.tables import InputError, frame, read, write
from tests.studies import REJECT, WRITE, rows, talk

pytestmark = pytest.mark.server

NOW = datetime(2026, 11, 30, tzinfo=UTC)
QUESTIONS = ("durable", "well_evidenced", "scope_ok")
PEOPLE = ("annotator_a", "annotator_b")


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    return f"s{uuid4().hex[:8]}"


def store(folder: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    path = folder / "store.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def record(n: int, **more: Any) -> dict[str, Any]:
    called = {"record_id": f"r{n}", "user_id": f"user-{n // 25}", "statement": f"Fact {n}."}
    return {**called, **more}


def decided(study: str, decisions: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """Record id -> decision, as answers by external id."""
    ids = dict(read(study, "audit_records").select("record_id", "candidate_id").iter_rows())
    return {ids[r]: dict(zip(QUESTIONS, given, strict=True)) for r, given in decisions.items()}


def test_two_people_s_answers_become_the_wrong_share(
    study: str,
    services: Services,  # noqa: F811
    tmp_path: Path,
) -> None:
    lines = [record(n, corrected=n == 0) for n in range(8)]
    audit.draw(study, file=store(tmp_path, lines), n=4, now=NOW)
    pushed = audit.push(study)
    assert pushed.wrote == {f"Argilla {study}/audit": 4}
    assert "annotator_a, annotator_b" in pushed.then
    first, second, third, fourth = read(study, "audit_records")["record_id"]
    of_a = {first: WRITE, second: REJECT, third: REJECT, fourth: WRITE}
    answer(services, study, "annotator_a", decided(study, of_a), "audit")
    of_b = {first: WRITE, second: REJECT, third: WRITE}
    answer(services, study, "annotator_b", decided(study, of_b), "audit")
    audit.score(study)
    (found,) = read(study, "audits").to_dicts()
    kinds = ("correct", "wrong", "disputed", "unjudged")
    assert [found[f"{kind}_records"] for kind in kinds] == [1, 1, 1, 1]
    assert found["correction_rate"] == 1 / 8
    assert read(study, "audit_labels")["annotator"].str.contains("^a[0-9a-f]{8}$").all()
    changed = decided(study, {third: REJECT})
    answer(services, study, "annotator_b", changed, "audit")
    audit.push(study)  # again changes nothing
    said = audit.score(study)
    assert read(study, "audits")["wrong_records"].to_list() == [2]
    assert said.read == {f"Argilla {study}/audit": 21}


def test_a_record_shows_its_conversation_and_nothing_of_its_gate_or_its_fate(
    study: str,
    services: Services,  # noqa: F811
    tmp_path: Path,
) -> None:
    write(study, "sessions", rows("sessions", {"session_id": "s1", "user_id": "user-0"}))
    said = talk("We are on BigQuery.", "You are on BigQuery.", "Yes, <b>BigQuery</b> it is.")
    write(study, "turns", frame("turns", said))
    place = {"session_id": "s1", "quote": "BigQuery", "expires_at": "2027-01-31"}
    lines = [
        record(0, turn=1, corrected=True, created_at="2026-11-02T08:15:00Z", **place),
        record(1, turn=9, **{**place, "quote": "You are on"}),
        record(2, quote="<script>"),
    ]
    audit.draw(study, file=store(tmp_path, lines), name="hidden-name", now=NOW)
    audit.push(study)
    seen = records(session(services, "annotator_a"), study, "audit")
    ids = dict(read(study, "audit_records").select("record_id", "candidate_id").iter_rows())
    whole, unsaid, alone = (seen[ids[f"r{n}"]]["fields"] for n in range(3))
    assert [
        (turn["number"], piece["text"])
        for turn in whole["transcript"]["turns"]
        for piece in turn["pieces"]
        if piece["as"] == "evidence"
    ] == [(1, "BigQuery")]
    assert "Remembered on: 2 November 2026" in whole["details"]
    assert "Expires: 31 January 2027" in whole["details"]
    # only the assistant said so
    pieces = [piece for turn in unsaid["transcript"]["turns"] for piece in turn["pieces"]]
    assert {piece["as"] for piece in pieces} == {"text"}
    assert alone["transcript"] == {"turns": [], "left_out": 0}
    assert "<script>" not in json.dumps(alone)
    told = json.dumps(list(seen.values()))
    for word in ("corrected", "user-0", "hidden-name", "store", "r0"):
        assert word not in told
    assert all(one["metadata"] in ({}, None) for one in seen.values())


def test_a_named_audit_is_pushed_beside_the_others_and_a_new_draw_replaces_the_old(
    study: str,
    services: Services,  # noqa: F811
    tmp_path: Path,
) -> None:
    path = store(tmp_path, [record(n) for n in range(30)])
    for name in ("one", "two"):
        audit.draw(study, file=path, n=3, name=name, now=NOW)
    assert audit.push(study).details["audit"] == "two"
    audit.push(study, "one")
    with pytest.raises(InputError, match="no audit 'none'; expected one of: one, two"):
        audit.push(study, "none")
    audit.draw(study, file=path, n=3, name="one", seed=7, now=NOW)
    assert audit.push(study, "one").details["removed"] > 0
    seen = records(session(services, "annotator_a"), study, "audit")
    assert set(seen) == set(read(study, "audit_records")["candidate_id"])


def test_an_erased_person_s_answers_leave_argilla_and_the_tables(
    study: str,
    services: Services,  # noqa: F811
    tmp_path: Path,
) -> None:
    audit.draw(study, file=store(tmp_path, [record(0)]), now=NOW)
    person = f"third-{uuid4().hex[:6]}"
    accounts.add(person, "annotator")
    audit.push(study)
    for name in (*PEOPLE, person):
        answer(services, study, name, decided(study, {"r0": WRITE}), "audit")
    audit.score(study)
    said = removal.remove(person, erase=True)
    assert f"gates audit score --study {study}" in said.then
    assert read(study, "audit_labels")["annotator"].n_unique() == 2
    audit.score(study)
    assert read(study, "audit_labels")["annotator"].n_unique() == 2
    assert read(study, "audits")["correct_records"].to_list() == [1]


@pytest.mark.long
def test_the_chapter_s_audit_over_argilla_is_95_fold(
    study: str,
    services: Services,  # noqa: F811
    tmp_path: Path,
) -> None:
    # 200 of 10,000 records, 76 of them wrong; 40 of the store corrected
    lines = [record(n, corrected=n % 250 == 75) for n in range(10_000)]
    audit.draw(study, file=store(tmp_path, lines), n=200, now=NOW)
    audit.push(study)
    ids = read(study, "audit_records")["record_id"].to_list()
    given = decided(study, {r: REJECT if n < 76 else WRITE for n, r in enumerate(ids)})
    for name in PEOPLE:
        answer(services, study, name, given, "audit")
    said = audit.score(study)
    (found,) = read(study, "audits").to_dicts()
    assert found["wrong_share"] == pytest.approx(0.38)
    assert found["correction_rate"] == pytest.approx(0.004)
    assert found["wrong_per_corrected"] == pytest.approx(95)
    assert "95-fold" in said.did
