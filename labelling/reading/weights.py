"""The inclusion probability of what no gate proposed: that of the union of its two routes.

A fact is found when its session is drawn and read (p_r), or when one of the k sentences it stands
in is drawn (p_s each): 1 - (1 - p_r)(1 - p_s)^k, whichever of them did find it. So a sentence that
was only drawn has the probability that a reader would have given it, and what was only read that of
the draws it was not in. A sentence that a gate's proposal rests on is in no draw. What annotators
wrote as a correction has the probability of what it corrects.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from labelling.merging import Item
from labelling.reading.draws import Draw
from labelling.sampling import Sentence, union
from labelling.tables import normalise
from labelling.tables.marks import Mark, Piece, same_place

T = TypeVar("T")
Words = tuple[str, str]
"""session_id and normalised statement."""


def reweighed(
    items: Iterable[Item],
    draw: Draw,
    p: float | None,
    universe: Iterable[Sentence],
    marks: Iterable[Mark] = (),
) -> list[Item]:
    """Candidates with their probability as the readings stand; `p` is that of a sentence's draw.

    `universe`: the sentences that could be drawn. Where nothing was read yet, all stays as it is.
    """
    if not draw.chance:
        return list(items)
    sentences = _by_session((one.session_id, one) for one in universe)
    marked = _by_session((one.session_id, one) for one in marks)
    return [
        _weighed(item, draw, p, sentences[item.session_id], marked[item.session_id])
        for item in items
    ]


def with_origins(items: Iterable[Item], corrections: Iterable[Item]) -> list[Item]:
    """Candidates that are corrections alone, with the probability that their origin has now."""
    now: Mapping[Words, float | None] = {
        _words(one): one.inclusion_probability for one in corrections
    }
    return [
        replace(item, inclusion_probability=now[_words(item)])
        if item.strata == ("added",) and _words(item) in now
        else item
        for item in items
    ]


def _weighed(
    item: Item, draw: Draw, p: float | None, sentences: Sequence[Sentence], marks: Sequence[Mark]
) -> Item:
    if not {"sampled", "read"} & set(item.strata) or "proposed" in item.strata:
        return item
    rests = [item.evidence, *(m.pieces for m in marks if same_place(m.pieces, item.evidence))]
    times = sum(_would_find(one, item, rests) for one in sentences) if p else 0
    routes = [p] * max(times, "sampled" in item.strata) if p else []
    routes += [draw.chance] if item.session_id in draw.eligible else []
    return replace(item, inclusion_probability=union(routes)) if routes else item


def _would_find(sentence: Sentence, item: Item, rests: Sequence[Sequence[Piece]]) -> bool:
    if normalise(sentence.text) == _words(item)[1]:
        return True
    place = [{"turn": sentence.turn, "start": sentence.start, "end": sentence.end}]
    return any(same_place(place, pieces) for pieces in rests)


def _words(item: Item) -> Words:
    return item.session_id, normalise(item.statement)


def _by_session(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = defaultdict(list)
    for session_id, one in pairs:
        found[session_id].append(one)
    return found
