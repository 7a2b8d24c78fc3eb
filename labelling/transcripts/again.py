"""Whether a file is the one that a study has under its name, or another of the same name.

It is the same when a session of it is there already. An id that is only the file's name and a
number says nothing, so such a session has to begin with the same words of the user, too.
"""

from pathlib import PurePath

import polars as pl

from labelling.tables import InputError


def refuse_stranger(
    name: str, before: tuple[pl.DataFrame, pl.DataFrame], now: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    """Raise InputError when what the name gave before and gives now have no session in common.

    `before` and `now` are sessions and turns; of turns, those of other sessions do no harm.
    """
    old, new = _known_by(name, *before), _known_by(name, *now)
    if old.is_empty() or new.is_empty():
        return
    if old.join(new, on=old.columns, how="semi", nulls_equal=True).is_empty():
        raise InputError(
            f"{name} gave this study {old.height} sessions before, and none of them is in it now",
            expected="the same file again, or one of a new name",
            then="name it otherwise to keep both, or add --replace to put it in their place",
        )


def _known_by(name: str, sessions: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """session_id, and what the user says first where the id was counted within the file."""
    user = turns.filter(pl.col("role") == "user").sort("session_id", "turn")
    said = user.group_by("session_id", maintain_order=True).agg(said=pl.col("text").first())
    prefix = f"{PurePath(name).stem}-"
    session = pl.col("session_id")
    counted = session.str.starts_with(prefix) & session.str.strip_prefix(prefix).str.contains(
        r"^\d+$"
    )
    found = sessions.join(said, on="session_id", how="left")
    return found.select("session_id", said=pl.when(counted).then("said"))
