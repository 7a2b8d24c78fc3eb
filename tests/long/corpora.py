"""Generated corpora at the level of counts, with known truth: what intervals are tried on.

A corpus is sessions of assistant turns. Users differ and so do their sessions: how often a gate
writes, how often it is right and how often it captures a fact are beta distributed over sessions,
half of the spread shared by the sessions of a user, and all gates find the same sessions hard.
Nine of ten records are judged. A fact is proposed by some gate (always shown to the annotators), or
it is among the sentences that nobody proposed, of which one in five is shown.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Counts = NDArray[np.int64]

TURNS = 12.2
FACTS_PER_TURN = 0.075
PROPOSED = 0.756
"""Of the facts, so that a gate with recall .659 has .872 of what the pool found."""
SAMPLED = 0.2
JUDGED = 0.9
STEPS = 1000


def _quantiles(mean: float, concentration: float) -> NDArray[np.float64]:
    """A beta distribution as equally likely values; their mean is the truth."""
    at = (np.arange(STEPS) + 0.5) / STEPS
    return special.betaincinv(mean * concentration, (1 - mean) * concentration, at)


PROPOSING = _quantiles(PROPOSED, 10)


@dataclass(frozen=True)
class Gate:
    """Distributions over sessions: write rate, precision, capture of a proposed fact."""

    writing: NDArray[np.float64]
    being_right: NDArray[np.float64]
    capturing: NDArray[np.float64]

    @property
    def truth(self) -> dict[str, float]:
        """What the intervals should cover."""
        writes, right = float(self.writing.mean()), float(self.being_right.mean())
        recall = float(PROPOSING.mean() * self.capturing.mean())
        wrong = writes * (1 - right)
        return {"precision": right, "recall": recall, "wrong": wrong, "write_rate": writes}


def _gate(writes: float, right: float, recall: float, concentration: float = 10) -> Gate:
    return Gate(
        _quantiles(writes, concentration), _quantiles(right, 10), _quantiles(recall / PROPOSED, 10)
    )


GATES = {
    "model": _gate(0.31, 0.62, 0.659),
    "heuristic": _gate(0.06, 0.83, 0.30),
    # concentration 250: its rate varies between sessions with a coefficient of variation of 1
    "explicit": _gate(0.004, 0.97, 0.056, concentration=250),
}


@dataclass(frozen=True)
class Written:
    """What one gate did: records, judged, right among the judged, captured facts; a unit each."""

    records: Counts
    judged: Counts
    right: Counts
    captured: Counts


@dataclass(frozen=True)
class Corpus:
    """Counts of each unit (user or session), and what each gate wrote."""

    turns: Counts
    proposed_facts: Counts
    sampled_facts: Counts
    written: dict[str, Written]

    def facts(self, gate: str) -> tuple[Counts, NDArray[np.float64], NDArray[np.bool_]]:
        """Unit, weight and captured of each fact that was found."""
        captured = self.written[gate].captured
        return self.facts_of_newcomer(captured, np.zeros_like(captured))

    def facts_of_newcomer(
        self, proposed: Counts, sampled: Counts
    ) -> tuple[Counts, NDArray[np.float64], NDArray[np.bool_]]:
        """The same of a gate that captured so many proposed and so many sampled facts."""
        units = np.arange(len(self.turns))
        groups = (
            (proposed, 1, True),
            (self.proposed_facts - proposed, 1, False),
            (sampled, 1 / SAMPLED, True),
            (self.sampled_facts - sampled, 1 / SAMPLED, False),
        )
        return (
            np.concatenate([np.repeat(units, n) for n, _, _ in groups]),
            np.concatenate([np.full(n.sum(), float(w)) for n, w, _ in groups]),
            np.concatenate([np.full(n.sum(), hit) for n, _, hit in groups]),
        )


def corpus(random: np.random.Generator, sessions: int, users: int, *, unit: str) -> Corpus:
    """One corpus; `unit` user or session says by whom its counts are summed."""
    user = random.integers(0, users, sessions) if users < sessions else np.arange(sessions)
    writing, right, capturing, proposing = (_levels(random, user, users) for _ in range(4))
    turns = 2 + random.negative_binomial(3, 3 / (1 + TURNS), sessions)
    facts = random.poisson(turns * FACTS_PER_TURN * random.gamma(5, 0.2, sessions))
    proposed = random.binomial(facts, PROPOSING[proposing])
    sampled = random.binomial(facts - proposed, SAMPLED)
    ids = np.unique(user, return_inverse=True)[1] if unit == "user" else np.arange(sessions)

    def summed(counts: Counts) -> Counts:
        return np.bincount(ids, counts).astype(np.int64)

    def wrote(gate: Gate) -> Written:
        records = random.binomial(turns, gate.writing[writing])
        judged = random.binomial(records, JUDGED)
        found = random.binomial(judged, gate.being_right[right])
        captured = random.binomial(proposed, gate.capturing[capturing])
        return Written(*map(summed, (records, judged, found, captured)))

    written = {name: wrote(gate) for name, gate in GATES.items()}
    return Corpus(summed(turns), summed(proposed), summed(sampled), written)


def _levels(random: np.random.Generator, user: Counts, users: int) -> Counts:
    """Where each session stands in a distribution, 0 to STEPS - 1; half of it is the user's."""
    z = random.standard_normal(users)[user] + random.standard_normal(len(user))
    return np.minimum((special.ndtr(z / np.sqrt(2)) * STEPS).astype(np.int64), STEPS - 1)


@dataclass(frozen=True)
class Annotators:
    """How often each errs on a record, and the share of records on which they always split."""

    slip: float
    contested: float = 0.1
    unseen: float = 0.05
    shared: float = 0.0
    """Share of records on which both make the same mistake."""

    def judge(
        self, random: np.random.Generator, records: int, precision: float
    ) -> tuple[int, int, int]:
        """Agreed right, disputed or unjudged, and how many of the records really are right."""
        right = random.random(records) < precision
        mistaken = random.random(records) < self.shared
        first, second = (right ^ mistaken ^ (random.random(records) < self.slip) for _ in range(2))
        second = np.where(random.random(records) < self.contested, ~first, second)
        open_ = (first != second) | (random.random(records) < self.unseen)
        return int((first & ~open_).sum()), int(open_.sum()), int(right.sum())
