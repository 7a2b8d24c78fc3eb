"""Marks -> candidates of stratum `read`: what a reader marked is what somebody has to judge.

Marks of the same place (either of two readers', `labelling.tables.marks.same_place`), or in the
same words, are one candidate; its statement is the longest of them, word for word. A mark on what a
sampled or read candidate rests on is that candidate. On a gate's proposal it is the proposal's,
which is certain to be judged, unless that one is rejected: the words may still say something else.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import polars as pl

from labelling.merging import Item
from labelling.tables import InputError, normalise
from labelling.tables.marks import Mark, Piece, same_place
from labelling.tables.schemas import STRATA

Texts = Mapping[tuple[str, int], tuple[str, str]]
"""(session_id, turn) -> role and text."""


@dataclass(frozen=True)
class Found:
    """The candidates there are, with the stratum and places that marks add; and new ones."""

    known: list[Item]
    new: list[Item]


def absorbed(known: Sequence[Item], sampled: Iterable[Item]) -> tuple[list[Item], list[Item]]:
    """The candidates there are, and what is new of the drawn sentences.

    A sentence in which a reader found a candidate already is that candidate.
    """
    now, new = list(known), []
    homes: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(now):
        if "read" in item.strata and "proposed" not in item.strata:
            homes[item.session_id].append(place)
    for sentence in sampled:
        here = homes[sentence.session_id]
        home = next((h for h in here if same_place(now[h].evidence, sentence.evidence)), None)
        if home is None:
            new.append(sentence)
        else:
            now[home] = replace(now[home], strata=_strata(now[home], sentence))
    return now, new


def found(
    marks: Sequence[Mark], unasked: Iterable[Mark], known: Sequence[Item], turns: pl.DataFrame
) -> Found:
    """`unasked`: those of the marks for which no candidate stood when they were last looked at.

    `known` are the candidates there are (with their ids) and what else is new now.
    """
    fresh = _by_session(item for item in known if not item.candidate_id)
    waiting = [
        mark
        for mark in unasked
        if not any(same_place(mark.pieces, item.evidence) for item in fresh[mark.session_id])
    ]
    texts = _texts(turns, {mark.session_id for mark in waiting})
    by_words: dict[tuple[str, str], Item] = {}
    for group in _groups(waiting):
        item = _item(group, texts)
        key = _words(item)
        by_words[key] = _with_places(by_words[key], item) if key in by_words else item
    here = _by_session(marks)
    updated = [_read(_again(item, by_words), here[item.session_id]) for item in known]
    return Found(updated, list(by_words.values()))


def _again(item: Item, by_words: dict[tuple[str, str], Item]) -> Item:
    """The candidate with the places where marks have its words, which are then no new one."""
    plain = item.kind is None and item.scope is None and item.polarity is None
    same = by_words.pop(_words(item), None) if plain else None
    return _with_places(item, same) if same else item


def _with_places(item: Item, other: Item) -> Item:
    strata = _strata(item, other)
    if same_place(item.evidence, other.evidence):
        return replace(item, strata=strata)
    evidence = (*item.evidence, *other.evidence)
    return replace(item, strata=strata, evidence=evidence, quote=f"{item.quote} … {other.quote}")


def _strata(item: Item, other: Item) -> tuple[str, ...]:
    return tuple(stratum for stratum in STRATA if stratum in (*item.strata, *other.strata))


def _read(item: Item, marks: Iterable[Mark]) -> Item:
    """A sampled candidate on which a mark lies was found both ways."""
    if "proposed" in item.strata or "sampled" not in item.strata:
        return item
    if not any(same_place(item.evidence, mark.pieces) for mark in marks):
        return item
    return replace(item, strata=_strata(item, replace(item, strata=("read",))))


def _groups(marks: Iterable[Mark]) -> list[list[Mark]]:
    """Marks of the same place together, whichever way they come."""
    groups: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda one: (one.session_id, *_first(one.pieces))):
        same = [group for group in groups if any(_alike(mark, one) for one in group)]
        groups = [group for group in groups if group not in same]
        groups.append([*(one for group in same for one in group), mark])
    return groups


def _alike(one: Mark, other: Mark) -> bool:
    return one.session_id == other.session_id and same_place(one.pieces, other.pieces)


def _first(pieces: Sequence[Piece]) -> tuple[int, int, int]:
    return pieces[0]["turn"], pieces[0]["start"], pieces[0]["end"]


def _item(group: Sequence[Mark], texts: Texts) -> Item:
    longest = max(group, key=lambda one: (_length(one), [-place for place in _first(one.pieces)]))
    evidence = tuple(_evidence(longest.session_id, piece, texts) for piece in longest.pieces)
    said = [
        texts[longest.session_id, one["turn"]][1][one["start"] : one["end"]] for one in evidence
    ]
    user = [one["turn"] for one in evidence if one["role"] == "user"]
    return Item(
        session_id=longest.session_id,
        turn=(user or [evidence[-1]["turn"]])[-1],
        evidence=evidence,
        quote=" … ".join(said),
        statement=" … ".join(" ".join(words.split()) for words in said),
        strata=("read",),
    )


def _length(mark: Mark) -> int:
    return sum(piece["end"] - piece["start"] for piece in mark.pieces)


def _evidence(session_id: str, piece: Piece, texts: Texts) -> dict[str, Any]:
    role, text = texts.get((session_id, piece["turn"]), ("", ""))
    if not 0 <= piece["start"] < piece["end"] <= len(text):
        raise InputError(
            f"a reader marked {piece['start']}-{piece['end']} in turn {piece['turn']} of session "
            f"{session_id!r}, which is not there",
            expected="transcripts as they were when they were read",
            then="ingest that session again as it was",
        )
    return {"turn": piece["turn"], "role": role, "start": piece["start"], "end": piece["end"]}


T = TypeVar("T", Item, Mark)


def _by_session(found: Iterable[T]) -> dict[str, list[T]]:
    sessions: dict[str, list[T]] = defaultdict(list)
    for one in found:
        sessions[one.session_id].append(one)
    return sessions


def _words(item: Item) -> tuple[str, str]:
    return item.session_id, normalise(item.statement)


def _texts(turns: pl.DataFrame, sessions: Iterable[str]) -> Texts:
    rows = turns.filter(pl.col("session_id").is_in(list(sessions)))
    return {
        (session, turn): (role, text)
        for session, turn, role, text in rows.select(
            "session_id", "turn", "role", "text"
        ).iter_rows()
    }
