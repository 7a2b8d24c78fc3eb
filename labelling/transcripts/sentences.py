"""Splits a turn into sentences: verbatim spans, in order, disjoint.

A span is `(start, end)`, code points of the text, end exclusive: `text[start:end]` is the sentence
as it was typed, without the white space and the list marker around it. A line break always ends a
sentence. Code blocks between triple backticks (to the end of the text where one is not closed) and
pieces without a letter or digit are left out. Every step is linear in the text: turns are hostile.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]++")
_END = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]*_]*+(?=\s|$)"""  # a stop, what closes with it, white space
    r"|[。！？]++[」』”’]*+"  # no white space follows these
)
_MARKER = re.compile(r"\s*+(?:[-*•‣–—]++\s++|\(?\d{1,3}[.)]\s++)?+")
_LIST_NUMBER = re.compile(r"\s*+\(?\d{1,3}")
_WORD_BEFORE = re.compile(r"(?<![\w.])[\w.]{1,10}\Z")
_NEVER_ENDS = {"dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "eg", "ie", "cf", "fig"}
_SELDOM_ENDS = {"etc", "a.m", "p.m", "inc", "ltd", "co", "jr", "sr", "u.s", "u.k", "approx"}


def sentences(text: str) -> list[Span]:
    """The sentences of a text.

    >>> text = "Hi! We use e.g. BigQuery 2.0. OK?"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Hi!', 'We use e.g. BigQuery 2.0.', 'OK?']
    """
    pieces = (_trim(text, piece) for line in _lines(text) for piece in _split(text, line))
    return [(start, end) for start, end in pieces if any(map(str.isalnum, text[start:end]))]


def code_blocks(text: str) -> list[Span]:
    """The blocks between triple backticks, fences included."""
    return [match.span() for match in _CODE.finditer(text)]


def _lines(text: str) -> Iterator[Span]:
    """The pieces of lines outside code blocks."""
    position = 0
    for start, end in [*code_blocks(text), (len(text), len(text))]:
        yield from (line.span() for line in _LINE.finditer(text, position, start))
        position = end


def _split(text: str, line: Span) -> Iterator[Span]:
    position, stop = line
    for match in _END.finditer(text, *line):
        if not _abbreviated(text, position, match):
            yield position, match.end()
            position = match.end()
    yield position, stop


def _abbreviated(text: str, position: int, match: re.Match[str]) -> bool:
    """Whether the stop belongs to an abbreviation, an initial or a number of a list."""
    if match.group() != ".":
        return False
    before = _WORD_BEFORE.search(text[max(position, match.start() - 12) : match.start()])
    if before is None:
        return False
    word, following = before.group(), text[match.end() + 1 : match.end() + 2]
    if word.lower() in _NEVER_ENDS or _LIST_NUMBER.fullmatch(text, position, match.start()):
        return True
    if len(word) == 1 and word.isupper() and word != "I":
        return following.isupper()
    return word.lower() in _SELDOM_ENDS and following.islower()


def _trim(text: str, piece: Span) -> Span:
    start, end = piece
    marker = _MARKER.match(text, start, end)
    start = marker.end() if marker else start
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
