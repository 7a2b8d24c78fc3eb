"""What holds for every gate on any text."""

import copy
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.gates import Context, Turn
from analysis.gates.folding import fold
from analysis.gates.registry import BUILT_IN, named
from labelling.tables.schemas import REJECT_REASONS, VERDICTS

GOLDEN = Path(__file__).parents[2] / "golden"
SAID = [
    json.loads(line)["text"]
    for name in ("patterns.jsonl", "guards.jsonl", "silent.jsonl")
    for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()
]
PIECES = st.one_of(st.text(max_size=20), st.sampled_from(SAID), st.sampled_from([". ", "\n", "“"]))
TEXTS = st.lists(PIECES, max_size=6).map("".join)
DATA = os.environ.get("GATES_TEST_DATA")


@pytest.mark.parametrize("name", BUILT_IN)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS, injected=st.tuples(st.integers(0, 30), st.integers(0, 60)))
def test_every_gate_keeps_its_word(name: str, text: str, injected: tuple[int, int]) -> None:
    gate = named(name).run
    turn = Turn("s", 2, "user", text, injected_spans=(injected,))
    context = Context(history=(Turn("s", 0, "user", "Hi"),))
    before = copy.deepcopy((turn, context))
    proposals = gate(turn, context)
    assert proposals == gate(turn, context)
    assert (turn, context) == before
    for proposal in proposals:
        assert proposal.statement.strip()
        assert proposal.verdict in VERDICTS
        assert (proposal.reject_reason in REJECT_REASONS) == (proposal.verdict == "reject")
        first = proposal.evidence[0]
        assert proposal.quote == text[first.start : first.end] != ""
        assert all((span.turn, span.role) == (2, "user") for span in proposal.evidence)


@given(st.text())
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


@pytest.mark.skipif(DATA is None, reason="GATES_TEST_DATA names no folder of public transcripts")
def test_the_heuristic_writes_nothing_where_there_is_no_fact() -> None:
    path = Path(str(DATA)) / "fastchat" / "dummy_conversation.json"
    chats = json.loads(path.read_text(encoding="utf-8"))
    turns = [turn for chat in chats for turn in chat["conversations"]]
    said = {turn["value"] for turn in turns if turn["from"] == "human"}
    gate = named("heuristic").run
    written = [p for text in said for p in gate(Turn("s", 0, "user", text), Context())]
    assert said
    assert written == []
