"""A pattern file (TOML): read once, checked, compiled.

`[words]` holds word lists (a list, or said -> value), `[fragments]` regular expressions; `{name}`
in a pattern, or in a fragment further down, stands for either. A space in a pattern stands for one
to three spaces, never for a line break. A pattern may be written on several lines: they are joined
without the white space at their ends. `*`, `+` and `{n,}` are refused: turns are hostile, so every
repeat is bounded. Matching ignores case and sees the folded text (`folding.fold`).

`[[pattern]]` has id, pattern, kind, scope, statement, polarity, added, because, and slot with value
where the value comes out in one form however it was said (one that comes out empty leaves both
out). In scope, slot, value and statement `{group}` or `{group|normaliser}` stands for what a named
group caught. A scope `<what>:<name>` whose groups caught nothing is `global`. A group called
`negated` or `past` is a form of words that refutes the statement: a match with it is refused for
that reason.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from analysis.gates.folding import clean
from analysis.gates.normalisers import NORMALISERS, Normaliser, from_words
from labelling.tables import InputError

REFUTING = ("negated", "past")
_KEYS = {
    "id": str,
    "pattern": str,
    "kind": str,
    "scope": str,
    "statement": str,
    "polarity": bool,
    "added": date,
    "because": str,
}
_SLOT_KEYS = {"slot": str, "value": str}
_TEMPLATES = ("scope", "statement", *_SLOT_KEYS)
_PLACEHOLDER = re.compile(r"\{([a-z_]\w*)(?:\|(\w+))?\}")
_SPACE = re.compile(r"\[(?:\\.|[^\]\\])*\]|\\.| ")
_LITERAL = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]")
_UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")
_SCOPE = re.compile(r"global|[^:\s]+:\S.*")


@dataclass(frozen=True)
class Template:
    """Text with `{group|normaliser}` in it."""

    text: str
    normalisers: Mapping[str, Normaliser]

    def groups(self) -> set[str]:
        return {found[1] for found in _PLACEHOLDER.finditer(self.text)}

    def filled(self, caught: Mapping[str, str]) -> str:
        """The text with what the groups caught, on one clean line."""

        def fill(found: re.Match[str]) -> str:
            said = clean(caught.get(found[1], ""), 110)
            return self.normalisers[found[2]](said) if found[2] and said else said

        return clean(_PLACEHOLDER.sub(fill, self.text))


@dataclass(frozen=True)
class Pattern:
    """One way of saying one kind of fact."""

    id: str
    regex: re.Pattern[str]
    kind: str
    scope: Template
    statement: Template
    slot: Template | None
    value: Template | None
    polarity: bool
    added: date
    because: str

    def scope_of(self, caught: Mapping[str, str]) -> str:
        """Where the fact holds; everywhere, if the groups of its scope caught nothing."""
        said = self.scope.filled(caught)
        return said if _SCOPE.fullmatch(said) else "global"


def read_patterns(path: Path) -> tuple[Pattern, ...]:
    """The patterns of a file, in its order; InputError names file, pattern and fault."""
    document = _parsed(path)
    known = {"words", "fragments", "pattern"}
    if set(document) - known or not document.get("pattern"):
        raise _fault(
            path, "the file", f"has {sorted(document)}", "[[pattern]], [words], [fragments]"
        )
    words = {key: _word_list(listed) for key, listed in document.get("words", {}).items()}
    fragments = {key: _alternatives(listed) for key, listed in words.items()}
    for key, text in document.get("fragments", {}).items():
        fragments[key] = f"(?:{_expanded(path, f'fragment {key!r}', text, fragments)})"
    normalisers = {**NORMALISERS, **{key: from_words(listed) for key, listed in words.items()}}
    patterns = [_pattern(path, row, fragments, normalisers) for row in document["pattern"]]
    for previous, pattern in enumerate(patterns):
        if pattern.id in {other.id for other in patterns[:previous]}:
            raise _fault(path, f"pattern {pattern.id!r}", "stands twice", "each id once")
    return tuple(patterns)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _fault(path, "the file", f"cannot be read ({error.strerror})", "a file") from error
    except UnicodeDecodeError as error:
        raise _fault(path, "the file", "is not UTF-8", "TOML in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise _fault(path, "the file", f"is no TOML: {error}", "TOML") from error


def _word_list(listed: list[str] | dict[str, str]) -> dict[str, str]:
    return listed if isinstance(listed, dict) else {word: word for word in listed}


def _alternatives(words: Mapping[str, str]) -> str:
    """The longest first, so that "spark sql" is not taken for "spark"."""
    escaped = (re.escape(word).replace("\\ ", " ") for word in sorted(words, key=len, reverse=True))
    return f"(?:{'|'.join(escaped)})"


def _pattern(
    path: Path,
    row: dict[str, Any],
    fragments: Mapping[str, str],
    normalisers: Mapping[str, Normaliser],
) -> Pattern:
    where = f"pattern {row.get('id')!r}"
    _check_keys(path, where, row)
    regex = _compiled(path, where, row["pattern"], fragments)
    made = {key: Template(row[key], normalisers) for key in _TEMPLATES if key in row}
    for template in made.values():
        _check_template(path, where, template, regex)
    return Pattern(
        id=row["id"],
        regex=regex,
        kind=row["kind"],
        scope=made["scope"],
        statement=made["statement"],
        slot=made.get("slot"),
        value=made.get("value"),
        polarity=row["polarity"],
        added=row["added"],
        because=row["because"],
    )


def _check_keys(path: Path, where: str, row: dict[str, Any]) -> None:
    allowed = {**_KEYS, **_SLOT_KEYS}
    for key, kind in allowed.items():
        if key in row and not isinstance(row[key], kind):
            raise _fault(path, where, f"has {key} = {row[key]!r}", f"{key} of type {kind.__name__}")
    if missing := [key for key in _KEYS if row.get(key, "") == ""]:
        raise _fault(path, where, f"lacks {', '.join(missing)}", ", ".join(_KEYS))
    if unknown := sorted(set(row) - set(allowed)):
        raise _fault(path, where, f"has the unknown {', '.join(unknown)}", ", ".join(allowed))
    if len(_SLOT_KEYS.keys() & row.keys()) == 1:
        raise _fault(path, where, "has one of slot and value", "both or neither")
    if row["kind"] not in ("fact", "preference"):
        raise _fault(path, where, f"has kind = {row['kind']!r}", "fact or preference")
    if not _SCOPE.fullmatch(row["scope"]):
        raise _fault(path, where, f"has scope = {row['scope']!r}", "global or <what>:<name>")


def _compiled(
    path: Path, where: str, pattern: str, fragments: Mapping[str, str]
) -> re.Pattern[str]:
    whole = _expanded(path, where, pattern, fragments)
    if unbounded := _UNBOUNDED.search(_LITERAL.sub("x", whole)):
        raise _fault(path, where, f"repeats without end ({unbounded[0]})", "a bound, as in {1,40}")
    spaced = _SPACE.sub(lambda found: "(?: {1,3})" if found[0] == " " else found[0], whole)
    try:
        return re.compile(spaced, re.IGNORECASE)
    except re.error as error:
        raise _fault(path, where, f"is no regular expression: {error}", "Python's re") from error


def _expanded(path: Path, where: str, text: str, fragments: Mapping[str, str]) -> str:
    """The lines of a pattern or fragment as one, with what its `{name}`s stand for."""
    joined = "".join(line.strip(" ") for line in text.splitlines())
    try:
        return _PLACEHOLDER.sub(lambda found: fragments[found[1]], joined)
    except KeyError as error:
        raise _fault(path, where, f"uses {{{error.args[0]}}}", "a word list or fragment") from error


def _check_template(path: Path, where: str, template: Template, regex: re.Pattern[str]) -> None:
    if unknown := sorted(template.groups() - set(regex.groupindex)):
        raise _fault(
            path, where, f"has no group {unknown[0]!r}", f"the groups {list(regex.groupindex)}"
        )
    for found in _PLACEHOLDER.finditer(template.text):
        if found[2] and found[2] not in template.normalisers:
            known = ", ".join(template.normalisers)
            raise _fault(path, where, f"names the normaliser {found[2]!r}", known)


def _fault(path: Path, where: str, what: str, expected: str) -> InputError:
    return InputError(f"{path}: {where} {what}", expected=expected, then="correct the pattern file")
