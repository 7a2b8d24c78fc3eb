"""What annotators answered, counted by cluster: behind values and intervals alike.

A cluster is the user (or session) whose candidates are alike. A row of `counts` is a cluster, a
column one way in which a unit (a candidate) was answered: a tuple, one place per annotator, None
where one gave no answer.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from labelling.agreement.counts import Unit
from labelling.statistics.interval import Numbers


@dataclass(frozen=True)
class Tally:
    """Clusters x patterns: how many units of the cluster got just these answers."""

    patterns: tuple[Unit, ...]
    counts: Numbers

    @property
    def units(self) -> Counter[Unit]:
        """The answers to a unit -> how many units got just these."""
        sums = self.counts.sum(axis=0).astype(int).tolist()
        return Counter(dict(zip(self.patterns, sums, strict=True)))

    def paired(self) -> "Tally":
        """Only units with two answers or more."""
        kept = [i for i, unit in enumerate(self.patterns) if len(unit) - unit.count(None) >= 2]
        return Tally(tuple(self.patterns[i] for i in kept), self.counts[:, kept])

    def per_cluster(self, amount: Callable[[Unit], float]) -> Numbers:
        """The sum over each cluster's units of an amount that depends on a unit's answers."""
        amounts = np.array([float(amount(unit)) for unit in self.patterns])
        return np.asarray(self.counts @ amounts, dtype=np.float64)


def tally(answered: Iterable[tuple[str, Unit, int]]) -> Tally:
    """From (cluster, answers of a unit, number of units); their order does not matter."""
    counted: Counter[tuple[str, Unit]] = Counter()
    for cluster, unit, n in answered:
        counted[cluster, unit] += n
    # in one order, so that sums come out the same to the last bit in every run
    clusters = {name: i for i, name in enumerate(sorted({cluster for cluster, _ in counted}))}
    patterns = {u: i for i, u in enumerate(sorted({u for _, u in counted}, key=repr))}
    counts = np.zeros((len(clusters), len(patterns)))
    for (cluster, unit), n in counted.items():
        counts[clusters[cluster], patterns[unit]] = n
    return Tally(tuple(patterns), counts)
