"""Observations, a rule and a day -> `promotions`: what is promoted, and what holds the rest back.

A row is a user and a claim with an observation on or before the day. Guards are asked in the order
of `GUARDS`, the first that fails is named; counts and evidence are of the rows that count, those at
most `window_days` old. Definitions: DESIGN section 5; chapter 2.
"""

from datetime import date
from typing import Any

import polars as pl

from analysis.observations import Rows, as_log, distinct, generalises
from analysis.promotion.rule import PromotionRule
from labelling.tables import InputError, columns

GUARDS = (
    "window",
    "min_observations",
    "min_sessions",
    "contradicted",
    "explained_by_output",
    "same_topic",
    "superseded",
)
"""Why a claim is held back, in the order asked; a generalisation can fail the fourth and last."""
GENERALISED = "explicit_generalisation"
REPEATED = "repeated_across_sessions"

_OWNER = ["user_id", "claim"]
_EVIDENCE = ("session", "turn", "quote", "at", "prior_output_tokens")


def promote(
    observations: Rows, rule: PromotionRule | None = None, *, as_of: date | str
) -> pl.DataFrame:
    """The table `promotions` of one rule (the chapter's where none is given) on one day.

    `observations` as in `analysis.observations`; `as_of` a day, or its ISO text. Later rows do not
    count. Raises InputError for a log or a day that cannot be read.
    """
    rule, day = rule or PromotionRule(), as_day(as_of)
    log = distinct(as_log(observations)).rename({"obs": "claim"})
    seen = log.filter(pl.col("day") <= day).with_columns(
        counts=(day - pl.col("day")).dt.total_days() <= rule.window_days,
        general=generalises(log.filter(pl.col("day") <= day)["quote"], rule.generalising),
    )
    claims = _against(_claims(seen), rule)
    guard = _guard(rule)
    rows = claims.with_columns(
        guard=guard,
        promoted=guard.is_null(),
        reason=pl.when(guard.is_null()).then(
            pl.when(_generalised()).then(pl.lit(GENERALISED)).otherwise(pl.lit(REPEATED))
        ),
        as_of=pl.lit(day),
        rule=pl.lit(rule.as_json),
    )
    return rows.select(list(columns("promotions"))).sort(_OWNER)


def as_day(day: date | str) -> date:
    """A day, of itself or its ISO text; raises InputError."""
    try:
        return (
            date.fromisoformat(day) if isinstance(day, str) else date(day.year, day.month, day.day)
        )
    except (ValueError, AttributeError) as error:
        raise InputError(f"as_of is {day!r}", expected="a day such as 2026-03-05") from error


def _claims(seen: pl.DataFrame) -> pl.DataFrame:
    """What the counted rows of each user and claim come to; those without any are there too."""
    nth = seen.with_row_index("nth")
    lengths, topics = pl.col("prior_output_tokens"), pl.col("topic")
    counted = (
        nth.filter("counts")
        .group_by(_OWNER, maintain_order=True)
        .agg(
            n_observations=pl.len().cast(pl.Int64),
            n_sessions=pl.col("session").n_unique().cast(pl.Int64),
            said=pl.col("nth").filter("general").max(),
            shortest=lengths.min(),
            longest=lengths.max(),
            lengths=lengths.count(),
            topics=topics.drop_nulls().n_unique(),
            with_topic=topics.count(),
            evidence=pl.struct(_EVIDENCE),
        )
    )
    every = seen.select(_OWNER).unique(maintain_order=True)
    joined = every.join(counted, on=_OWNER, how="left", maintain_order="left")
    zero = pl.col("n_observations", "n_sessions", "lengths", "topics", "with_topic")
    return joined.with_columns(zero.fill_null(0), pl.col("evidence").fill_null([]))


def _against(claims: pl.DataFrame, rule: PromotionRule) -> pl.DataFrame:
    """With `against` (most sessions of a live opposite, else 0) and `later` (its latest phrase)."""
    pairs = pl.DataFrame(
        rule.opponents(), schema={"claim": pl.String, "opposite": pl.String}, orient="row"
    )
    other = claims.select("user_id", opposite="claim", against="n_sessions", later="said")
    found = (
        claims.select(_OWNER)
        .join(pairs, on="claim")
        .join(other, on=["user_id", "opposite"])
        .group_by(_OWNER)
        .agg(pl.col("against", "later").max())
    )
    joined = claims.join(found, on=_OWNER, how="left", maintain_order="left")
    return joined.with_columns(pl.col("against").fill_null(0))


def _generalised() -> pl.Expr:
    return pl.col("said").is_not_null()


def _guard(rule: PromotionRule) -> pl.Expr:
    """The first guard that fails, null where none does."""
    fails = _fails(rule)
    both_ways = {
        "superseded",
        *(() if rule.generalising_skips_contradiction else ("contradicted",)),
    }
    asked = [
        fails[name] & (~_generalised() if name not in both_ways else pl.lit(value=True))
        for name in GUARDS
    ]
    return pl.coalesce(
        pl.when(failing).then(pl.lit(name)) for name, failing in zip(GUARDS, asked, strict=True)
    )


def _fails(rule: PromotionRule) -> dict[str, pl.Expr]:
    """Whether each guard fails; one that is switched off never does."""
    n, sessions, against = pl.col("n_observations"), pl.col("n_sessions"), pl.col("against")
    contradicted: dict[str, Any] = {
        "hold": against > 0,
        "majority": (against > 0) & (sessions <= against),
        "ignore": pl.lit(value=False),
    }
    one_topic = (pl.col("with_topic") >= 2) & (pl.col("topics") == 1)
    return {
        "window": n == 0,
        "min_observations": n < rule.min_observations,
        "min_sessions": sessions < rule.min_sessions,
        "contradicted": contradicted[rule.contradiction],
        "explained_by_output": _explained(rule) & rule.explained_by_output,
        "same_topic": one_topic & rule.same_topic,
        "superseded": _generalised()
        & (pl.col("later") > pl.col("said")).fill_null(value=False)
        & rule.later_generalisation_wins,
    }


def _explained(rule: PromotionRule) -> pl.Expr:
    """Whether the length of the answers alone explains the complaints about it."""
    least, most = pl.col("shortest"), pl.col("longest")
    varied = (pl.col("lengths") >= 2) & (most >= rule.min_length_ratio * least)
    short = least <= rule.short_output_tokens
    long = most >= rule.long_output_tokens
    about = pl.col("claim")
    explained = (
        pl.when(about.is_in(list(rule.too_long)))
        .then(~(varied & short))
        .when(about.is_in(list(rule.too_short)))
        .then(~(varied & long))
        .otherwise(pl.lit(value=False))
    )
    return explained.fill_null(value=True)
