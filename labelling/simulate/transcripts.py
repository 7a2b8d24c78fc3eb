"""The simulated transcripts as tables: `sessions`, `turns`, and what users did in `events`."""

from collections.abc import Sequence

import polars as pl

from labelling.simulate import wording
from labelling.simulate.gates import GateModel
from labelling.tables import columns, empty

SOURCE = "simulated"
"""`source_format` of every simulated session."""


def session_rows(sessions: pl.DataFrame) -> pl.DataFrame:
    """Table `sessions`."""
    return sessions.select(
        "session_id",
        "user_id",
        "started_at",
        partner=pl.lit("assistant"),
        split="split",
        licence=pl.lit(None, pl.String),
        source_format=pl.lit(SOURCE),
        source_ref=pl.format("session {}", "session"),
    )


def turn_rows(sessions: pl.DataFrame, pieces: pl.DataFrame) -> pl.DataFrame:
    """Table `turns`."""
    spans = columns("turns")["injected_spans"]
    said = wording.turns(pieces).join(sessions, on="session", maintain_order="left")
    return said.select(
        "session_id",
        "turn",
        role=wording.ROLE,
        speaker=wording.ROLE,
        text="text",
        at=minute(),
        tokens=pl.lit(None, pl.Int64),
        hidden=pl.lit(False),
        injected_spans=pl.lit([], spans),
        source_ref=pl.format("session {} turn {}", "session", "turn"),
    )


def event_rows(models: Sequence[GateModel], proposals: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Table `events`: a press for each record of a button, an offer and an answer of an asker."""
    answer = pl.when(pl.col("verdict") == "admit").then(pl.lit("confirmation_accepted"))
    what = {
        "press": [pl.lit("remember_pressed")],
        "ask": [pl.lit("confirmation_offered"), answer.otherwise(pl.lit("confirmation_declined"))],
    }
    happened = (
        _events(rows, event)
        for model, rows in zip(models, proposals, strict=True)
        for event in what.get(model.door, ())
    )
    return pl.concat([empty("events"), *happened])


def minute() -> pl.Expr:
    """When a turn was said: they come a minute apart."""
    return pl.col("started_at") + pl.duration(minutes=pl.col("turn"))


def _events(proposals: pl.DataFrame, event: pl.Expr) -> pl.DataFrame:
    return proposals.select(
        "session_id", "turn", event=event, statement="statement", at=minute()
    ).unique(maintain_order=True)
