"""Precision and recall at every distinct score, against scikit-learn's precision_recall_curve.

    python -m benchmarks.sweep --scores 10000000

Twice: every score another (as log-probabilities are), and scores of three decimals (as a model's
own numbers are). The two curves are equal, threshold by threshold.
"""

from dataclasses import dataclass

import cyclopts
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve  # type: ignore[import-untyped,unused-ignore]

from analysis.curve import sweep
from benchmarks.measured import measured, shown, table

SEED = 7
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Points:
    """Precision and recall at each threshold, which ascend."""

    thresholds: Floats
    precision: Floats
    recall: Floats


def ours(scores: Floats, right: Flags) -> Points:
    """Counts by one packed sort, then two divisions."""
    swept = sweep(scores, right, groups=2)
    correct = swept.reaching[1]
    return Points(swept.thresholds, correct / swept.items, correct / correct[0])


def scikit_learn(scores: Floats, right: Flags) -> Points:
    """The rival; its last point, precision 1 at recall 0, belongs to no threshold."""
    precision, recall, thresholds = precision_recall_curve(right, scores)
    return Points(thresholds, precision[:-1], recall[:-1])


def main(*, scores: int = 10_000_000, repeat: int = 3) -> None:
    """Compare, and raise AssertionError where the curves are not equal."""
    random = np.random.default_rng(SEED)
    drawn = random.random(scores)
    right = random.random(scores) < drawn
    head = ("contender", "scores", "thresholds", "CPU seconds", "seconds", "peak MB")
    rows: list[tuple[str, ...]] = [(*head, "ours is faster")]
    for kind, values in (("all different", drawn), ("three decimals", drawn.round(3))):
        fast = measured(ours, values, right, repeat=repeat)
        slow = measured(scikit_learn, values, right, repeat=repeat)
        for name in ("thresholds", "precision", "recall"):
            np.testing.assert_allclose(getattr(fast.result, name), getattr(slow.result, name))
        times = f"{slow.cpu / fast.cpu:.1f} x"
        for contender, taken, faster in (
            ("analysis.curve.sweep", fast, times),
            ("scikit-learn", slow, ""),
        ):
            n = f"{taken.result.thresholds.size:,}"
            both = (shown(taken.cpu), shown(taken.seconds))
            rows.append((contender, kind, n, *both, f"{taken.peak_mb:,.0f}", faster))
    print(f"{scores:,} scores; both curves are equal at every threshold")
    print(table(*rows))


if __name__ == "__main__":
    cyclopts.run(main)
