"""What is said in the simulated world: plain sentences that say nothing real.

A row of `pieces` is a sentence: session, turn (0-based in the session: user turns are even,
assistant turns odd), claim (null: it carries none), part (0, or 1 for the second of two sentences),
words, start and end (code points of the turn's text, end exclusive). A turn's text is its pieces
with a space between.
"""

import polars as pl

_VALUE = pl.format(
    "{}value {}", pl.when("polarity").then(pl.lit("")).otherwise(pl.lit("never ")), "value"
)
_SLOT = pl.format("setting {}", "slot")
_WHERE = (
    pl.when(pl.col("scope") == "global")
    .then(pl.lit(""))
    .otherwise(pl.format(" in {}", pl.col("scope").str.replace(":", " ")))
)
ROLE = pl.when(pl.col("turn") % 2 == 0).then(pl.lit("user")).otherwise(pl.lit("assistant"))
_DAY = pl.col("expires_at").dt.to_string("%Y-%m-%d")


def stated() -> dict[str, pl.Expr]:
    """Columns of `truth` and `proposals` that a claim's words make."""
    return {
        "statement": pl.format("S{} is {}{}.", _SLOT.str.slice(1), _VALUE, _WHERE),
        "slot": pl.format("setting_{}", "slot"),
        "value": pl.col("value").cast(pl.String),
    }


def pieces(sessions: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Every sentence of every turn, in order."""
    own = claims.filter(pl.col("claim") == pl.col("rests_on"))
    said = pl.concat([_fillers(sessions), _first_sentences(own), _sentences(own)])
    length = pl.col("words").str.len_chars().cast(pl.Int32)
    # a filler opens the turn or closes it
    order = pl.when(pl.col("claim").is_not_null()).then(1).otherwise(pl.col("turn") % 4)
    ends = (length + 1).cum_sum().over("session", "turn") - 1
    return (
        said.sort("session", "turn", order, "claim", "part")
        .with_columns(end=ends.cast(pl.Int32))
        .with_columns(start=pl.col("end") - length)
    )


def turns(pieces: pl.DataFrame) -> pl.DataFrame:
    """session, turn, text: a row a turn, in order."""
    return pieces.group_by("session", "turn", maintain_order=True).agg(
        text=pl.col("words").str.join(" ")
    )


def evidence(pieces: pl.DataFrame) -> pl.DataFrame:
    """claim, evidence, quote, turn (of its last sentence): a row a claim with sentences."""
    return (
        pieces.drop_nulls("claim")
        .sort("claim", "part")
        .group_by("claim", maintain_order=True)
        .agg(
            evidence=pl.struct("turn", ROLE.alias("role"), "start", "end"),
            quote=pl.col("words").str.join(" … "),
            turn=pl.col("turn").last(),
        )
    )


def _fillers(sessions: pl.DataFrame) -> pl.DataFrame:
    turn = pl.int_ranges(0, 2 * pl.col("length"), dtype=pl.Int32)
    every = sessions.select("session", turn=turn).explode("turn")
    number = pl.col("turn") // 2
    words = (
        pl.when(pl.col("turn") % 2 == 0)
        .then(pl.format("Sentence {} of this talk asks for nothing.", number))
        .otherwise(pl.format("Answer {} of this talk says nothing.", number))
    )
    return every.select(
        "session", "turn", claim=pl.lit(None, pl.UInt32), part=pl.lit(0), words=words
    )


def _first_sentences(claims: pl.DataFrame) -> pl.DataFrame:
    words = pl.format("About {}{}, then.", _SLOT, _WHERE)
    return _piece(claims.drop_nulls("before"), "before", 0, words)


def _sentences(claims: pl.DataFrame) -> pl.DataFrame:
    trap = pl.col("trap")
    until = pl.when("dated").then(pl.format("Until {} my", _DAY)).otherwise(pl.lit("My"))
    words = (
        pl.when(trap == "situational")
        .then(pl.format("Just until {} my {} is {}{}.", _DAY, _SLOT, _VALUE, _WHERE))
        .when(trap == "assistant_claim")
        .then(pl.format("Your {} is {}{}.", _SLOT, _VALUE, _WHERE))
        .when(trap == "third_person")
        .then(pl.format("A colleague's {} is {}{}.", _SLOT, _VALUE, _WHERE))
        .when(pl.col("form") == "oblique")
        .then(pl.format("It came to {} after all with {}{}.", _VALUE, _SLOT, _WHERE))
        .when(pl.col("form") == "multi_turn")
        .then(pl.format("There it is {}, as ever.", _VALUE))
        .otherwise(pl.format("{} {} is {}{}.", until, _SLOT, _VALUE, _WHERE))
    )
    return _piece(claims, "at", 1, words)


def _piece(claims: pl.DataFrame, place: str, part: int, words: pl.Expr) -> pl.DataFrame:
    odd = pl.col("trap").eq_missing("assistant_claim").cast(pl.Int32)
    turn = (2 * pl.col(place) + odd).cast(pl.Int32)
    return claims.select("session", turn=turn, claim="claim", part=pl.lit(part), words=words)
