"""What a gate is scored on: a part of the study, and what one variant says of it.

A `Part` is the users of a split with one kind of partner; a `Ground` is what belongs to those of
its sessions that one gate setting covered. A `View` is one variant: a truth, and what was judged by
it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from analysis.match import Judged, Offered, judged
from analysis.truth import HEADLINE, Truth, headline, truths
from labelling.console import amount, warn

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
    pooled: pl.Series
    """Proposals that were put before annotators."""

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

    @property
    def pooled(self) -> bool:
        """Whether all that it wrote was put before annotators."""
        written = self.proposals.filter(pl.col("verdict") == "admit")["proposal_id"]
        return bool(written.is_in(self.part.pooled.implode()).all())


def part_of(tables: Tables, split: str) -> Part:
    """The part of the study that is reported; partners of other kinds are left out, aloud."""
    everyone = tables["sessions"]
    chosen = everyone if split == "all" else everyone.filter(pl.col("split") == split)
    partner = _partner(chosen)
    sessions = chosen.filter(pl.col("partner") == partner)
    here = within(sessions)
    _warn_of_strangers(tables)
    _warn_of_unrun(tables)
    least = tables["candidates"]["inclusion_probability"].drop_nulls().to_list()
    return Part(
        sessions=sessions,
        turns=tables["turns"].filter(here, ~pl.col("hidden")),
        gate_turns=tables["gate_turns"].filter(here),
        proposals=tables["proposals"].filter(here),
        split=split,
        partner=partner,
        heaviest=1 / min(least, default=1.0),
        pooled=tables["candidates"]["proposal_ids"].explode().drop_nulls(),
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
        _of_runs(part.proposals.filter(mine), sessions, gate),
    )


def within(sessions: pl.DataFrame) -> pl.Expr:
    """Whether a row is of one of these sessions."""
    return pl.col("session_id").is_in(sessions["session_id"].implode())


def _warn_of_strangers(tables: Tables) -> None:
    """Say of each table how many rows are of sessions that the study does not have."""
    for name in ("turns", "proposals", "gate_turns", "candidates", "reference_facts"):
        strange = tables[name].filter(~within(tables["sessions"])).height
        if strange:
            warn(f"{strange:,} rows of {name} are of sessions the study does not have: left out")


def _warn_of_unrun(tables: Tables) -> None:
    """Say of each gate that has proposals and no run: it cannot be scored."""
    own = ["gate", "setting"]
    unrun = tables["proposals"].select(own).unique().join(tables["gate_turns"], on=own, how="anti")
    for gate, setting in unrun.sort(own).iter_rows():
        warn(f"{gate}/{setting} has proposals and no row in gate_turns: left out; replay it again")


def _of_runs(proposals: pl.DataFrame, sessions: pl.DataFrame, gate: str) -> pl.DataFrame:
    """The proposals in sessions the gate ran on; others have no turns to be counted by, aloud."""
    kept = proposals.filter(within(sessions))
    if kept.height < proposals.height:
        left = proposals.height - kept.height
        warn(f"{left} proposals of {gate} are of sessions that it did not run on: left out")
    return kept


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
        warn(f"left out {amount(others, 'session')} with another partner than {partner!r}")
    return partner
