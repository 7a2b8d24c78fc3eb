"""The stores that a gate leaves behind, a store a user -> `store_check`.

A row is a check of one gate setting: how many cases of a fault there are, and in how many users'
stores. Records count as the gate ran, whatever they were judged; only `wrong` looks at the labels.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from analysis.alike import keyed
from analysis.slices import Slice
from labelling.statistics import ratio

NO_TIMES = "no time is known after which a record could have expired"


def store_check(found: Slice) -> list[dict[str, Any]]:
    """The rows of `store_check`, one a check."""
    users = found.ground.sessions["user_id"].n_unique()
    gate = {
        "gate": found.ground.gate,
        "setting": found.ground.setting,
        "split": found.ground.part.split,
        "users": users,
    }
    return [gate | _row(check, cases, users) for check, cases in _checks(found)]


def _row(check: str, cases: pl.DataFrame | None, users: int) -> dict[str, Any]:
    if cases is None:
        return {"check": check, "reason": NO_TIMES}
    affected = cases["user_id"].n_unique()
    share = ratio(affected, users)
    row = {"check": check, "cases": cases.height, "users_affected": affected, "users_share": share}
    return row | ({"reason": "no users"} if share is None else {})


def _checks(found: Slice) -> Iterator[tuple[str, pl.DataFrame | None]]:
    """Each check with its cases {user_id}; None where it cannot be made."""
    said = found.ground.proposals.select(
        "proposal_id", "statement", "slot", "value", "scope", "polarity", "expires_at"
    )
    records = (
        found.records()
        .join(keyed(said), on="proposal_id")
        .join(found.ground.sessions.select("session_id", "user_id"), on="session_id")
    )
    claim = pl.coalesce("filled", "said")
    held = records.filter(pl.col("polarity").fill_null(True)).drop_nulls(["slot", "value"])
    yield "wrong", records.filter(pl.col("status") == "wrong")
    yield "two_values", _several(held, "value", "slot", "scope")
    yield "two_scopes", _several(records.with_columns(claim=claim), "scope", "claim", "polarity")
    yield "expired", _expired(found, records)


def _several(records: pl.DataFrame, column: str, *key: str) -> pl.DataFrame:
    """What one user's store has under one key with more than one value in a column."""
    groups = records.drop_nulls(column).group_by("user_id", *key)
    return groups.agg(pl.col(column).n_unique()).filter(pl.col(column) > 1)


def _expired(found: Slice, records: pl.DataFrame) -> pl.DataFrame | None:
    """Records past their date at the last time known of their user."""
    dated = records.drop_nulls("expires_at")
    people = found.ground.sessions.select("session_id", "user_id", at="started_at")
    said = found.ground.turns.select("session_id", "at").join(people.drop("at"), on="session_id")
    times = pl.concat([people.select("user_id", "at"), said.select("user_id", "at")])
    last = times.drop_nulls().group_by("user_id").agg(pl.col("at").max())
    known = dated.join(last, on="user_id")
    return (
        None if dated.height > known.height else known.filter(pl.col("expires_at") < pl.col("at"))
    )
