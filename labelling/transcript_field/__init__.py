"""The conversation beside a candidate, as Argilla's custom field shows it.

`value` is what one record carries: plain data, cut into pieces here because offsets count code
points, which a browser does not. `template` is the page, and SCRIPT, which our server serves under
the name SCRIPT_NAME, draws the data in it: it sets text, never HTML.
A turn is at most TURN_CHARACTERS long and a conversation SESSION_CHARACTERS, counted in code
points; what is left out says so in its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelling.transcript_field.pieces import Span, pieces, window
from labelling.untrusted import for_frame

SCRIPT = Path(__file__).parent / "field.js"
SCRIPT_NAME = "transcript_field.js"
TURN_CHARACTERS = 20_000
SESSION_CHARACTERS = 200_000
NEAR = 2
"""Turns before and after the evidence that are open from the start: with it, five."""


def template() -> str:
    """The page of the field: style, an empty list and the name of its script."""
    return (Path(__file__).parent / "field.html").read_text(encoding="utf-8")


def value(candidate: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A candidate's conversation: {"turns": [{number, role, speaker, at, near, hidden, pieces}]}.

    `number` counts from 1, as people do; a piece is {"as": text/evidence/injected/cut, "text"}.
    """
    spans = evidence_spans(candidate)
    marked = sorted(spans) or [candidate["turn"]]
    kept = _nearest(turns, marked)
    shown = [turn for turn in turns if turn["turn"] in kept]
    drawn = [_turn(turn, spans.get(turn["turn"], []), marked) for turn in shown]
    return {"turns": drawn, "left_out": len(turns) - len(drawn)}


def with_answer(shown: Mapping[str, Any], answers: str, why: str) -> dict[str, Any]:
    """A conversation that shows on demand how we would answer (lines), and why: for practice."""
    return {**shown, "answer": {"answers": for_frame(answers), "why": for_frame(why)}}


def evidence_spans(candidate: Mapping[str, Any]) -> dict[int, list[Span]]:
    """Turn -> the spans of it that the candidate rests on, in order."""
    spans: dict[int, list[Span]] = {}
    for part in candidate["evidence"]:
        spans.setdefault(part["turn"], []).append((part["start"], part["end"]))
    return {turn: sorted(found) for turn, found in spans.items()}


def _distance(turn: Mapping[str, Any], marked: Sequence[int]) -> int:
    at: int = turn["turn"]
    return min(abs(at - evidence) for evidence in marked)


def _nearest(turns: Sequence[Mapping[str, Any]], marked: Sequence[int]) -> set[int]:
    """The turns nearest to the evidence, as many as fit; those beside it always."""
    left, kept = SESSION_CHARACTERS, set()
    for turn in sorted(turns, key=lambda turn: _distance(turn, marked)):
        left -= min(len(turn["text"]), TURN_CHARACTERS)
        if left < 0 and _distance(turn, marked) > NEAR:
            break
        kept.add(turn["turn"])
    return kept


def _turn(
    turn: Mapping[str, Any], evidence: Sequence[Span], marked: Sequence[int]
) -> dict[str, Any]:
    return {
        "number": turn["turn"] + 1,
        "role": turn["role"],
        "speaker": for_frame(turn["speaker"]),
        "at": f"{turn['at']:%Y-%m-%d %H:%M}" if turn["at"] else "",
        "near": _distance(turn, marked) <= NEAR,
        "hidden": turn["hidden"],
        "pieces": list(_pieces(turn, evidence)),
    }


def _pieces(turn: Mapping[str, Any], evidence: Sequence[Span]) -> Iterator[dict[str, str]]:
    text = turn["text"]
    start, end = window(len(text), evidence, TURN_CHARACTERS)
    if start > 0:
        yield {"as": "cut", "text": f"{start:,} characters left out"}
    injected = [(span["start"], span["end"]) for span in turn["injected_spans"]]
    for piece in pieces(text, evidence, injected, start, end):
        yield {"as": piece.kind, "text": for_frame(piece.text)}
    if end < len(text):
        yield {"as": "cut", "text": f"{len(text) - end:,} characters left out"}
