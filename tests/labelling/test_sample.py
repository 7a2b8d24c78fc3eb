"""The sample study comes whole out of its files, once."""

import pytest

from labelling import sample
from labelling.tables import InputError, frame, read
from labelling.tables.decisions import decisions
from labelling.tables.schemas import ERROR_KINDS, EVIDENCE_FORMS
from tests.studies import own_data  # noqa: F401


def test_the_sample_is_loaded_whole_and_known_again(data):
    assert not sample.loaded()
    sample.load()
    assert sample.loaded()
    candidates, labels = read("sample", "candidates"), read("sample", "labels")
    assert set(labels["candidate_id"]) - set(read("sample", "turns")["session_id"]) <= set(
        candidates["candidate_id"]
    )
    decided = decisions(labels, candidates)["decision"].value_counts()
    assert {"accepted", "rejected", "disputed"} <= set(decided["decision"])
    answers = {
        q: set(labels.filter(question=q)["answer"]) for q in ("reject_reason", "evidence_form")
    }
    assert answers["reject_reason"] <= set(ERROR_KINDS)
    assert answers["evidence_form"] <= set(EVIDENCE_FORMS)


def test_evidence_stands_in_the_transcripts(data):
    sample.load()
    said = {
        (s, t): text for s, t, text in read("sample", "turns")["session_id", "turn", "text"].rows()
    }
    for card in read("sample", "candidates").iter_rows(named=True):
        pieces = [
            said[card["session_id"], e["turn"]][e["start"] : e["end"]] for e in card["evidence"]
        ]
        assert all(pieces)
        assert any(card["quote"] in piece or piece in card["quote"] for piece in pieces)


def test_changed_files_are_loaded_again(data, monkeypatch, tmp_path):
    for file in sample.folder().iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(sample, "folder", lambda: tmp_path)
    sample.load()
    assert sample.loaded()
    with (tmp_path / "labels.jsonl").open("a") as file:
        file.write("\n")
    assert not sample.loaded()
    (tmp_path / "labels.jsonl").unlink()
    with pytest.raises(InputError, match=r"labels.jsonl cannot be read .*restore data/sample"):
        sample.load()


def test_an_answer_is_a_row():
    given = {"candidate_id": "c", "annotator": "a", "guidelines_version": "v", "durable": "no"}
    (row,) = sample.label_rows([given])
    assert frame("labels", [row])["answer"].to_list() == ["no"]
