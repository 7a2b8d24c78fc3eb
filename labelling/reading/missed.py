"""How many facts two readers both missed, from what each of them marked in the same sessions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling.console import amount
from labelling.statistics import Interval, unseen
from labelling.tables.decisions import decisions
from labelling.tables.marks import Mark, marks, overlap, same_place, whole_readers


@dataclass(frozen=True)
class Missed:
    """Sessions that two read whole, what each marked there, what both, and what neither did."""

    sessions: int
    first: int
    second: int
    both: int
    neither: Interval

    def plain(self) -> dict[str, Any]:
        found = self.neither
        return {
            "sessions": self.sessions,
            "n1": self.first,
            "n2": self.second,
            "both": self.both,
            "missed": found.value,
            "missed_ci_low": found.low,
            "missed_ci_high": found.high,
            "method": found.method,
            "reason": found.reason,
        }

    def in_words(self) -> list[str]:
        """Nothing where nobody read a session whole."""
        if not self.sessions:
            return []
        start = (
            f"  {amount(self.sessions, 'session')} read whole by two: one marked "
            f"{amount(self.first, 'passage')}, the other {self.second}, both the same {self.both}; "
        )
        found = self.neither
        if found.value is None:
            return [f"{start}how many both missed is not known: {found.reason}"]
        return [
            f"{start}about {found.value:.1f} that neither marked ({found.low:.0f} to "
            f"{found.high:.0f}; more where some are hard to see for both)"
        ]


def missed(labels: pl.DataFrame, candidates: pl.DataFrame) -> Missed:
    """Of each session the first two readers by pseudonym; marks that were rejected are left out.

    Two marks are the same passage when they share at least half of the shorter one; each is the
    same as at most one of the other reader's.
    """
    readers = whole_readers(labels)
    kept = _by_session(_unless_rejected(marks(labels), labels, candidates))
    counts = Counter[str]()
    for session_id, (one, other, *_) in readers.items():
        mine = [mark for mark in kept[session_id] if mark.annotator == one]
        theirs = [mark for mark in kept[session_id] if mark.annotator == other]
        counts.update(first=len(mine), second=len(theirs), both=common(mine, theirs))
    found = counts["first"], counts["second"], counts["both"]
    return Missed(len(readers), *found, unseen(*found))


def common(mine: Sequence[Mark], theirs: Sequence[Mark]) -> int:
    """Pairs of the same passage, those that share most first."""
    pairs = sorted(
        ((_shared(a, b), i, j) for i, a in enumerate(mine) for j, b in enumerate(theirs)),
        key=lambda pair: (-pair[0], pair[1] + pair[2], abs(pair[1] - pair[2])),
    )
    taken: tuple[set[int], set[int]] = set(), set()
    for share, i, j in pairs:
        if share >= 0.5 and i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
    return len(taken[0])


def _shared(one: Mark, other: Mark) -> float:
    return max(overlap(a, b) for a in one.pieces for b in other.pieces)


def _unless_rejected(
    found: Iterable[Mark], labels: pl.DataFrame, candidates: pl.DataFrame
) -> Iterator[Mark]:
    """Without those on which candidates rest, all of them rejected."""
    decided = candidates.join(decisions(labels, candidates), on="candidate_id")
    there: dict[str, list[tuple[Any, str]]] = defaultdict(list)
    for session_id, evidence, decision in decided.select(
        "session_id", "evidence", "decision"
    ).iter_rows():
        there[session_id].append((evidence, decision))
    for mark in found:
        at = [d for evidence, d in there[mark.session_id] if same_place(mark.pieces, evidence)]
        if not at or any(decision != "rejected" for decision in at):
            yield mark


def _by_session(found: Iterable[Mark]) -> dict[str, list[Mark]]:
    sessions: dict[str, list[Mark]] = defaultdict(list)
    for mark in found:
        sessions[mark.session_id].append(mark)
    return sessions
