"""What judges made of what people split on: how much is settled, which way, and why they split.

Settled candidates change no headline; their share to write is what the agreed ones leave out.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling.statistics import Interval, share_interval
from labelling.tables.decisions import decisions, judgements, settled

NO_REASON = "no one reason"
NOTHING = "no disputed candidate is settled"


@dataclass(frozen=True)
class OnceDisputed:
    """Counts of candidates; `own`: decisions by people who labelled the candidate themselves.

    `reasons`: how often each reason code was given, most frequent first. `to_write`: the share of
    the settled ones that should be written, by conversation.
    """

    disputed: int
    settled: int
    written: int
    own: int
    reasons: dict[str, int]
    to_write: Interval

    @property
    def open(self) -> int:
        """Disputed candidates that nobody settled."""
        return self.disputed - self.settled

    def in_words(self) -> list[str]:
        """Lines for a reader; none where nobody adjudicated anything."""
        lines = []
        if self.settled:
            why = ", ".join(f"{code.replace('_', ' ')} {n}" for code, n in self.reasons.items())
            lines.append(
                f"  of {self.disputed:,} disputed candidates {self.settled:,} are settled: "
                f"{self.written:,} to write ({_percent(self.to_write)}); {why}"
            )
        if self.own:
            lines.append(
                f"  adjudications that do not count: {self.own}, by people who labelled the same "
                "candidate themselves"
            )
        return lines

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        share = self.to_write
        return {
            "disputed": self.disputed,
            "settled": self.settled,
            "to_write": self.written,
            "to_write_share": share.value,
            "to_write_share_ci_low": share.low,
            "to_write_share_ci_high": share.high,
            "reason": share.reason,
            "by_reason": self.reasons,
            "not_counted": self.own,
        }


def once_disputed(labels: pl.DataFrame, candidates: pl.DataFrame) -> OnceDisputed:
    """What became of the disputed candidates of a study."""
    decided = decisions(labels, candidates).filter(pl.col("decision") == "disputed")
    done = settled(labels, candidates)
    reasons = Counter(done["reason_code"].fill_null(NO_REASON))
    own = judgements(labels, candidates)["own"]
    return OnceDisputed(
        disputed=decided.height,
        settled=done.height,
        written=int(done["write"].sum()),
        own=int(own.sum()),
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        to_write=_share(done, candidates),
    )


def _share(done: pl.DataFrame, candidates: pl.DataFrame) -> Interval:
    if done.is_empty():
        return Interval(None, None, None, "", NOTHING)
    by_session = (
        done.join(candidates.select("candidate_id", "session_id"), on="candidate_id")
        .group_by("session_id", maintain_order=True)
        .agg(pl.col("write").sum(), n=pl.len())
    )
    return share_interval(by_session["write"].to_numpy(), by_session["n"].to_numpy())


def _percent(share: Interval) -> str:
    if share.value is None:
        return share.reason or ""
    ends = "" if share.low is None else f", {100 * share.low:.3g} to {100 * (share.high or 0):.3g}"
    return f"{100 * share.value:.3g} %{ends}"
