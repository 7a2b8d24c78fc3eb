"""The sample study is what its card says: whole, verbatim, labelled twice."""

import json
import re

import polars as pl
import pytest

from labelling import sample
from labelling.tables import read
from labelling.tables.decisions import REQUIRED, annotator_decisions, decisions, read_whole

CARD = (sample.folder() / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GATES_DATA", str(tmp_path_factory.mktemp("data")))
        sample.load()
        assert sample.loaded()
        yield {name: read(sample.STUDY, name) for name in ("sessions", "turns", "events")} | {
            name: read(sample.STUDY, name) for name in ("candidates", "labels")
        }


def test_it_has_conversations_of_8_to_30_turns(study):
    lengths = study["turns"].group_by("session_id").len()["len"]
    assert lengths.len() == study["sessions"].height == 30
    assert lengths.min() >= 8
    assert lengths.max() <= 30
    assert f"{study['turns'].height} turns" in CARD
    assert f"{study['sessions']['user_id'].n_unique()} made-up users" in CARD
    assert set(study["sessions"]["split"]) == {"dev", "test"}
    assert "remember_pressed" in set(study["events"]["event"])


def test_evidence_is_verbatim(study):
    said = {
        (s, t): (r, x)
        for s, t, r, x in study["turns"].select("session_id", "turn", "role", "text").iter_rows()
    }
    for row in study["candidates"].iter_rows(named=True):
        pieces = []
        for piece in row["evidence"]:
            role, text = said[row["session_id"], piece["turn"]]
            assert role == piece["role"]
            pieces.append(text[piece["start"] : piece["end"]])
        assert row["quote"] in pieces


def test_two_people_answered_everything(study):
    votes = annotator_decisions(study["labels"], study["candidates"])
    each = votes.group_by("candidate_id").len()
    assert set(each["len"]) == {2}
    assert each.height == study["candidates"].height
    assert votes.drop_nulls(list(REQUIRED)).height == votes.height
    assert read_whole(study["labels"]) == study["sessions"]["session_id"].sort().to_list()


def test_the_card_has_the_counts(study):
    found = dict(
        decisions(study["labels"], study["candidates"]).group_by("decision").len().iter_rows()
    )
    said = re.search(r"Of (\d+) candidates both would keep (\d+), neither (\d+), .* on (\d+)", CARD)
    counts = (found["accepted"], found["rejected"], found["disputed"])
    assert tuple(map(int, said.groups())) == (sum(counts), *counts)
    assert found["disputed"] >= 12


def test_facts_have_every_form_and_traps_are_there(study):
    answers = study["labels"].filter(pl.col("question").is_in(["evidence_form", "reject_reason"]))
    given = set(answers["answer"])
    assert {"stated", "oblique", "multi_turn", "situational", "assistant_claim"} <= given


def test_the_files_hold_one_object_a_line():
    for name in ("transcripts.jsonl", "candidates.jsonl", "labels.jsonl"):
        for line in (sample.folder() / name).read_text(encoding="utf-8").splitlines():
            assert isinstance(json.loads(line), dict)
