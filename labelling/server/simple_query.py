"""What a text query asks for: Argilla's simple query string, read into a tree.

    alpha beta        both words, wherever in the record they are
    "alpha beta"      the words one after the other
    alph*             words that begin so
    -alpha            not this
    alpha | beta      one of them; + (and) is what stands where nothing does
    (alpha | beta) c  first what is in parentheses, else from left to right
    \\-alpha           the sign itself

It never fails but for its length: a parenthesis or quotation mark without its other half is left
out, and what holds no letter or digit asks nothing. Of `alpha~1` and `"alpha beta"~2` (similar
words, words nearby) the number is left out: the word itself, the phrase itself is asked for.

Standard library only.
"""

import re
from dataclasses import dataclass
from unicodedata import category

MAX_CHARACTERS = 1000
MAX_WORDS = 50


@dataclass(frozen=True)
class Term:
    """Words in a row, as they were written; of a `prefix` the last is the beginning of a word."""

    text: str
    prefix: bool = False


@dataclass(frozen=True)
class OneField:
    """All terms in one and the same field."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Not:
    """Records that do not have it."""

    part: "Node"


@dataclass(frozen=True)
class Both:
    """Records that have both; with `either`, one of them is enough."""

    left: "Node"
    right: "Node"
    either: bool = False


Node = OneField | Not | Both


def parse(query: str) -> Node | None:
    """The tree of a query, or None where it asks nothing.

    Raises ValueError for a query of more than MAX_CHARACTERS characters or MAX_WORDS words.

    >>> parse('"big house" -tr*')
    Both(left=OneField(terms=(Term(text='big house', prefix=False),)), \
right=Not(part=OneField(terms=(Term(text='tr', prefix=True),))), either=False)
    """
    _check_length(query)
    levels = [_Level()]
    closed_at = _parentheses(query)
    for match in _PIECE.finditer(query):
        kind, here = str(match.lastgroup), match.start()
        if kind == "open" and here in closed_at:
            levels.append(_Level())
        elif kind == "close" and here in closed_at.values() and len(levels) > 1:
            inner = levels.pop()
            levels[-1].add(inner.top)
        elif kind != "open":
            _read(kind, match.group(kind), levels[-1])
    while len(levels) > 1:  # its other half was inside a phrase
        inner = levels.pop()
        levels[-1].add(inner.top)
    return levels[0].top


_PIECE = re.compile(
    r"""(?P<open>\() | (?P<close>\)) | (?P<both>\+) | (?P<either>\|) | (?P<negate>-)
    | "(?P<phrase>(?:\\.|[^"\\])*)"(?:~\d*)?
    | (?P<space>\s+|")
    | (?P<token>(?:\\.?|[^\s"|+()\\])(?:\\.?|[^\s"|+()\\~])*)(?:~[^\s"|+()]*)?""",
    re.VERBOSE | re.DOTALL,
)

# A word, or words that a sign inside joins (don't, 3.5, example.com, snake_case).
_TERM = re.compile(
    r"""[^\W_]+ (?: (?: _+ | (?<=[^\W\d])['’.:·](?=[^\W\d]) | (?<=\d)[.,;'’](?=\d) ) [^\W_]+ )*""",
    re.VERBOSE,
)


@dataclass
class _Level:
    """What was read of a query or of a parenthesis, and what the next part is joined by."""

    top: Node | None = None
    either: bool | None = None
    negated: bool = False

    def add(self, part: Node | None) -> None:
        if part is not None:
            part = _negated(part) if self.negated else part
            joined = Both(self.top, part, bool(self.either)) if self.top is not None else part
            self.top, self.either = joined, None
        self.negated = False


def _read(kind: str, text: str, level: _Level) -> None:
    if kind == "negate":
        level.negated = not level.negated
        return
    if kind in ("both", "either") and level.either is None and level.top is not None:
        level.either = kind == "either"
    elif kind == "phrase":
        level.add(_one_field([Term(_plain(text))]))
    elif kind == "token":
        level.add(_one_field(_terms(text)))
    level.negated = False


def _negated(part: Node) -> Node:
    return part.part if isinstance(part, Not) else Not(part)


def _terms(token: str) -> list[Term]:
    prefix = token.endswith("*") and not token.endswith("\\*")
    plain = _plain(token.removesuffix("*"))
    found = list(_TERM.finditer(_with_letters(plain)))
    return [Term(plain[a:b], prefix and b == len(plain)) for a, b in (one.span() for one in found)]


def _one_field(terms: list[Term]) -> OneField | None:
    asked = tuple(one for one in terms if _TERM.search(one.text))
    return OneField(asked) if asked else None


def _plain(text: str) -> str:
    return re.sub(r"\\(.?)", r"\1", text, flags=re.DOTALL)


def _with_letters(text: str) -> str:
    """The text with a letter wherever it has a mark (an accent by itself), which joins a word."""
    return "".join("a" if category(sign).startswith("M") else sign for sign in text)


def _parentheses(query: str) -> dict[int, int]:
    """Where each parenthesis that has its other half opens, and where it closes."""
    waiting: list[int] = []
    closed_at = {}
    for match in re.finditer(r"\\.|[()]", query, re.DOTALL):
        if match[0] == "(":
            waiting.append(match.start())
        elif match[0] == ")" and waiting:
            closed_at[waiting.pop()] = match.start()
    return closed_at


def _check_length(query: str) -> None:
    words = max(len(query.split()), len(_TERM.findall(query)))
    if len(query) > MAX_CHARACTERS or words > MAX_WORDS:
        raise ValueError(
            f"The search has {len(query)} characters in {words} words; it may have "
            f"{MAX_CHARACTERS} in {MAX_WORDS}: search for fewer words."
        )
