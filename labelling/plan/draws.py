"""Studies as the assumptions have them, drawn at the level of counts: what intervals are tried on.

An array is draws x users; each draw is a study that might come out. Users differ in how much they
make a gate write, how often it is right and how much it finds, as far as the design effects say;
all gates find the same users hard. Facts that nobody sees for certain are captured by no gate.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from labelling.plan.assumptions import Assumptions, GateFigures
from labelling.statistics import ratio
from labelling.statistics.interval import Numbers
from labelling.statistics.units import numbers
from labelling.tables import InputError

Counts = NDArray[np.int64]

SHORTEST = 2.0
"""Assistant turns of the shortest session, where they are so many on average."""
STEPS = 1000
ALIKE = 0.95
"""Likeness of a user's cases above which no study could be drawn."""
CELLS = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
"""How two annotators may answer a candidate."""


@dataclass(frozen=True)
class Written:
    """What one gate did, by user."""

    records: Counts
    judged: Counts
    right: Counts
    captured: Counts


@dataclass(frozen=True)
class Study:
    """One draw: counts by user; `cells`: users x CELLS, the answers to the candidates."""

    turns: Counts
    certain_facts: Counts
    sampled_facts: Counts
    written: tuple[Written, ...]
    cells: Counts


@dataclass(frozen=True)
class _Likeness:
    """How alike the cases of a user are: 0 not at all, 1 all the same; of writing, the variance of
    the users' factors."""

    right: float
    found: float
    writing: float


def studies(given: Assumptions, sessions: int, draws: int, seed: int) -> Iterator[Study]:
    """So many draws of a study with so many sessions."""
    random = np.random.default_rng([seed, sessions])
    users = max(round(sessions / given.sessions_per_user), 1)
    turns = _turns(random, given, sessions, users, draws)
    levels = {what: random.integers(0, STEPS, turns.shape) for what in ("write", "right", "find")}
    facts = random.poisson(turns * given.base_rate)
    certain = random.binomial(facts, given.certain_share)
    sampled = random.binomial(facts - certain, given.sample_share)
    alike = _likeness(given, turns)
    written = [_written(random, given, gate, turns, certain, levels, alike) for gate in given.gates]
    cells = _cells(random, given, turns, levels["right"], alike)
    for i in range(draws):
        yield Study(
            turns[i],
            certain[i],
            sampled[i],
            tuple(Written(*(getattr(one, name)[i] for name in vars(one))) for one in written),
            cells[i],
        )


def _likeness(given: Assumptions, turns: Counts) -> _Likeness:
    """What makes the cases of the first gate as variable as supposed; the same of the other."""
    effects, writes = given.effects, turns * given.gate.write_rate
    factors = ratio(effects.write_rate - 1, _typical(writes)) or 0.0
    per_record = (1 - given.disputed) * (1 + factors)
    return _Likeness(
        _alike(effects.precision, 1 + _typical(writes) * per_record, "precision"),
        _alike(
            effects.recall, 1 + _typical(turns * given.base_rate * given.certain_share), "recall"
        ),
        factors,
    )


def _alike(effect: float, typical: float, what: str) -> float:
    found = ratio(effect - 1, typical - 1) or 0.0
    if found > ALIKE:
        raise InputError(
            f"the design effect of {what} is {effect:g} where a user has about {typical:.2g} cases",
            expected="less than they are",
            then="state a smaller --design-effect or more --sessions-per-user",
        )
    return found


def _turns(
    random: np.random.Generator, given: Assumptions, sessions: int, users: int, draws: int
) -> Counts:
    shape = (draws, sessions)
    least = min(SHORTEST, given.turns_per_session)
    mean = given.turns_per_session - least
    lengths = least + random.poisson(random.gamma(2.0, mean / 2, shape))
    whose = random.integers(0, users, shape) if users < sessions else np.arange(sessions)
    places = np.broadcast_to(whose, shape) + np.arange(draws)[:, None] * users
    counted = np.bincount(places.ravel(), lengths.ravel(), draws * users)
    return counted.reshape(draws, users).round().astype(np.int64)


def _written(
    random: np.random.Generator,
    given: Assumptions,
    gate: GateFigures,
    turns: Counts,
    certain: Counts,
    levels: dict[str, Counts],
    alike: _Likeness,
) -> Written:
    records = random.poisson(turns * gate.write_rate * _factors(alike.writing)[levels["write"]])
    judged = random.binomial(records, 1 - given.disputed)
    right = _shares(gate.precision, alike.right)
    found = _shares(ratio(gate.recall, given.certain_share) or 0.0, alike.found)
    return Written(
        records,
        judged,
        random.binomial(judged, right[levels["right"]]),
        random.binomial(certain, found[levels["find"]]),
    )


def _cells(
    random: np.random.Generator,
    given: Assumptions,
    turns: Counts,
    levels: Counts,
    alike: _Likeness,
) -> Counts:
    """Two annotators' answers to the candidates; where they agree, on `yes` as on facts."""
    candidates = random.poisson(turns * given.to_label)
    split = random.binomial(candidates, given.disputed_share)
    agreed = candidates - split
    yes = _shares(min(ratio(given.base_rate, given.to_label) or 0.0, 1.0), alike.right)
    both = random.binomial(agreed, yes[levels])
    first = random.binomial(split, 0.5)
    return np.stack([both, first, split - first, agreed - both], axis=-1)


def _shares(mean: float, alike: float) -> Numbers:
    """STEPS equally likely shares of users: beta distributed, so that their cases are so alike."""
    if not alike or mean in (0.0, 1.0):
        return np.full(STEPS, mean)
    a, b = mean * (1 / alike - 1), (1 - mean) * (1 / alike - 1)
    return _quantiles(lambda at: special.betaincinv(a, b, at), mean)


def _factors(variance: float) -> Numbers:
    """STEPS equally likely gamma factors with mean 1."""
    if variance <= 0:
        return np.ones(STEPS)
    return _quantiles(lambda at: special.gammaincinv(1 / variance, at) * variance, 1.0)


def _quantiles(of: Callable[[Numbers], Numbers], mean: float) -> Numbers:
    found = of((np.arange(STEPS) + 0.5) / STEPS)
    scaled = numbers(found * mean / found.mean())  # steps lose a little of a long tail
    return np.minimum(scaled, 1.0) if mean < 1 else scaled


def _typical(cases: ArrayLike) -> float:
    """How many cases the user of a typical case has."""
    n = numbers(cases)
    return ratio(float((n**2).sum()), float(n.sum())) or 0.0
