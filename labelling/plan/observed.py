"""A study's own figures as assumptions: a pilot says what the next study may suppose.

Precision, recall and write rate are those of the headline in `operating_points`; how alike the
cases of a user are is measured on all users.
"""

from collections.abc import Mapping

import polars as pl
from numpy.typing import ArrayLike

from labelling.console import warn_if_stale
from labelling.plan.assumptions import Assumptions, DesignEffects, GateFigures
from labelling.settings import one_setting
from labelling.statistics import Interval, per_unit, rate_interval, ratio, share_interval
from labelling.statistics.interval import Numbers
from labelling.statistics.units import numbers
from labelling.tables import InputError, read, simulated
from labelling.tables.decisions import decisions

TABLES = (
    "operating_points",
    "captures",
    "proposals",
    "reference_facts",
    "candidates",
    "labels",
    "turns",
    "sessions",
)
MOST_ALIKE = 0.9
"""How alike a user's cases are at most; a larger effect says only that there were few."""

Tables = Mapping[str, pl.DataFrame]


def observed(study: str, gate: str, against: str | None = None) -> Assumptions:
    """What the study says of a gate (`gate` or `gate/setting`), and of one to compare it with.

    Raises InputError where the study does not say it.
    """
    warn_if_stale(study, "operating_points", "captures")
    tables = {name: read(study, name) for name in TABLES}
    # as in the headline: the points and captures beside them are of it, too
    agreed = tables["reference_facts"].filter(pl.col("source") != "adjudicated")
    tables["reference_facts"] = agreed
    points = tables["operating_points"].filter(
        pl.col("variant") == "headline", pl.col("threshold").is_null()
    )
    first = one_setting(gate, points, study)
    other = None if against is None else one_setting(against, points, study)
    sessions = tables["sessions"]
    turns = _assistant_turns(tables["turns"]).height
    facts = tables["reference_facts"].drop_nulls("weight")
    certain, sampled = (facts.filter((pl.col("weight") > 1) == flag) for flag in (False, True))
    decided = decisions(tables["labels"], tables["candidates"])["decision"]
    split, judged = (decided == "disputed").sum(), (decided != "unjudged").sum()
    users = sessions["user_id"].n_unique()
    return Assumptions(
        gate=_figures(points, first, study),
        other=None if other is None else _figures(points, other, study),
        effects=_effects(tables, first),
        turns_per_session=max(ratio(turns, sessions.height) or 1.0, 1.0),
        sessions_per_user=ratio(sessions.height, users) or 1.0,
        base_rate=_known(points, first, "base_rate", study),
        certain_share=_share(certain["weight"], facts["weight"]),
        sample_share=_share(pl.Series([float(sampled.height)]), sampled["weight"]),
        disputed_share=ratio(int(split), int(judged)) or 0.0,
        candidates_per_turn=ratio(tables["candidates"].height, turns),
    )


def told(study: str, gate: str) -> str:
    """Where these assumptions come from, and what they are where they are no evidence."""
    return f"study {study}, {gate}" + (", a simulated world" if simulated(study) else "")


def _figures(points: pl.DataFrame, setting: tuple[str, str], study: str) -> GateFigures:
    names = ("write_rate", "precision", "recall")
    return GateFigures(*(_known(points, setting, name, study) for name in names))


def _known(points: pl.DataFrame, setting: tuple[str, str], column: str, study: str) -> float:
    (row,) = points.filter(gate=setting[0], setting=setting[1]).head(1).to_dicts()
    if row[column] is None:
        why = next((r["reason"] for r in row["reasons"] if r["column"] == column), "undefined")
        raise InputError(
            f"study {study!r} says no {column} of {'/'.join(setting)}: {why}",
            expected="a gate with judged records and found facts",
            then="plan without --gate, stating the figures",
        )
    return float(row[column])


def _share(some: pl.Series, everything: pl.Series) -> float:
    return ratio(float(some.sum()), float(everything.sum())) or 1.0


def _assistant_turns(turns: pl.DataFrame) -> pl.DataFrame:
    return turns.filter(pl.col("role") == "assistant", ~pl.col("hidden"))


def _effects(tables: Tables, setting: tuple[str, str]) -> DesignEffects:
    """How much more the counts of users vary than independent cases would."""
    of = dict(tables["sessions"].select("session_id", "user_id").iter_rows())
    users = pl.Series(sorted(set(of.values())), dtype=pl.String)

    def count(rows: pl.DataFrame) -> Numbers:
        return per_unit(users, rows["session_id"].replace_strict(of, return_dtype=pl.String))

    own = {"gate": setting[0], "setting": setting[1]}
    admitted = tables["proposals"].filter(verdict="admit", **own)
    judged = (
        tables["captures"]
        .filter(**own)
        .join(admitted.select("proposal_id", "session_id"), on="proposal_id")
    )
    right = judged.filter(status="correct")
    decided = judged.filter(pl.col("status").is_in(["correct", "wrong"]))
    facts = tables["reference_facts"].filter(pl.col("weight") == 1)
    found = facts.filter(pl.col("fact_id").is_in(right["fact_id"].drop_nulls().implode()))
    turns = count(_assistant_turns(tables["turns"]))
    return DesignEffects(
        precision=share_effect(count(right), count(decided)),
        recall=share_effect(count(found), count(facts)),
        write_rate=rate_effect(count(admitted), turns),
    )


def share_effect(right: ArrayLike, cases: ArrayLike) -> float:
    """The design effect of a share: how many times the variance between users is that of
    independent cases, from 1; 1 where nothing is known of it.

    Arrays have one number a user. What would say that all cases of a user are the same is cut.
    """
    n = numbers(cases)
    found = share_interval(right, n)
    typical = ratio(float((n**2).sum()), float(n.sum())) or 1.0
    most = 1 + MOST_ALIKE * max(typical - 1, 0.0)
    p = found.value or 0.0
    return min(_effect(found, n, ratio(p * (1 - p), float(n.sum()))), most)


def rate_effect(events: ArrayLike, exposure: ArrayLike) -> float:
    """The design effect of a rate, likewise."""
    found = rate_interval(events, exposure)
    variance = ratio((found.value or 0.0) ** 2, float(numbers(events).sum()))
    return _effect(found, numbers(exposure), variance)


def _effect(found: Interval, sizes: Numbers, independent: float | None) -> float:
    """Variance between users / variance of independent cases (with m / (m - 1))."""
    if found.influence is None or not independent:
        return 1.0
    left = 1 - sizes / sizes.sum()
    if left.min() <= 0:
        return 1.0
    return max(float((found.influence**2 / left).sum()) / independent, 1.0)
