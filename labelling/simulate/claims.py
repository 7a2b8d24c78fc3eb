"""Every claim that somebody could write down of the simulated world.

A row is a claim: a fact (`trap` is null) or a trap, named by the error kind that writing it would
be. `at` is the 0-based position of its last sentence among the session's user (or assistant) turns,
`before` that of its first sentence where it needs two. Claims with an invented scope or a mistyped
value rest on the sentences of a fact; all others have their own.
"""

import numpy as np
import numpy.typing as npt
import polars as pl

from labelling.simulate.streams import stream
from labelling.simulate.world import World

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SAID = (None, "situational", "assistant_claim", "third_person")
"""What stands in the transcripts: facts, and traps of these kinds."""
_VALUES = 450


def make_claims(world: World, sessions: pl.DataFrame, seed: int) -> pl.DataFrame:
    """All claims: those that are said in the order of sessions, then those that rest on facts.

    Columns: claim (row number), rests_on (the claim whose sentences it rests on), those of
    `sessions`, trap, form, ambiguous, durable (should be written), at, before, kind, scope, slot,
    value, epoch (how often the value changed before), polarity, dated, expires_at, difficulty
    (standard normal: of finding it).
    """
    said = pl.concat(_said(world, sessions, trap, seed) for trap in SAID)
    placed = said.sort("session", maintain_order=True).join(
        sessions, on="session", maintain_order="left"
    )
    filled = _filled(world, placed, seed).with_row_index("rests_on")
    facts = filled.filter(pl.col("trap").is_null())
    claims = pl.concat([filled, _scope_invented(facts), _mistyped(facts)])
    difficulty = stream(seed, "difficulty").standard_normal(claims.height)
    return claims.with_columns(difficulty=difficulty).with_row_index("claim")


def _said(world: World, sessions: pl.DataFrame, trap: str | None, seed: int) -> pl.DataFrame:
    """Claims of one kind that stand in the transcripts, and where."""
    rng = stream(seed, "claims", trap or "fact")
    length = sessions["length"].to_numpy()
    counts = rng.poisson(world.rate(trap) * length * sessions["activity"].to_numpy())
    session = np.repeat(np.arange(len(counts)), counts)
    n, fact = len(session), trap is None
    form = _forms(world, rng.random(n)) if fact else np.full(n, "stated")
    ambiguous = (rng.random(n) < world.ambiguous_share) & fact
    should = np.where(ambiguous, rng.random(n) < 0.5, fact)
    two = form == "multi_turn"
    at, before = _places(rng, length[session], two, early=trap == "assistant_claim")
    return pl.DataFrame(
        {
            "session": session,
            "form": pl.Series(form, dtype=pl.String),
            "ambiguous": ambiguous,
            "durable": should,
            "at": at,
            "before": pl.Series(before).set(pl.Series(~two), None),
            "dated": (rng.random(n) < world.dated_share) & (form == "stated") & fact,
        }
    ).with_columns(trap=pl.lit(trap, pl.String))


def _forms(world: World, draws: npt.NDArray[np.float64]) -> npt.NDArray[np.str_]:
    limits = [world.oblique_share, world.oblique_share + world.multi_turn_share]
    return np.array(["oblique", "multi_turn", "stated"])[np.searchsorted(limits, draws, "right")]


def _places(
    rng: np.random.Generator, length: Ints, two: Flags, *, early: bool
) -> tuple[Ints, Ints]:
    """Where the last and the first sentence stand; `early` leaves a user turn after the last."""
    least = two.astype(np.int64)
    at = least + (rng.random(len(length)) * (length - least - early)).astype(np.int64)
    return at, (rng.random(len(length)) * at).astype(np.int64)


def _filled(world: World, placed: pl.DataFrame, seed: int) -> pl.DataFrame:
    """What each claim says. No two claims of a session are about one slot in one scope."""
    first = pl.Series(stream(seed, "slots").integers(world.slots, size=world.sessions))
    number = pl.int_range(pl.len()).over("session")
    slot, user = pl.col("slot"), pl.col("user")
    scoped = (pl.col("layer") > 0) | ((user + 3 * slot) % 5 == 0)
    ends = pl.col("dated") | pl.col("trap").eq_missing("situational")
    day = pl.col("started_at").dt.truncate("1d")
    lasts = pl.duration(days=pl.when("dated").then(200).otherwise(3 + slot % 11))
    return (
        placed.with_columns(
            layer=number // world.slots,
            slot=(number + first.gather(placed["session"])) % world.slots,
        )
        .with_columns(
            kind=pl.when(slot % 2 == 0).then(pl.lit("fact")).otherwise(pl.lit("preference")),
            scope=pl.when(scoped)
            .then(pl.format("project:{}", pl.col("layer") + 1))
            .otherwise(pl.lit("global")),
            polarity=(user + slot) % 11 != 0,
            expires_at=pl.when(ends).then(day + lasts),
        )
        .pipe(_valued, world, seed)
    )


def _valued(claims: pl.DataFrame, world: World, seed: int) -> pl.DataFrame:
    """Users keep their values, until a restatement in a later session brings another one.

    The values of traps are out of the range of facts.
    """
    draws = pl.Series(stream(seed, "changes").random(claims.height))
    trap = pl.col("trap").is_not_null()
    own = ["user", "slot", "layer", trap]
    again = pl.int_range(pl.len()).over(own) > 0
    base = (131 * pl.col("user") + 17 * pl.col("slot") + 71 * pl.col("layer")) % _VALUES
    return (
        claims.with_columns(changes=(draws < world.changing_share) & again & ~trap)
        .with_columns(epoch=pl.col("changes").cum_sum().over(own).cast(pl.Int64))
        .with_columns(value=1000 * pl.col("epoch") + 100 + base + trap * _VALUES)
        .drop("changes")
    )


def _trap(facts: pl.DataFrame, kind: str) -> pl.DataFrame:
    no = pl.lit(False)
    return facts.with_columns(trap=pl.lit(kind), ambiguous=no, durable=no, dated=no)


def _scope_invented(facts: pl.DataFrame) -> pl.DataFrame:
    """A project's fact made global, a global one made a project's."""
    everywhere = pl.col("scope") == "global"
    scope = pl.when(everywhere).then(pl.lit("project:0")).otherwise(pl.lit("global"))
    return _trap(facts, "scope_invented").with_columns(scope=scope)


def _mistyped(facts: pl.DataFrame) -> pl.DataFrame:
    return _trap(facts, "other").with_columns(value=pl.col("value") + 500)
