"""The heuristic gate: patterns and slot rules over user turns, with guards.

It does exactly what its pattern file says. Every match counts; one that a guard refuses comes out
with verdict `reject` and the reason, one that its clause ties to the task at hand with verdict
`log`. Of admitted matches that overlap, the pattern that stands first in the file speaks. `rule_id`
is the pattern's id, `quote` the match verbatim. Limits: English, one sentence at a time, nothing
assembled over turns.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from analysis.gates import Context, Proposal, Span, Turn, guards
from analysis.gates.folding import fold
from analysis.gates.patterns import REFUTING, Pattern, read_patterns
from labelling.tables import normalise

BUILT_IN = Path(__file__).with_name("patterns.toml")


class Heuristic:
    """A gate over the patterns of one file; `setting` names them."""

    def __init__(self, patterns: tuple[Pattern, ...], setting: str) -> None:
        self.patterns, self.setting = patterns, setting

    def __call__(self, turn: Turn, context: Context) -> list[Proposal]:
        """The proposals of a user turn, in the order of the text; none for other roles."""
        if turn.role != "user":
            return []
        folded = fold(turn.text)
        quoted = guards.quotations(folded)
        found = [
            _proposal(pattern, match, turn, folded, quoted)
            for pattern in self.patterns
            for match in pattern.regex.finditer(folded)
            if match.end() > match.start()
        ]
        apart = without_overlap(found, len(folded))
        return merged(sorted(apart, key=lambda proposal: proposal.evidence[0].start))


def load(path: Path | str) -> Heuristic:
    """A gate over a pattern file of one's own; its setting is the file's name and content hash."""
    path = Path(path)
    patterns = read_patterns(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    return Heuristic(patterns, f"{path.stem} {digest}")


@cache
def built_in() -> Heuristic:
    """The gate over `patterns.toml`."""
    patterns = read_patterns(BUILT_IN)
    return Heuristic(patterns, f"{len(patterns)} patterns")


def gate(turn: Turn, context: Context) -> list[Proposal]:
    """What the built-in patterns find in a user turn."""
    return built_in()(turn, context)


def without_overlap(proposals: list[Proposal], length: int) -> list[Proposal]:
    """Without admitted proposals on text from which an earlier one was admitted already."""
    taken, kept = bytearray(length), []
    for proposal in proposals:
        span = slice(proposal.evidence[0].start, proposal.evidence[0].end)
        admitted = proposal.verdict == "admit"
        if not (admitted and any(taken[span])):
            kept.append(proposal)
        if admitted:
            taken[span] = b"\1" * (span.stop - span.start)
    return kept


def merged(proposals: list[Proposal]) -> list[Proposal]:
    """Equal claims with one verdict become one proposal: the first, with the evidence of all."""
    alike: dict[tuple[object, ...], list[Proposal]] = {}
    for proposal in proposals:
        alike.setdefault(_claim(proposal), []).append(proposal)
    return [
        replace(same[0], evidence=tuple(dict.fromkeys(span for p in same for span in p.evidence)))
        for same in alike.values()
    ]


def _claim(proposal: Proposal) -> tuple[object, ...]:
    said: tuple[object, ...] = (normalise(proposal.statement),)
    if proposal.slot is not None and proposal.value is not None:
        said = (proposal.slot, proposal.value)
    verdict = (proposal.verdict, proposal.reject_reason)
    return (*said, proposal.kind, proposal.scope, proposal.polarity, *verdict)


def _proposal(
    pattern: Pattern, match: re.Match[str], turn: Turn, folded: str, quoted: list[guards.Span]
) -> Proposal:
    start, end = match.span()
    caught = dict(_caught(match, turn.text))
    verdict, reject_reason = _verdict(pattern, match, turn, folded, quoted)
    value = pattern.value.filled(caught) if pattern.value else ""
    return Proposal(
        statement=pattern.statement.filled(caught),
        quote=turn.text[start:end],
        evidence=(Span(turn.turn, turn.role, start, end),),
        kind=pattern.kind,
        scope=pattern.scope_of(caught),
        slot=pattern.slot.filled(caught) if pattern.slot and value else None,
        value=value or None,
        polarity=pattern.polarity,
        rule_id=pattern.id,
        verdict=verdict,
        reject_reason=reject_reason,
    )


def _caught(match: re.Match[str], text: str) -> Iterator[tuple[str, str]]:
    """Group -> what it caught, as it was typed."""
    for group in match.re.groupindex:
        start, end = match.span(group)
        if start >= 0:
            yield group, text[start:end]


def _verdict(
    pattern: Pattern, match: re.Match[str], turn: Turn, folded: str, quoted: list[guards.Span]
) -> tuple[str, str | None]:
    start, end = match.span()
    refuted = next((name for name in REFUTING if match.groupdict().get(name)), None)
    if guards.overlaps(start, end, turn.injected_spans):
        return "reject", "injected"
    if guards.overlaps(start, start + 1, quoted):
        return "reject", "quoted"
    reason = guards.reason(folded, start, end, wish=pattern.kind == "preference")
    if reason or refuted:
        return "reject", reason or refuted
    return ("log" if guards.situational(folded, start, end) else "admit"), None
