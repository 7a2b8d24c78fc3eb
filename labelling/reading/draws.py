"""Which sessions are read whole: drawn by hash, with a probability fixed at the first draw."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling.console import amount
from labelling.statistics import ratio
from labelling.tables import content_id, exists, metadata, read
from labelling.tables.decisions import read_whole

READ_P = "gates_read_p"
"""Metadata of `candidates`: the probability of a session's draw, fixed at the study's first."""

LONGEST = 200_000
"""Characters of a session that somebody can still be asked to read in one go: some three hours."""


@dataclass(frozen=True)
class Draw:
    """What is drawn with probability `p`, and what of it two people have read whole so far.

    `eligible`: the sessions that could be drawn.
    """

    p: float | None = None
    eligible: frozenset[str] = frozenset()
    drawn: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    @property
    def chance(self) -> float:
        """That a session is drawn and read by now; which ones are read first counts as chance."""
        return (self.p or 0.0) * (ratio(len(self.read), len(self.drawn)) or 0.0)

    def plain(self) -> dict[str, Any]:
        """For the outcome of a pool."""
        counts = {"sessions_drawn": len(self.drawn), "sessions_read": len(self.read)}
        return {"read_probability": self.p, **counts}

    def in_words(self) -> list[str]:
        """Nothing where nothing is drawn."""
        if self.p is None:
            return []
        return [
            f"  to be read whole: {len(self.drawn)} of {amount(len(self.eligible), 'session')} "
            f"(each with probability {self.p:.4g}), of them read by two people: {len(self.read)}"
        ]


def draw(study: str, turns: pl.DataFrame, labels: pl.DataFrame, sessions: int = 0) -> Draw:
    """The study's draw; about `sessions` of them where nothing was drawn before."""
    p = fixed_p(study)
    if p is None and not sessions:
        return Draw()
    eligible = readable(turns)
    p = min(ratio(sessions, len(eligible)) or 0.0, 1.0) if p is None else p
    if not p:
        return Draw()
    drawn = tuple(session for session in eligible if is_drawn(session, p))
    done = set(read_whole(labels))
    return Draw(p, frozenset(eligible), drawn, tuple(one for one in drawn if one in done))


def drawn_sessions(study: str, turns: pl.DataFrame) -> list[str]:
    """The sessions to be read whole, in the order of their ids; none where nothing was drawn."""
    p = fixed_p(study)
    return [one for one in readable(turns) if is_drawn(one, p)] if p else []


def fixed_p(study: str) -> float | None:
    """The probability of a session's draw; None before the first."""
    found = metadata(study, "candidates").get(READ_P) if exists(study, "candidates") else None
    return None if found is None else float(found)


def readable(turns: pl.DataFrame) -> list[str]:
    """Sessions in which a user visibly said something, and not more than anybody can read."""
    said = (pl.col("role") == "user") & ~pl.col("hidden") & (pl.col("text").str.strip_chars() != "")
    found = turns.group_by("session_id").agg(
        user=said.any(), length=pl.col("text").str.len_chars().sum()
    )
    short = found.filter("user", pl.col("length") <= LONGEST)
    return short["session_id"].sort().to_list()


def is_drawn(session_id: str, p: float) -> bool:
    """Whether the session's own hash falls below p."""
    return int(content_id("read", session_id), 16) / 2**64 < p


def still_to_read(study: str, labels: pl.DataFrame) -> Collection[str]:
    """Drawn sessions that fewer than two people have read whole."""
    if not fixed_p(study):
        return ()
    done = set(read_whole(labels))
    return [one for one in drawn_sessions(study, read(study, "turns")) if one not in done]
