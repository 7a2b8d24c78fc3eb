"""Sentences that no gate proposed, drawn with a known probability: what recall is measured on.

An item is drawn when its hash / 2^64 < p, so removing a person changes nobody else's draw. The
universe is every sentence of a visible user turn outside injected text that no pooled proposal
rests on.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling.tables import content_id
from labelling.transcripts.sentences import sentences

Taken = dict[tuple[str, int], list[tuple[int, int]]]
"""(session_id, turn) -> spans that something rests on already."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a user's turn: `text[start:end]`."""

    session_id: str
    turn: int
    start: int
    end: int
    text: str


def unproposed(turns: pl.DataFrame, taken: Taken) -> Iterator[Sentence]:
    """The universe of a draw, in the order of the transcripts."""
    visible = turns.filter(pl.col("role") == "user", ~pl.col("hidden"))
    for row in visible.sort("session_id", "turn").iter_rows(named=True):
        closed = taken.get((row["session_id"], row["turn"]), [])
        closed = closed + [(span["start"], span["end"]) for span in row["injected_spans"]]
        for start, end in sentences(row["text"]):
            if not any(a < end and start < b for a, b in closed):
                text = row["text"][start:end]
                yield Sentence(row["session_id"], row["turn"], start, end, text)


def spans_of(sessions: Iterable[str], evidence: Iterable[Iterable[Mapping[str, Any]]]) -> Taken:
    """Spans by place, from evidence lists and the sessions they belong to."""
    taken: Taken = {}
    for session_id, pieces in zip(sessions, evidence, strict=True):
        for piece in pieces:
            place = taken.setdefault((session_id, piece["turn"]), [])
            place.append((piece["start"], piece["end"]))
    return taken


def union(probabilities: Iterable[float]) -> float:
    """The probability that at least one of independent draws hits: 1 - product of (1 - p)."""
    first, *others = probabilities
    return 1 - math.prod((1 - p for p in others), start=1 - first) if others else first


def is_drawn(sentence: Sentence, p: float) -> bool:
    """Whether the sentence's own hash falls below p."""
    place = (sentence.session_id, sentence.turn, sentence.start, sentence.end)
    return int(content_id("sample", *place), 16) / 2**64 < p
