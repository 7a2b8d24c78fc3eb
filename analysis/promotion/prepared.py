"""A log as arrays, made once and asked often: the rows of each user together, in order of time.

Users, the *pairs* (user, claim) of a user, and the sessions and topics of a pair are numbers, so
that a whole grid of rules is counted in one pass over the rows. What a rule says in words is in
here, too: which quotes generalise, which claims contradict each other, which are about lengths.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.observations import Rows, as_log, distinct, generalises
from analysis.promotion.rule import PromotionRule

Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]

NONE = -1
"""Stands for a length or a topic that is not known."""
_SHIFT = 1 << 32
_ABOUT = {"too_long": 1, "too_short": 2}
_WORDS = ("opposites", "generalising", "too_long", "too_short")


class Arrays(NamedTuple):
    """Rows: pair, day (since 1970), session and topic (numbered within all pairs), general, length.

    The rows of user u are `rows_of[u]:rows_of[u + 1]`, its pairs likewise; `about` of a pair: 1 too
    long, 2 too short, 0 neither; the pairs that contradict pair p are
    `opponents[opponents_of[p]:opponents_of[p + 1]]`.
    """

    pair: Numbers
    day: Numbers
    session: Numbers
    topic: Numbers
    general: NDArray[np.bool_]
    length: Offsets
    rows_of: Offsets
    pairs_of: Offsets
    about: Numbers
    opponents: Numbers
    opponents_of: Offsets


@dataclass(frozen=True)
class Prepared:
    """`pairs` {user_id, claim} in the order of their numbers, the rows, and the rule's words."""

    pairs: pl.DataFrame
    rows: Arrays
    words: tuple[Any, ...]


def prepare(observations: Rows | Prepared, rule: PromotionRule) -> Prepared:
    """The arrays of a log, for every rule with the same words; what fits already is kept.

    Raises InputError for a log that cannot be read; ValueError for arrays of other words.
    """
    words = tuple(getattr(rule, name) for name in _WORDS)
    if isinstance(observations, Prepared):
        if observations.words != words:
            raise ValueError(f"the log was prepared for other {', '.join(_WORDS)}")
        return observations
    rows = _numbered(distinct(as_log(observations)))
    pairs = rows.select("user", "pair", "user_id", claim="obs").unique("pair").sort("pair")
    opponents, opponents_of = _opponents(pairs, rule)
    arrays = Arrays(
        pair=_array(rows["pair"]),
        day=_array(rows["day"].to_physical()),
        session=_array(rows["session_number"]),
        topic=_array(rows["topic_number"]),
        general=generalises(rows["quote"], rule.generalising).to_numpy().copy(),
        length=rows["prior_output_tokens"].fill_null(NONE).to_numpy().copy(),
        rows_of=_starts(rows["user"]),
        pairs_of=_starts(pairs["user"]),
        about=_array(_about(pairs["claim"], rule)),
        opponents=opponents,
        opponents_of=opponents_of,
    )
    return Prepared(pairs.select("user_id", "claim"), arrays, words)


def _numbered(log: pl.DataFrame) -> pl.DataFrame:
    """The log by user, each in order of time, with numbers for users, pairs, sessions, topics."""
    coded = log.with_columns(
        _code("user_id").alias("user"),
        pair=_code("user_id") * _SHIFT + _code("obs"),
        said_in=_code("session"),
        about=_code("topic"),
    ).sort("user", maintain_order=True)
    dense = coded.with_columns(pair=pl.col("pair").rank("dense").cast(pl.Int64) - 1)
    within = pl.col("pair") * _SHIFT
    return dense.with_columns(
        session_number=(within + pl.col("said_in")).rank("dense") - 1,
        topic_number=((within + pl.col("about")).rank("dense").cast(pl.Int64) - 1).fill_null(NONE),
    )


def _code(name: str) -> pl.Expr:
    """Equal texts have equal numbers, below 2^31, in the order in which they come first."""
    return pl.col(name).cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.Int64)


def _opponents(pairs: pl.DataFrame, rule: PromotionRule) -> tuple[Numbers, Offsets]:
    """The contradicting pairs of every pair, one after the other, and where each's begin."""
    schema = {"claim": pl.String, "opposite": pl.String}
    named = pl.DataFrame(rule.opponents(), schema=schema, orient="row")
    other = pairs.select("user", opposite="claim", opponent="pair")
    found = pairs.join(named, on="claim").join(other, on=["user", "opposite"]).sort("pair")
    starts = np.searchsorted(found["pair"].to_numpy(), np.arange(pairs.height + 1))
    return _array(found["opponent"]), starts.astype(np.int64)


def _about(claims: pl.Series, rule: PromotionRule) -> pl.Series:
    kinds = {claim: kind for name, kind in _ABOUT.items() for claim in getattr(rule, name)}
    return claims.replace_strict(kinds, default=0, return_dtype=pl.Int32)


def _starts(numbers: pl.Series) -> Offsets:
    """Where the rows of each number begin, and where the last end; numbers are sorted, from 0."""
    count = cast(int, numbers.max()) + 1 if len(numbers) else 0
    return np.searchsorted(numbers.to_numpy(), np.arange(count + 1)).astype(np.int64)


def _array(numbers: pl.Series) -> Numbers:
    return numbers.cast(pl.Int32).to_numpy().copy()
