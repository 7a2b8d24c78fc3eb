"""What gates proposed, as candidates to label.

Not what can never be a record: proposals that a guard rejected, and those of yardsticks.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from labelling.merging import Item
from labelling.tables import InputError
from labelling.tables.schemas import BASELINE_GATES


def chosen(proposals: pl.DataFrame, gates: tuple[str, ...]) -> pl.DataFrame:
    """Proposals that are or could become records: admitted, offered, logged, below a threshold."""
    unknown = set(gates) - set(proposals["gate"])
    if unknown:
        raise InputError(
            f"there are no proposals of gate {', '.join(sorted(unknown))}",
            expected=f"of: {', '.join(sorted(set(proposals['gate']))) or 'none yet'}",
            then="run `gates replay --gate …` first",
        )
    wanted = pl.col("gate").is_in(gates) if gates else ~pl.col("gate").is_in(BASELINE_GATES)
    low = (pl.col("verdict") == "reject") & (pl.col("reject_reason") == "below_threshold")
    return proposals.filter(wanted, pl.col("verdict").is_in(["admit", "confirm", "log"]) | low)


def proposed_items(proposals: pl.DataFrame, turns: pl.DataFrame) -> Iterator[Item]:
    said = {(s, t): text for s, t, text in turns.select("session_id", "turn", "text").iter_rows()}
    latest = _user_turns(turns)
    copied = ("session_id", "turn", "statement", "kind", "scope", "slot", "value", "polarity")
    for row in proposals.sort("session_id", "turn", "proposal_id").iter_rows(named=True):
        evidence = row["evidence"] or _last_user_turn(latest, said, row)
        pieces = [_piece(said, row["session_id"], span) for span in evidence]
        yield Item(
            **{column: row[column] for column in copied},
            evidence=tuple(evidence),
            quote=row["quote"] if row["quote"] is not None else " … ".join(pieces),
            expires_at=row["expires_at"],
            strata=("proposed",),
            proposal_ids=(row["proposal_id"],),
        )


def _piece(said: dict[tuple[str, int], str], session_id: str, span: dict[str, Any]) -> str:
    if (session_id, span["turn"]) not in said:
        raise InputError(
            f"a proposal rests on turn {span['turn']} of session {session_id!r}, which is gone",
            expected="proposals made from the transcripts as they are",
            then="run `gates replay` again for every gate",
        )
    return said[session_id, span["turn"]][span["start"] : span["end"]]


def _user_turns(turns: pl.DataFrame) -> dict[str, list[int]]:
    user = turns.filter(pl.col("role") == "user", ~pl.col("hidden")).sort("session_id", "turn")
    return dict(user.group_by("session_id").agg("turn").iter_rows())


def _last_user_turn(
    latest: dict[str, list[int]], said: dict[tuple[str, int], str], row: dict[str, Any]
) -> list[dict[str, Any]]:
    """Where a gate gave no evidence: the user's last turn at or before its own, for the reader."""
    past = [turn for turn in latest.get(row["session_id"], []) if turn <= row["turn"]]
    length = len(said[row["session_id"], past[-1]]) if past else 0
    return [{"turn": past[-1], "role": "user", "start": 0, "end": length}] if past else []
