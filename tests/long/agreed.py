"""Answers of simulated annotators with known agreement: what its intervals are tried on.

A corpus is candidates of users who differ in how many of their candidates are facts. The answers
are those of `labelling.simulate`: stated misses and slips, a coin where a fact is ambiguous.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import polars as pl

from labelling.agreement.counts import Unit
from labelling.agreement.pairs import Agreement
from labelling.agreement.pooled import pooled
from labelling.agreement.tally import Tally
from labelling.simulate.annotators import Annotator, answers

OFFERED = {"write": ("yes", "no"), "durable": ("yes", "until", "no")}
CONCENTRATION = 10.0
"""Of the beta distribution of users' shares of facts."""
KINDS = pl.DataFrame(
    {
        "durable": [True, True, True, False, False],
        "ambiguous": [False, False, True, False, False],
        "trap": [None, None, None, "situational", "scope_invented"],
        "dated": [False, True, False, False, False],
        "evidence_form": ["stated"] * 5,
    }
)
"""Of candidates: a fact, a fact until a date, an ambiguous one, and two traps."""
DATED = 0.2
SITUATIONAL = 0.7


@dataclass(frozen=True)
class Team:
    """Annotators, the share of ambiguous facts, and how often the last one answered."""

    annotators: tuple[Annotator, ...]
    ambiguous: float = 0.16
    last: float = 1.0


LENIENT, STRICT = Annotator("a", 0.02, 0.1, 0.9), Annotator("b", 0.2, 0.01, 0.3)
THREE = (Annotator("a", 0.05, 0.01), Annotator("b", 0.05, 0.01), Annotator("c", 0.2, 0.05))
TEAMS = {
    "careful": Team((Annotator("a"), Annotator("b"))),
    "sloppy": Team((Annotator("a", 0.1, 0.02), Annotator("b", 0.1, 0.02))),
    "one lenient, one strict": Team((LENIENT, STRICT)),
    "three, the third on half": Team(THREE, last=0.5),
    "unanimous": Team((Annotator("a", 0.0, 0.0), Annotator("b", 0.0, 0.0)), ambiguous=0.0),
}


def shares(team: Team, facts: float) -> list[float]:
    """Of the kinds of candidates, where this share are facts."""
    clear = facts * (1 - team.ambiguous)
    traps = 1 - facts
    return [
        *(clear * (1 - DATED), clear * DATED, facts * team.ambiguous),
        *(traps * SITUATIONAL, traps * (1 - SITUATIONAL)),
    ]


def _said(annotator: Annotator, kinds: pl.DataFrame, seed: int) -> pl.DataFrame:
    """write and durable of each candidate; a row of `kinds` each."""
    given = answers(annotator, kinds.with_row_index("claim"), seed)
    kept = (given["durable"] == "yes") | ((given["durable"] == "until") & kinds["dated"])
    sound = (given["well_evidenced"] == "yes") & (given["scope_ok"] == "yes")
    write = pl.select(pl.when(kept & sound).then(pl.lit("yes")).otherwise(pl.lit("no")))
    return given.select("durable").with_columns(write=write.to_series())


def split_share(team: Team, facts: float) -> float:
    """How often the two split on what to write."""
    found = truth(team, facts, "write").percent_agreement
    assert found is not None
    return 1 - found


def truth(team: Team, facts: float, question: str) -> Agreement:
    """The statistics that infinitely many candidates would have."""
    weights: Counter[Unit] = Counter()
    for kind, share in enumerate(shares(team, facts)):
        row = KINDS[kind : kind + 1]
        says = [_chances(annotator, row, question) for annotator in team.annotators]
        for unit in product(*says):
            chance = np.prod([say[answer] for say, answer in zip(says, unit, strict=True)])
            weights[unit] += share * chance * team.last
            weights[(*unit[:-1], None)] += share * chance * (1 - team.last)
    whole = {unit: round(weight * 1e12) for unit, weight in weights.items()}
    return pooled({unit: n for unit, n in whole.items() if n}, OFFERED[question])


def _chances(annotator: Annotator, kind: pl.DataFrame, question: str) -> dict[str, float]:
    """Answer -> probability: what is said by one who writes it, and by one who does not."""
    writes, ambiguous, fact = 0.0, kind["ambiguous"].item(), kind["durable"].item()
    writes = annotator.slip if not fact else 1 - annotator.miss
    writes = annotator.lenience if ambiguous else writes
    sure, never = Annotator("sure", 0.0, 1.0, 1.0), Annotator("never", 1.0, 0.0, 0.0)
    found: Counter[str] = Counter()
    for who, chance in ((sure, writes), (never, 1 - writes)):
        found[_said(who, kind, 0)[question].item()] += chance
    return dict(found)


@cache
def corpora(name: str, facts: float, n: int, users: int, question: str, times: int) -> list[Tally]:
    """So many corpora of n candidates of about so many users each."""
    team, random = TEAMS[name], np.random.default_rng([n, users, round(100 * facts), len(name)])
    user = np.arange(n) if users == n else random.integers(0, users, (times, n))
    own = random.beta(CONCENTRATION * facts, CONCENTRATION * (1 - facts), (times, users))
    fact = random.random((times, n)) < np.take_along_axis(own, np.broadcast_to(user, (times, n)), 1)
    inside = np.array([*np.cumsum(shares(team, 1.0)[:2]), 1.0])
    drawn = random.random((times, n))
    kind = np.where(fact, np.searchsorted(inside, drawn), np.where(drawn < SITUATIONAL, 3, 4))
    kinds = KINDS[kind.ravel().tolist()]
    said = [_said(who, kinds, seed=n)[question].to_list() for who in team.annotators]
    missing = random.random(times * n) >= team.last
    said[-1] = [None if gone else answer for gone, answer in zip(missing, said[-1], strict=True)]
    units = list(zip(*said, strict=True))
    patterns = {unit: i for i, unit in enumerate(sorted(set(units), key=repr))}
    column = np.array([patterns[unit] for unit in units]).reshape(times, n)
    counts = np.zeros((times, users, len(patterns)))
    np.add.at(counts, (np.arange(times)[:, None], np.broadcast_to(user, (times, n)), column), 1)
    return [_tally(tuple(patterns), each) for each in counts]


def _tally(patterns: tuple[Unit, ...], counts: np.ndarray) -> Tally:
    """Without users who have no candidate and patterns that nobody gave."""
    rows, columns = counts.sum(axis=1) > 0, np.flatnonzero(counts.sum(axis=0))
    return Tally(tuple(patterns[i] for i in columns), counts[rows][:, columns])
