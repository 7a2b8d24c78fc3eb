from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from round_study import candidate, turn

from labelling import transcript_field
from labelling.transcript_field.pieces import pieces, window


def drawn(turns: list[dict[str, Any]], row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = transcript_field.value(row, turns)["turns"]
    return found


def words(shown: dict[str, Any], kind: str) -> str:
    return "".join(unquote(piece["text"]) for piece in shown["pieces"] if piece["as"] == kind)


@st.composite
def texts_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    text = draw(st.text(min_size=1, max_size=30))
    ends = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    spans = st.lists(ends.map(lambda pair: (min(pair), max(pair))), max_size=3)
    return text, draw(spans), draw(spans)


@given(texts_and_spans())
def test_pieces_are_the_text_and_mark_exactly_the_evidence(
    case: tuple[str, list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    text, evidence, injected = case
    cut = list(pieces(text, evidence, injected, 0, len(text)))
    assert "".join(piece.text for piece in cut) == text
    kinds = [piece.kind for piece in cut for _ in piece.text]
    marked = [any(a <= at < b for a, b in evidence) for at in range(len(text))]
    assert [kind == "evidence" for kind in kinds] == marked


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 100))
def test_a_window_has_its_size_and_reaches_the_evidence(length: int, at: int, most: int) -> None:
    at = min(at, max(0, length - 1))
    start, end = window(length, [(at, length)], most)
    assert 0 <= start <= end <= length
    assert end - start == min(length, most)
    assert not length or start <= at < end


def test_offsets_count_code_points() -> None:
    text = "🙂🙂 our warehouse is BigQuery 🙂"
    row = candidate(0, text, evidence=[{"turn": 0, "role": "user", "start": 3, "end": 28}])
    assert words(drawn([turn(0, text)], row)[0], "evidence") == "our warehouse is BigQuery"


def test_five_turns_are_open_and_the_rest_comes_along() -> None:
    turns = [turn(n, f"turn {n}") for n in range(12)]
    shown = drawn(turns, candidate(6, "turn 6"))
    assert [one["number"] for one in shown if one["near"]] == [5, 6, 7, 8, 9]
    assert len(shown) == 12


def test_without_evidence_the_candidates_turn_is_the_middle() -> None:
    turns = [turn(n, f"turn {n}") for n in range(12)]
    shown = drawn(turns, candidate(0, "turn 0", evidence=[]))
    assert [one["number"] for one in shown if one["near"]] == [1, 2, 3]


def test_a_turn_of_a_megabyte_is_cut_around_its_evidence_and_says_so() -> None:
    text = "x" * 600_000 + "we use pnpm" + "y" * 400_000
    span = {"turn": 0, "role": "user", "start": 600_000, "end": 600_011}
    shown = drawn([turn(0, text)], candidate(0, text, evidence=[span]))[0]
    assert words(shown, "evidence") == "we use pnpm"
    assert words(shown, "cut") == "590,005 characters left out390,006 characters left out"


def test_turns_far_from_the_evidence_are_left_out_of_a_huge_conversation() -> None:
    turns = [turn(n, "z" * 30_000) for n in range(40)]
    row = candidate(20, "zz")
    # a turn counts at most 20,000 characters, so ten of the forty fit into 200,000
    assert len(drawn(turns, row)) == 10
    assert transcript_field.value(row, turns)["left_out"] == 30


def test_injected_text_and_hidden_turns_are_told_apart() -> None:
    turns = [turn(0, "yes MEMORY no", injected_spans=[{"start": 4, "end": 10}], hidden=True)]
    shown = drawn(turns, candidate(0, "yes"))[0]
    assert (words(shown, "injected"), shown["hidden"]) == ("MEMORY", True)


@pytest.mark.parametrize("pattern", ["$", "#TEMPLATE#", "#RECORD_OBJECT#", "<script>"])
def test_the_template_survives_string_replace_and_has_no_script_of_its_own(pattern: str) -> None:
    assert pattern not in transcript_field.template()
    assert f'<script src="{transcript_field.SCRIPT_NAME}">' in transcript_field.template()


@pytest.mark.parametrize("pattern", ["innerHTML", "insertAdjacentHTML", "document.write", "eval("])
def test_the_script_sets_text_only(pattern: str) -> None:
    assert pattern not in transcript_field.SCRIPT.read_text(encoding="utf-8")
