"""What people marked in sessions they read whole: the rows `marked` of `labels`.

Such a row's candidate_id is the session, its answer a JSON list of pieces {mark, turn, start, end,
label}; the pieces of one mark (it may go over several turns) share its number. Offsets count code
points of the turn's text. A mark counts when whoever made it answered that they read the session
whole, and the session has two such readers.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling.tables.decisions import WHOLE_READING, counted, decisions, read_whole

MARKED = "marked"
"""Question of a row that holds the passages which one reader marked in a session."""

Piece = Mapping[str, Any]
"""A stretch of a turn: turn, start, end; what else it has does not matter here."""


@dataclass(frozen=True)
class Mark:
    """A passage, in the order of the session, and what its reader took it for."""

    session_id: str
    annotator: str
    pieces: tuple[Piece, ...]
    label: str


def marks(labels: pl.DataFrame) -> list[Mark]:
    """The marks that count, by session, reader and place."""
    readers = whole_readers(labels)
    rows = (
        counted(labels)
        .filter(pl.col("question") == MARKED)
        .drop_nulls("answer")
        .sort("candidate_id", "annotator")
    )
    return [
        Mark(session_id, annotator, pieces, label)
        for session_id, annotator, answer in rows.select(
            "candidate_id", "annotator", "answer"
        ).iter_rows()
        if annotator in readers.get(session_id, ())
        for pieces, label in _passages(json.loads(answer))
    ]


def whole_readers(labels: pl.DataFrame) -> dict[str, list[str]]:
    """Sessions that at least two annotators read whole -> those annotators, in order."""
    rows = counted(labels).filter(
        pl.col("question") == WHOLE_READING,
        pl.col("answer") == "yes",
        pl.col("candidate_id").is_in(read_whole(labels)),
    )
    readers = rows.sort("candidate_id", "annotator").group_by("candidate_id", maintain_order=True)
    return dict(readers.agg("annotator").iter_rows())


def _passages(pieces: Iterable[dict[str, Any]]) -> list[tuple[tuple[Piece, ...], str]]:
    """The pieces of each mark in the order of the turns, and its label."""
    found: dict[Any, list[dict[str, Any]]] = {}
    for number, piece in enumerate(pieces):
        found.setdefault(piece.get("mark", ("own", number)), []).append(piece)
    ordered = [sorted(group, key=_place) for group in found.values()]
    return [
        (tuple({key: one[key] for key in ("turn", "start", "end")} for one in group), label)
        for group in sorted(ordered, key=lambda group: _place(group[0]))
        for label in [str(group[0].get("label", ""))]
    ]


def _place(piece: Piece) -> tuple[int, int, int]:
    return piece["turn"], piece["start"], piece["end"]


def same_place(one: Sequence[Piece], other: Sequence[Piece]) -> bool:
    """Whether they share at least half of the shorter of two pieces of one turn."""
    return any(overlap(a, b) >= 0.5 for a in one for b in other)


def overlap(one: Piece, other: Piece) -> float:
    """What two pieces share, as a share of the shorter one; 0 in different turns."""
    common = min(one["end"], other["end"]) - max(one["start"], other["start"])
    if one["turn"] != other["turn"] or common <= 0:
        return 0.0
    return float(common / min(one["end"] - one["start"], other["end"] - other["start"]))


def open_marks(labels: pl.DataFrame, candidates: pl.DataFrame) -> list[Mark]:
    """Marks that are no candidate yet: nothing rests there but rejected proposals of gates.

    A wrong proposal says nothing of what the words do say.
    """
    found = marks(labels)
    if not found:
        return []
    decided = candidates.join(decisions(labels, candidates), on="candidate_id")
    other = pl.col("strata").list.set_difference(pl.lit(["proposed"])).list.len() > 0
    stands = decided.filter(other | (pl.col("decision") != "rejected"))
    there: dict[str, list[Sequence[Piece]]] = {}
    for session_id, evidence in stands.select("session_id", "evidence").iter_rows():
        there.setdefault(session_id, []).append(evidence)
    return [
        mark
        for mark in found
        if not any(same_place(mark.pieces, rests) for rests in there.get(mark.session_id, []))
    ]


def judged_whole(labels: pl.DataFrame, candidates: pl.DataFrame) -> list[str]:
    """Sessions that at least two annotators read whole, and all of whose marks are candidates."""
    waiting = {mark.session_id for mark in open_marks(labels, candidates)}
    return [session for session in read_whole(labels) if session not in waiting]


def unsettled(labels: pl.DataFrame, candidates: pl.DataFrame) -> set[str]:
    """Sessions in which somebody marked something and that are not judged whole."""
    marked = counted(labels).filter(pl.col("question") == MARKED).drop_nulls("answer")
    return set(marked["candidate_id"]) - set(judged_whole(labels, candidates))
