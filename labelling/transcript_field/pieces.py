"""A text cut at the borders of its spans; positions are code points, an end is exclusive."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

Span = tuple[int, int]


class Piece(NamedTuple):
    """A stretch of text: evidence, injected (not typed by the speaker) or neither."""

    kind: Literal["text", "evidence", "injected"]
    text: str


def window(length: int, evidence: Sequence[Span], most: int) -> Span:
    """The stretch of at most `most` characters to show: around the first evidence, or the start."""
    if length <= most or not evidence:
        return 0, min(length, most)
    first, last = evidence[0]
    middle = (first + min(last, first + most)) // 2
    start = max(0, min(middle - most // 2, length - most))
    return start, start + most


def pieces(
    text: str, evidence: Sequence[Span], injected: Sequence[Span], start: int, end: int
) -> Iterator[Piece]:
    """`text[start:end]` as pieces in order; where spans overlap, evidence wins."""
    borders = {start, end}
    borders |= {at for span in (*evidence, *injected) for at in span if start < at < end}
    cuts = sorted(borders)
    for left, right in pairwise(cuts):
        if _covers(evidence, left):
            yield Piece("evidence", text[left:right])
        else:
            yield Piece("injected" if _covers(injected, left) else "text", text[left:right])


def _covers(spans: Sequence[Span], at: int) -> bool:
    return any(start <= at < end for start, end in spans)
