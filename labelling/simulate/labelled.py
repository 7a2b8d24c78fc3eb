"""What simulated annotators were given to label: table `candidates`, and by which route it came.

Every proposal's claim is a candidate. What no gate proposed is found in a session that was read
whole, or as a sentence that was drawn; both with known probability. A sentence that turns out to
hold no fact has the probability that a fact there would have had.
"""

import polars as pl

from labelling.sampling import union
from labelling.simulate.streams import stream
from labelling.simulate.world import World
from labelling.tables import claim_key, columns, content_id

_RAW = ("kind", "scope", "slot", "value", "polarity")
"""What a drawn sentence says nothing of."""


def read_sessions(world: World, sessions: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The sessions that the annotators read whole."""
    draws = stream(seed, "readings").random(sessions.height)
    return sessions.filter(pl.Series(draws < world.read_share))


def drawn_sentences(world: World, pieces: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The pieces of user turns that are drawn, unless a gate proposed their claim."""
    mine = pieces.filter(pl.col("turn") % 2 == 0)
    draws = stream(seed, "sentences").random(mine.height)
    return mine.filter(pl.Series(draws < world.sample_share))


def claim_candidates(
    world: World,
    truth: pl.DataFrame,
    proposals: pl.DataFrame,
    read: pl.DataFrame,
    drawn: pl.DataFrame,
) -> pl.DataFrame:
    """Candidates that are claims; a sentence that was only drawn has no slot, scope or kind."""
    ids = proposals.group_by("claim").agg(proposal_ids=pl.col("proposal_id").sort())
    own = pl.col("claim") == pl.col("rests_on")
    fact = pl.col("trap").is_null()
    routes = truth.join(ids, on="claim", how="left", maintain_order="left").with_columns(
        proposed=pl.col("proposal_ids").is_not_null(),
        read=fact & pl.col("session").is_in(read["session"].implode()),
        drawn=own & pl.col("claim").is_in(drawn["claim"].drop_nulls().implode()),
    )
    found = routes.filter(pl.col("proposed") | pl.col("read") | pl.col("drawn"))
    raw = ~pl.col("proposed") & ~pl.col("read")
    missed = (1 - world.read_share) * (1 - world.sample_share) ** pl.col("evidence").list.len()
    return _rows(
        found.with_columns(
            *(pl.when(~raw).then(name).alias(name) for name in _RAW),
            statement=pl.when(raw).then("quote").otherwise("statement"),
            strata=pl.when("proposed").then(pl.lit(["proposed"])).otherwise(_strata()),
            inclusion_probability=pl.when("proposed").then(1.0).otherwise(1 - missed),
            expires_at=pl.when("dated").then("expires_at"),
            proposal_ids=pl.col("proposal_ids").fill_null([]),
            candidate_id="fact_id",
        )
    )


def empty_candidates(world: World, sessions: pl.DataFrame, drawn: pl.DataFrame) -> pl.DataFrame:
    """Candidates that are drawn sentences without a claim."""
    rows = drawn.filter(pl.col("claim").is_null()).join(
        sessions, on="session", maintain_order="left"
    )
    ids = [
        content_id(session_id, None, None, None, claim_key(words, None, None))
        for session_id, words in rows.select("session_id", "words").iter_rows()
    ]
    place = pl.struct("turn", pl.lit("user").alias("role"), "start", "end")
    return _rows(
        rows.with_columns(
            pl.Series("candidate_id", ids, pl.String),
            *(
                pl.lit(None, columns("candidates")[name]).alias(name)
                for name in (*_RAW, "expires_at")
            ),
            evidence=pl.concat_list(place),
            quote="words",
            statement="words",
            strata=pl.lit(["sampled"]),
            inclusion_probability=pl.lit(union([world.read_share, world.sample_share])),
            proposal_ids=pl.lit([], pl.List(pl.String)),
        )
    )


def _strata() -> pl.Expr:
    sampled = pl.when("drawn").then(pl.lit(["sampled"])).otherwise(pl.lit([], pl.List(pl.String)))
    read = pl.when("read").then(pl.lit(["read"])).otherwise(pl.lit([], pl.List(pl.String)))
    return pl.concat_list(sampled, read)


def _rows(found: pl.DataFrame) -> pl.DataFrame:
    return found.with_columns(round=pl.lit(1, pl.Int32)).select(list(columns("candidates")))
