"""All that one gate setting is scored on in one view, and how slices are cut and compared.

A `Slice` has the sessions the gate covered, their turns and facts, and what it offered there,
judged by the view's truth. Slices of one view and the same sessions (`paired`) can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import polars as pl

from analysis.parts import Ground, View, within


@dataclass(frozen=True)
class Slice:
    """All that one gate setting is scored on in one view.

    `offers`: what it wrote or would write at some threshold, judged: proposal_id, session_id, turn,
    verdict, score?, status, fact_id?, claim_id, how, error_kind?, in_doubt. `known`: facts
    {fact_id, score?, as_run} that it offered again after it had written them. `facts`, `disputed`:
    {fact_id, fact_key, session_id, weight?}.
    """

    ground: Ground
    variant: str
    kind: str
    offers: pl.DataFrame
    known: pl.DataFrame
    facts: pl.DataFrame
    disputed: pl.DataFrame

    @property
    def name(self) -> str:
        """Gate and setting, as one word for tables and commands."""
        return f"{self.ground.gate}/{self.ground.setting}"

    def records(self, threshold: float | None = None) -> pl.DataFrame:
        """What it wrote as it ran, or would write at a threshold (inclusive)."""
        written = (
            pl.col("verdict") == "admit" if threshold is None else pl.col("score") >= threshold
        )
        return self.offers.filter(written)

    @property
    def in_doubt(self) -> int:
        """Records that nobody judged, and that a decided pair would judge."""
        return int(self.records()["in_doubt"].sum())

    @property
    def mostly_in_doubt(self) -> bool:
        """Whether that is most of its records: then what is judged says little of the gate."""
        return 2 * self.in_doubt > self.records().height

    def again(self, threshold: float | None = None) -> pl.Series:
        """The facts it offered again after it had written them."""
        written = pl.col("as_run") if threshold is None else pl.col("score") >= threshold
        return self.known.filter(written)["fact_id"]


def slice_of(ground: Ground, view: View) -> Slice:
    """One gate setting in one view."""
    here = within(ground.sessions)
    places = ground.proposals.select("proposal_id", "session_id", "turn", "verdict", "score")
    judged = view.judged.captures.with_columns(
        in_doubt=pl.col("proposal_id").is_in(view.judged.in_doubt.implode())
    )
    offers = judged.join(places, on="proposal_id", how="inner", maintain_order="left")
    facts = view.truth.facts
    found = Slice(
        ground=ground,
        variant=view.variant,
        kind=view.truth.kind,
        offers=offers,
        known=_known(ground, view, offers),
        facts=facts.filter(here),
        disputed=view.truth.disputed.filter(here),
    )
    return per_user(found) if view.per_user else found


def of_users(whole: Slice, users: pl.Series) -> Slice:
    """The slice of some of its users."""
    people = whole.ground.part.sessions.filter(pl.col("user_id").is_in(users.implode()))
    return of_sessions(whole, people)


def of_sessions(whole: Slice, sessions: pl.DataFrame) -> Slice:
    """The slice of some of its sessions; what it wrote about others is left out."""
    here, ground = within(sessions), whole.ground
    facts = whole.facts.filter(here)
    names = ("sessions", "turns", "runs", "proposals")
    return replace(
        whole,
        ground=replace(ground, **{name: getattr(ground, name).filter(here) for name in names}),
        offers=whole.offers.filter(here),
        known=whole.known.join(facts, on="fact_id", how="semi"),
        facts=facts,
        disputed=whole.disputed.filter(here),
    )


def paired(slices: Sequence[Slice]) -> list[Slice]:
    """The slices cut to the sessions that every gate covered, so that they can be compared."""
    common = reduce(
        lambda left, right: left.join(right, on="session_id", how="semi"),
        (one.ground.sessions for one in slices),
    )
    return [of_sessions(one, common) for one in slices]


def per_user(found: Slice) -> Slice:
    """The slice with one fact a fact_key: captured if any restatement is, found by any route.

    A disputed candidate that restates an accepted fact is settled by it.
    """
    keys = dict(pl.concat([t.select("fact_id", "fact_key") for t in _both(found)]).iter_rows())
    as_key = pl.col("fact_id").replace(keys)
    return replace(
        found,
        offers=found.offers.with_columns(as_key),
        known=found.known.with_columns(as_key),
        facts=_merged(found.facts),
        disputed=_merged(found.disputed.join(found.facts, on="fact_key", how="anti")),
    )


def _both(found: Slice) -> tuple[pl.DataFrame, pl.DataFrame]:
    return found.facts, found.disputed


def _merged(facts: pl.DataFrame) -> pl.DataFrame:
    """A fact was found when any restatement was: 1 - the product of their chances to be missed."""
    missed = (1 - 1 / pl.col("weight")).drop_nulls().product()
    merged = (
        facts.sort("session_id", "fact_id")
        .group_by("fact_key", maintain_order=True)
        .agg(
            pl.col("session_id", "evidence_form").first(),
            weight=pl.when(pl.col("weight").is_not_null().any()).then(1 / (1 - missed)),
        )
    )
    return merged.with_columns(fact_id="fact_key").select(facts.columns)


def _known(ground: Ground, view: View, offers: pl.DataFrame) -> pl.DataFrame:
    """fact_id, score?, as_run: facts that were offered as known after a record captured their key.

    `score` is the highest threshold at which such a record is written.
    """
    keys = view.truth.facts.select("fact_id", "fact_key")
    order = ground.part.sessions.sort("started_at", "session_id").select("session_id")
    when = order.with_row_index("nth")
    places = ground.proposals.select("proposal_id", "session_id", "turn")
    again = view.judged.known.join(places, on="proposal_id").join(keys, on="fact_id")
    written = offers.filter(pl.col("status") == "correct").join(keys, on="fact_id")
    earlier = (
        again.join(when, on="session_id")
        .join(written.join(when, on="session_id"), on="fact_key", suffix="_record")
        .filter(
            (pl.col("nth_record") < pl.col("nth"))
            | ((pl.col("nth_record") == pl.col("nth")) & (pl.col("turn_record") < pl.col("turn")))
        )
    )
    return earlier.group_by("fact_id").agg(
        score=pl.col("score").max(), as_run=(pl.col("verdict") == "admit").any()
    )
