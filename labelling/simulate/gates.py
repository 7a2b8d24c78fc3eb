"""What simulated gates propose: stated hit and false-alarm rates, and a score that thresholds move.

A row of `offers` is a proposal: claim, run (0-based user turn of its session on which the gate
ran), nth (of this claim's proposals), score?, verdict, reject_reason?. A gate runs on every user
turn. Whether it proposes a claim is drawn once for the claim; further proposals of it are
duplicates, on the same turn or later ones of its session. What is hard to find is so for all gates:
their draws share each claim's `difficulty`, which leaves their rates as stated.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from labelling.simulate.streams import stream
from labelling.tables import InputError

Floats = npt.NDArray[np.float64]

GRAIN = 1000
"""Scores are multiples of 1 / GRAIN."""
POWERS = (0.05, 30.0)
"""The least and the greatest power of scores."""


@dataclass(frozen=True)
class Asking:
    """A gate that asks the user about one claim of each session and writes it after a yes.

    It asks about the claim of most impact among those it finds; the fields are probabilities.
    """

    yes_to_fact: float
    yes_to_trap: float


@dataclass(frozen=True)
class GateModel:
    """A gate as rates: of what share of the claims of a kind it writes records, and how many."""

    gate: str
    setting: str
    hits: Mapping[str, float]
    """Evidence form -> probability that a clear fact is written (where the gate asks: found)."""
    false_alarms: Mapping[str, float] = field(default_factory=dict)
    """Trap -> the same for a trap of that kind; 0 where it is not named."""
    ambiguous: float = 1.0
    """An ambiguous claim is written with the hit rate of its form times this, as one record."""
    records_per_fact: float = 1.0
    records_per_trap: float = 1.0
    """Expected records of a clear fact (trap) that is written; at least 1."""
    threshold: float | None = None
    """Score at and above which a proposal is a record; None: the gate has no score."""
    alike: float = 0.7
    """Correlation of what is hard for this gate with what is hard as such."""
    reach: float = 1.3
    """Facts proposed at any score, to those at or above the threshold; more than 1."""
    trap_reach: float = 2.5
    """The same of traps: the more, the better the score tells facts from traps."""
    sharpness: float = 2.0
    """How far impact tells facts from traps; at 1 it does not."""
    presses: bool = False
    """The user presses "remember" for each record."""
    asking: Asking | None = None
    on_path: bool = True
    latency_p50_ms: float = 2.0
    latency_p95_ms: float = 4.0
    cost_per_run: float = 0.0

    def __post_init__(self) -> None:
        """Raise InputError for rates that are none."""
        more = {"ambiguous": self.ambiguous, "alike": self.alike}
        chances = {**self.hits, **self.false_alarms, **more}
        name = f"gate {self.gate} ({self.setting})"
        for what, chance in chances.items():
            if not 0 <= chance <= 1:
                raise InputError(f"{what} of {name} is {chance:.4g}", expected="from 0 to 1")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise InputError(f"threshold of {name} is {self.threshold}", expected="between 0 and 1")
        if not min(self.reach, self.trap_reach) > 1:
            raise InputError(f"{name} reaches nothing below its threshold", expected="more than 1")
        if not min(self.records_per_fact, self.records_per_trap) >= 1:
            raise InputError(
                f"{name} has less than a record of what it writes", expected="1 or more"
            )

    @property
    def door(self) -> str:
        """How the user takes part: "ask", "press", or "" where the gate writes in silence."""
        return "ask" if self.asking else "press" if self.presses else ""

    def chance_at(self, threshold: float, chance: float, *, trap: bool) -> float:
        """That a claim is written at another threshold, where `chance` is that at the gate's own.

        A proposed claim's score is at most x with probability x ** power, the power being the one
        that makes `chance` of the claims reach the gate's own threshold.
        """
        if self.threshold is None:
            return chance
        seen, power = self.seen(np.array([chance]), trap=np.array([trap]))
        below = math.pow(threshold, power[0]), math.pow(self.threshold, power[0])
        if threshold >= self.threshold:
            return chance * (1 - below[0]) / (1 - below[1])
        return float(chance + (seen[0] - chance) * (1 - below[0] / below[1]))

    def seen(self, chance: Floats, *, trap: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Each claim's chance to be proposed at any score, and the power of its scores."""
        if self.threshold is None:
            return chance, np.ones(chance.size)
        seen = np.minimum(chance * np.where(trap, self.trap_reach, self.reach), 1.0)
        low = 1 - np.divide(chance, seen, out=np.zeros(chance.size), where=seen > 0)
        with np.errstate(divide="ignore"):
            power = np.log(low) / math.log(self.threshold)
        return seen, np.clip(power, *POWERS)


