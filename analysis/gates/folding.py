"""Text as patterns and guards see it: the same length as the original, so offsets carry over.

Each character is replaced by one character: typographic apostrophes by `'`, every white space but
the line feed by a space, letters with accents by their base letter. Quotation marks stay, since
guards read them. What comes out of a turn again passes `clean`: turns are hostile.
"""

import unicodedata

_SAME = {**dict.fromkeys("’‘ʼ′´＇", "'"), "\n": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n"}


class _Fold(dict[int, str]):
    """Code point -> one character, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = _folded(chr(code))
        return self[code]


def _folded(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if char.isspace():
        return " "
    parts = unicodedata.normalize("NFKD", char)
    return parts[0] if all(map(unicodedata.combining, parts[1:])) else char


_FOLD = _Fold()


def fold(text: str) -> str:
    """The text for matching; `len(fold(text)) == len(text)`.

    >>> fold("we’re\\u00a0on café")
    "we're on cafe"
    """
    return text.translate(_FOLD)


def clean(text: str, longest: int = 120) -> str:
    """One line without control, format or unassigned characters, at most `longest` code points.

    >>> clean("Sno\\u202ew\\tflake ")
    'Snow flake'
    """
    spaced = " ".join(text.split())
    kept = "".join(char for char in spaced if unicodedata.category(char)[0] != "C")
    short = " ".join(kept.split())
    return short if len(short) <= longest else short[: longest - 1].rstrip() + "…"
