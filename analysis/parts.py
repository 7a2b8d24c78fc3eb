"""What a gate is scored on: a part of the study, and what one variant says of it.

A `Part` is the users of a split with one kind of partner. A `View` is one variant: a truth, and
what was judged by it. A `Slice` is all of one gate setting in one view: the sessions it covered,
their turns and facts, and what it offered there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import polars as pl

from analysis.match import Judged, Offered, judged
from analysis.truth import HEADLINE, Truth, headline, truths
from labelling.console import warn

PARTNERS = ("assistant", "agent", "person")
Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Part:
    """Sessions, their visible turns, and what gates did there."""

    sessions: pl.DataFrame
    turns: pl.DataFrame
    gate_turns: pl.DataFrame
    proposals: pl.DataFrame
    split: str
    partner: str
    heaviest: float
    """The largest weight that a fact could have had: 1 / the smallest inclusion probability."""

    @property
    def gates(self) -> list[tuple[str, str]]:
        """Every gate and setting that was replayed, those without any proposal included."""
        return list(
            self.gate_turns.select("gate", "setting").unique().sort("gate", "setting").iter_rows()
        )


@dataclass(frozen=True)
class View:
    """One variant of `operating_points`."""

    variant: str
    truth: Truth
    judged: Judged
    per_user: bool = False
    """Whether restatements of a fact count once."""


@dataclass(frozen=True)
class Ground:
    """Where one gate setting ran: sessions, their assistant turns, its runs and proposals."""

    gate: str
    setting: str
    part: Part
    sessions: pl.DataFrame
    turns: pl.DataFrame
    runs: pl.DataFrame
    proposals: pl.DataFrame


@dataclass(frozen=True)
class Slice:
    """All that one gate setting is scored on in one view.

    `offers`: what it wrote or would write at some threshold, judged: proposal_id, session_id, turn,
    verdict, score?, status, fact_id?, claim_id, how, error_kind?. `known`: facts {fact_id, score?,
    as_run} that it offered again after it had written them. `facts`, `disputed`: {fact_id,
    fact_key, session_id, weight?}.
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

    def again(self, threshold: float | None = None) -> pl.Series:
        """The facts it offered again after it had written them."""
        written = pl.col("as_run") if threshold is None else pl.col("score") >= threshold
        return self.known.filter(written)["fact_id"]

    @property
    def seen(self) -> pl.DataFrame:
        """The sessions it covered, and those it wrote records about."""
        part = self.ground.part.sessions
        ids = pl.concat([self.ground.sessions["session_id"], self.offers["session_id"]]).unique()
        return part.filter(pl.col("session_id").is_in(ids.implode()))


def part_of(tables: Tables, split: str) -> Part:
    """The part of the study that is reported; partners of other kinds are left out, aloud."""
    everyone = tables["sessions"]
    chosen = everyone if split == "all" else everyone.filter(pl.col("split") == split)
    partner = _partner(chosen)
    sessions = chosen.filter(pl.col("partner") == partner)
    here = within(sessions)
    least = tables["candidates"]["inclusion_probability"].drop_nulls().to_list()
    return Part(
        sessions=sessions,
        turns=tables["turns"].filter(here, ~pl.col("hidden")),
        gate_turns=tables["gate_turns"].filter(here),
        proposals=tables["proposals"].filter(here),
        split=split,
        partner=partner,
        heaviest=1 / min(least, default=1.0),
    )


def views(tables: Tables, offers: Offered) -> Iterator[View]:
    """Every variant there is, the headline first."""
    first = headline(tables)
    strict, normal, lenient = (judged(offers, first, m) for m in ("strict", "default", "lenient"))
    yield View(HEADLINE, first, normal)
    yield View("per_user", first, normal, per_user=True)
    yield View("matching:strict", first, strict)
    yield View("matching:lenient", first, lenient)
    for truth in truths(tables):
        if truth.variant != HEADLINE:
            yield View(truth.variant, truth, judged(offers, truth))


def ground_of(part: Part, gate: str, setting: str) -> Ground:
    """Where the gate ran: the sessions it covered, and all that belongs to them."""
    mine = (pl.col("gate") == gate) & (pl.col("setting") == setting)
    runs = part.gate_turns.filter(mine)
    sessions = part.sessions.filter(pl.col("session_id").is_in(_covered(part, runs).implode()))
    return Ground(
        gate,
        setting,
        part,
        sessions,
        part.turns.filter(within(sessions), pl.col("role") == "assistant"),
        runs,
        part.proposals.filter(mine),
    )


def slice_of(ground: Ground, view: View) -> Slice:
    """One gate setting in one view."""
    here = within(ground.sessions)
    places = ground.proposals.select("proposal_id", "session_id", "turn", "verdict", "score")
    offers = view.judged.captures.join(places, on="proposal_id", how="inner", maintain_order="left")
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


def within(sessions: pl.DataFrame) -> pl.Expr:
    """Whether a row is of one of these sessions."""
    return pl.col("session_id").is_in(sessions["session_id"].implode())


def _both(found: Slice) -> tuple[pl.DataFrame, pl.DataFrame]:
    return found.facts, found.disputed


def _merged(facts: pl.DataFrame) -> pl.DataFrame:
    """A fact was found when any restatement was: 1 - the product of their chances to be missed."""
    missed = (1 - 1 / pl.col("weight")).drop_nulls().product()
    merged = facts.group_by("fact_key", maintain_order=True).agg(
        pl.col("session_id", "evidence_form").first(),
        weight=pl.when(pl.col("weight").is_not_null().any()).then(1 / (1 - missed)),
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


def _covered(part: Part, runs: pl.DataFrame) -> pl.Series:
    """Sessions the gate ran on, and for our own replays those in which it had nothing to run on."""
    ran = runs["session_id"].unique()
    if "recorded" in runs["basis"]:
        return ran
    silent = part.sessions.join(
        part.turns.filter(pl.col("role") == "user"), on="session_id", how="anti"
    )
    return pl.concat([ran, silent["session_id"]]).unique()


def _partner(sessions: pl.DataFrame) -> str:
    kinds = set(sessions["partner"])
    partner = next((kind for kind in PARTNERS if kind in kinds), PARTNERS[0])
    others = sessions.filter(pl.col("partner") != partner).height
    if others:
        warn(f"{others} sessions with another partner than {partner!r} are left out")
    return partner
