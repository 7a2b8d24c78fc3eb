"""A whole session as one text to mark passages in, and the way back from the text to its turns.

The text of a span question is plain: each turn is a heading that begins with HEADING, then what was
said. HEADING stands nowhere else, so that nothing said can pass for a heading. What is shown as
something else than it is (control characters, overrides of direction) is known by its place. All
positions are code points, an end is exclusive.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from labelling.untrusted import UNSEEN, visible

HEADING = "■"
INSTEAD = "▪"
"""What stands for HEADING where somebody said it."""

OPENED, CLOSED = "[inserted, not typed by the user: ", " – end of what was inserted]"
EMPTY = "(empty)"

_CHANGED = re.compile(f"{UNSEEN.pattern}|{HEADING}")


class Stretch(NamedTuple):
    """`text[at:to]` of the page shows `[start:end]` of a turn's text: as it is, or as a whole."""

    at: int
    to: int
    turn: int
    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A session's text; its stretches are in order, what lies between them nobody said."""

    text: str
    stretches: tuple[Stretch, ...]

    def pieces(self, start: int, end: int) -> list[dict[str, int]]:
        """A span of the text as {turn, start, end}, one for each turn it touches, in order."""
        found: dict[int, tuple[int, int]] = {}
        first = max(bisect_right(self.stretches, (start, len(self.text) + 1)) - 1, 0)
        for one in self.stretches[first:]:
            if one.at >= end:
                break
            if one.to > start < end:
                left, right = _within(one, start, end)
                found[one.turn] = (found.get(one.turn, (left,))[0], right)
        return [{"turn": turn, "start": a, "end": b} for turn, (a, b) in found.items()]


def page(turns: Sequence[Mapping[str, Any]]) -> Page:
    """The text of a session; `turns` are its rows of `turns` in order."""
    parts: list[str] = []
    stretches: list[Stretch] = []
    at = 0
    for text, source in _written(turns):
        parts.append(text)
        if source and text:
            stretches.append(Stretch(at, at + len(text), *source))
        at += len(text)
    return Page("".join(parts), tuple(stretches))


def passages(
    found: Page, turns: Iterable[Mapping[str, Any]], spans: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Spans {start, end, label} of a session's text as pieces {mark, turn, start, end, label}.

    White space at the ends of a piece is left out, and so are pieces that are nothing else.
    """
    texts = {turn["turn"]: turn["text"] for turn in turns}
    ordered = sorted(spans, key=lambda one: (one["start"], one["end"]))
    return [
        {"mark": number, "turn": turn, "start": start, "end": end, "label": span["label"]}
        for number, span in enumerate(ordered)
        for turn, start, end in (
            _trimmed(piece, texts[piece["turn"]])
            for piece in found.pieces(span["start"], span["end"])
        )
        if start < end
    ]


def _trimmed(piece: Mapping[str, int], text: str) -> tuple[int, int, int]:
    words = text[piece["start"] : piece["end"]]
    start = piece["start"] + len(words) - len(words.lstrip())
    return piece["turn"], start, max(start, piece["start"] + len(words.rstrip()))


def _within(one: Stretch, start: int, end: int) -> tuple[int, int]:
    """The part of a turn that a span has of a stretch; what is shown as a whole is had whole."""
    if one.to - one.at != one.end - one.start:
        return one.start, one.end
    return one.start + max(start - one.at, 0), one.end - max(one.to - end, 0)


Source = tuple[int, int, int]
"""turn, start, end"""


def _written(turns: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Source | None]]:
    """What is written in order, and the place in a turn that it shows; None for our own words."""
    before = ""
    for turn in turns:
        yield f"{before}{_heading(turn)}\n", None
        before = "\n\n"
        if not turn["text"]:
            yield EMPTY, None
        yield from _said(turn)


def _heading(turn: Mapping[str, Any]) -> str:
    speaker = " ".join(_plain(turn["speaker"]).split())
    known = speaker in ("", turn["role"])
    parts = [
        str(turn["turn"] + 1),
        turn["role"].upper() + ("" if known else f" ({speaker})"),
        f"{turn['at']:%Y-%m-%d %H:%M}" if turn["at"] else "",
        "not shown to the user" if turn["hidden"] else "",
    ]
    return f"{HEADING} " + " · ".join(filter(None, parts))


def _said(turn: Mapping[str, Any]) -> Iterator[tuple[str, Source | None]]:
    text, number = turn["text"], turn["turn"]
    inserted = sorted((span["start"], span["end"]) for span in turn["injected_spans"])
    opens = {start for start, end in _joined(inserted, len(text))}
    closes = {end for start, end in _joined(inserted, len(text))}
    borders = sorted({0, len(text)} | opens | closes)
    for left, right in zip(borders, [*borders[1:], len(text)], strict=True):
        if left in closes:
            yield CLOSED, None
        if left in opens:
            yield OPENED, None
        yield from _stretch(text, number, left, right)


def _joined(spans: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Spans inside the text, none empty, those that touch made one; they come in order."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        start, end = max(start, 0), min(end, length)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def _stretch(text: str, turn: int, left: int, right: int) -> Iterator[tuple[str, Source | None]]:
    at = left
    for changed in _CHANGED.finditer(text, left, right):
        yield text[at : changed.start()], (turn, at, changed.start())
        yield _plain(changed[0]), (turn, *changed.span())
        at = changed.end()
    yield text[at:right], (turn, at, right)


def _plain(text: str) -> str:
    return visible(text).replace(HEADING, INSTEAD)
