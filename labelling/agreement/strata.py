"""Parts of the candidates that agreement is told for.

`proposed` (the headline), `all`, the other routes (`sampled`, `read`, `added`), `kind:fact` and
`kind:preference`, and `time:<ISO week>`, the UTC week in which the second of the answers came, when
there first was anything to agree on. A row is a candidate in one stratum.
"""

import polars as pl

HEADLINES = ("proposed", "all")
"""Told even where there is nothing to tell."""

_ROUTES = (*HEADLINES, "sampled", "read", "added")


def strata(answers: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, stratum; weeks are those of these annotators' answers alone."""
    key = pl.col("candidate_id")
    return pl.concat(
        [
            candidates.select(key, stratum=pl.lit("all")),
            candidates.select(key, stratum="strata").explode("stratum"),
            _named(candidates.select(key, name="kind"), "kind"),
            _named(_weeks(answers), "time"),
        ]
    )


def in_order(names: list[str]) -> list[str]:
    """Headlines, other routes, then kinds and weeks."""
    return sorted(names, key=lambda name: (_ROUTES.index(name) if name in _ROUTES else 9, name))


def _weeks(answers: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, name: the week of the second answer."""
    times = answers.filter(question="write").group_by("candidate_id").agg(pl.col("at").sort())
    second = pl.col("at").list.get(1, null_on_oob=True)
    return times.select("candidate_id", name=second.dt.strftime("%G-W%V"))


def _named(found: pl.DataFrame, what: str) -> pl.DataFrame:
    named = pl.concat_str(pl.lit(f"{what}:"), "name")
    return found.drop_nulls().select("candidate_id", stratum=named)