def offers(model: GateModel, truth: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The gate's proposals, in order of claims."""
    rng = stream(seed, "gate", model.gate, model.setting)
    n = truth.height
    draw, extra, spread = _draws(model, truth, rng), rng.poisson(_more(model, truth)), rng.random(n)
    chance, trap = _chances(model, truth), truth["trap"].is_not_null().to_numpy()
    written = draw < chance
    seen, power = model.seen(chance, trap=trap)
    found = (
        truth.select("claim", "session", "length", "at", "trap", "ambiguous")
        .with_columns(
            first=pl.col("at") + pl.col("trap").eq_missing("assistant_claim"),
            records=np.where(written, 1 + extra, 1),
            written=written,
            score=_scores(model, written, spread, power),
            impact=spread ** np.where(trap, model.sharpness, 1 / model.sharpness),
        )
        .filter(pl.Series(draw < seen))
    )
    if model.asking:
        return _asked(model.asking, found.filter("written"), rng)
    return _repeated(model, found, rng)


def _draws(model: GateModel, truth: pl.DataFrame, rng: np.random.Generator) -> Floats:
    """Even draws between 0 and 1, low where the claim is easy to find."""
    own = rng.standard_normal(truth.height)
    shared = truth["difficulty"].to_numpy()
    even: Floats = ndtr(model.alike * shared + math.sqrt(1 - model.alike**2) * own)
    return even


def _chances(model: GateModel, truth: pl.DataFrame) -> Floats:
    fact = pl.col("evidence_form").replace_strict(dict(model.hits), return_dtype=pl.Float64)
    doubt = pl.when("ambiguous").then(model.ambiguous).otherwise(1.0)
    alarms = dict(model.false_alarms) or {"other": 0.0}
    trap = pl.col("trap").replace_strict(alarms, default=0.0, return_dtype=pl.Float64)
    chance = pl.when(pl.col("trap").is_null()).then(fact * doubt).otherwise(trap)
    return truth.select(chance).to_series().to_numpy()


def _more(model: GateModel, truth: pl.DataFrame) -> Floats:
    """Expected duplicates of a claim that is written."""
    more = (
        pl.when("ambiguous")
        .then(0.0)
        .when(pl.col("trap").is_null())
        .then(model.records_per_fact - 1)
        .otherwise(model.records_per_trap - 1)
    )
    return truth.select(more).to_series().to_numpy()


def _scores(
    model: GateModel, written: npt.NDArray[np.bool_], draw: Floats, power: Floats
) -> pl.Series:
    """Scores of density x ** (power - 1), at or above the threshold where it is written."""
    if model.threshold is None:
        return pl.Series([None], dtype=pl.Float64).new_from_index(0, written.size)
    below = model.threshold**power
    place = np.where(written, below + (1 - below) * draw, below * draw)
    scores = _grained(place ** (1 / power))
    least = math.ceil(model.threshold * GRAIN) / GRAIN
    return pl.Series(np.where(written, np.maximum(scores, least), scores))


def _grained(score: Floats) -> Floats:
    """Rounded down, so that nothing below the threshold reaches it."""
    return np.floor(score * GRAIN) / GRAIN


def _asked(asking: Asking, found: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """One claim of each session is offered; the user says yes or no."""
    first = found.sort("session", "impact", "claim").unique(
        "session", keep="last", maintain_order=True
    )
    yes = pl.when(pl.col("trap").is_null()).then(asking.yes_to_fact).otherwise(asking.yes_to_trap)
    said = pl.Series(rng.random(first.height)) < yes
    return first.sort("claim").select(
        "claim",
        run="first",
        nth=pl.lit(0, pl.Int64),
        score="score",
        verdict=pl.when(said).then(pl.lit("admit")).otherwise(pl.lit("confirm")),
        reject_reason=pl.lit(None, pl.String),
    )


def _repeated(model: GateModel, found: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    rows = found.select(pl.all().repeat_by("records").explode())
    nth = pl.int_range(pl.len()).over("claim")
    later, lower = pl.Series(rng.random(rows.height)), pl.Series(rng.random(rows.height))
    rows = rows.with_columns(nth=nth)
    room = (pl.col("length") - pl.col("first")) * later
    again = pl.col("nth") > 0
    run = pl.col("first") + pl.when(again).then(room.cast(pl.Int64)).otherwise(0)
    score = pl.col("score")
    own = model.threshold or 0.0
    less = ((own + (score - own) * lower) * GRAIN).floor() / GRAIN
    return rows.select(
        "claim",
        "nth",
        run=run,
        score=pl.when(again).then(less.clip(own)).otherwise(score),
        verdict=pl.when("written").then(pl.lit("admit")).otherwise(pl.lit("reject")),
        reject_reason=pl.when(~pl.col("written")).then(pl.lit("below_threshold")),
    )


def latencies(model: GateModel, runs: int, seed: int) -> Floats:
    """Milliseconds of each run: log-normal, with the stated p50 and p95 in expectation."""
    spread = math.log(model.latency_p95_ms / model.latency_p50_ms) / NormalDist().inv_cdf(0.95)
    rng = stream(seed, "latency", model.gate, model.setting)
    return rng.lognormal(math.log(model.latency_p50_ms), spread, runs)
