"""What simulated gates offered, as rows of `proposals` and `gate_turns`."""

import polars as pl

from labelling.simulate.gates import GateModel, latencies
from labelling.tables import columns, content_id


def proposals(model: GateModel, offers: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """Rows of `proposals` in the order of sessions and turns, with claim and started_at beside."""
    claims = truth.select(
        "claim",
        "session_id",
        "started_at",
        "fact_id",
        *("evidence", "quote", "statement", "kind", "scope", "slot", "value", "polarity"),
        # what is situational comes as if it would last
        expires_at=pl.when("dated").then("expires_at"),
    )
    rows = offers.join(claims, on="claim", maintain_order="left").with_columns(
        turn=(2 * pl.col("run")).cast(pl.Int32)
    )
    places = rows.select("session_id", "turn", "fact_id", "nth").iter_rows()
    ids = [content_id(model.gate, model.setting, *place) for place in places]
    return (
        rows.with_columns(
            pl.Series("proposal_id", ids, pl.String),
            gate=pl.lit(model.gate),
            setting=pl.lit(model.setting),
            score_kind=pl.when(pl.col("score").is_not_null()).then(pl.lit("simulated")),
            rule_id=pl.lit(None, pl.String),
            basis=pl.lit("live"),
        )
        .select(*columns("proposals"), "claim", "started_at")
        .sort("session_id", "turn", "proposal_id")
    )


def gate_turns(
    model: GateModel, made: pl.DataFrame, sessions: pl.DataFrame, seed: int
) -> pl.DataFrame:
    """Rows of `gate_turns`: one a user turn, with how many of the proposals `made` came of it."""
    runs = sessions.select(
        "session_id", turn=pl.int_ranges(0, 2 * pl.col("length"), 2, dtype=pl.Int32)
    ).explode("turn")
    counts = made.group_by("session_id", "turn").agg(proposals=pl.len().cast(pl.Int32))
    none = pl.lit(None, pl.Int64)
    return (
        runs.join(counts, on=["session_id", "turn"], how="left", maintain_order="left")
        .with_columns(
            pl.col("proposals").fill_null(0),
            pl.Series("latency_ms", latencies(model, runs.height, seed)),
            gate=pl.lit(model.gate),
            setting=pl.lit(model.setting),
            on_path=pl.lit(model.on_path),
            tokens_in=none,
            tokens_out=none,
            cost=pl.lit(model.cost_per_run),
            failure=pl.lit(None, pl.String),
            basis=pl.lit("live"),
        )
        .select(list(columns("gate_turns")))
    )
