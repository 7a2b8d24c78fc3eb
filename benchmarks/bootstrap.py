"""Joint cluster bootstrap of precision and recall at every threshold, against plain loops.

    python -m benchmarks.bootstrap --sessions 500 --draws 2000 --thresholds 50

Ours counts once per session and threshold, draws all weights at once and multiplies matrices. The
rivals resample sessions and count anew for each draw and threshold: in plain Python as the measures
are defined, and with numpy masks. They run `--loop-draws`, and their time is scaled up. On these
draws all three are equal. Everybody has one thread.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cyclopts
import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import Measured, measured, shown, table
from labelling.statistics import draw_weights, percentile_interval, ratios

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Weights = NDArray[np.float32]
Row = dict[str, Any]
SEED = 7
RECORDS, FACTS = 3.8, 0.9
"""Of a session, expected: a gate that writes on 31 % of the turns, as the chapter's loosest."""
NONE = -1
"""The fact of a wrong record."""


@dataclass(frozen=True)
class Corpus:
    """Judged records: session, score, fact (its number, or NONE); and each fact's session."""

    sessions: int
    session: Places
    score: Floats
    fact: Places
    fact_session: Places


@dataclass(frozen=True)
class Curves:
    """A row a draw, a column a threshold; NaN is 0/0."""

    precision: Floats
    recall: Floats


def corpus(sessions: int) -> Corpus:
    """Random records and facts; scores have three decimals, so many are shared."""
    random = np.random.default_rng(SEED)
    records, facts = random.poisson(RECORDS, sessions), random.poisson(FACTS, sessions)
    session = np.repeat(np.arange(sessions), records)
    score = random.random(session.size).round(3)
    one_of_its_session = facts.cumsum()[session] - 1 - random.integers(0, 1 + facts[session])
    within = one_of_its_session >= facts.cumsum()[session] - facts[session]
    right = within & (random.random(session.size) < score)
    return Corpus(
        sessions,
        session,
        score,
        np.where(right, one_of_its_session, NONE),
        np.repeat(np.arange(sessions), facts),
    )


def ours(made: Corpus, thresholds: Floats, draws: int) -> Curves:
    """Every draw's curves, and the intervals that a chart would show."""
    observed = curves(made, thresholds, np.ones((1, made.sessions), dtype=np.float32))
    drawn = curves(made, thresholds, draw_weights(made.sessions, SEED, draws=draws))
    for curve in ("precision", "recall"):
        for value, column in zip(getattr(observed, curve)[0], getattr(drawn, curve).T, strict=True):
            percentile_interval(value, column, units=made.sessions, seed=SEED)
    return drawn


def curves(made: Corpus, thresholds: Floats, weights: Weights) -> Curves:
    """Precision and recall under weights (draws x sessions)."""
    right = made.fact != NONE
    best = np.full(made.fact_session.size, -np.inf)
    np.maximum.at(best, made.fact[right], made.score[right])
    written = _reaching(made.sessions, made.session, made.score, thresholds)
    correct = _reaching(made.sessions, made.session[right], made.score[right], thresholds)
    captured = _reaching(made.sessions, made.fact_session, best, thresholds)
    facts = np.bincount(made.fact_session, minlength=made.sessions)[:, None]
    return Curves(ratios(correct, written, weights), ratios(captured, facts, weights))


def _reaching(size: int, place: Places, score: Floats, thresholds: Floats) -> Floats:
    """Sessions x thresholds: how many scores are at or above each (ascending) threshold."""
    passed = np.searchsorted(thresholds, score, side="right")
    width = thresholds.size + 1
    counts = np.bincount(place * width + passed, minlength=size * width).reshape(size, width)
    return counts[:, :0:-1].cumsum(axis=1)[:, ::-1].astype(np.float64)


def plain_loop(made: Corpus, thresholds: Floats, weights: Weights) -> Curves:
    """The rival in plain Python, over the rows that table `captures` has."""
    records: list[list[Row]] = [[] for _ in range(made.sessions)]
    for session, score, fact in zip(
        made.session.tolist(), made.score.tolist(), made.fact.tolist(), strict=True
    ):
        status = "wrong" if fact == NONE else "correct"
        records[session].append({"score": score, "status": status, "fact_id": fact})
    facts = np.bincount(made.fact_session, minlength=made.sessions).tolist()
    rows = []
    for draw in weights.astype(int):
        picked = np.repeat(np.arange(made.sessions), draw).tolist()
        written = [(copy, row) for copy, session in enumerate(picked) for row in records[session]]
        sought = sum(facts[session] for session in picked)
        rows.append([_point(written, sought, threshold) for threshold in thresholds.tolist()])
    return _curves(rows)


def _point(
    written: Sequence[tuple[int, Row]], sought: int, threshold: float
) -> tuple[float, float]:
    kept = [(copy, row) for copy, row in written if row["score"] >= threshold]
    correct = [(copy, row["fact_id"]) for copy, row in kept if row["status"] == "correct"]
    wrong = sum(row["status"] == "wrong" for _, row in kept)
    judged = len(correct) + wrong
    return (
        len(correct) / judged if judged else float("nan"),
        len(set(correct)) / sought if sought else float("nan"),
    )


def numpy_loop(made: Corpus, thresholds: Floats, weights: Weights) -> Curves:
    """The rival in numpy: a mask over the records for each draw and threshold."""
    rows = []
    with np.errstate(invalid="ignore"):
        for draw in weights:
            of_record, of_fact = draw[made.session], draw[made.fact_session]
            row = []
            for threshold in thresholds:
                kept = made.score >= threshold
                correct = kept & (made.fact != NONE)
                captured = of_fact[np.unique(made.fact[correct])].sum()
                precision = of_record[correct].sum() / of_record[kept].sum()
                row.append((precision, captured / of_fact.sum()))
            rows.append(row)
    return _curves(rows)


def _curves(rows: list[list[tuple[float, float]]]) -> Curves:
    precision, recall = np.moveaxis(np.array(rows, dtype=np.float64), 2, 0)
    return Curves(precision, recall)


def _row(name: str, taken: Measured, scale: float, times: str) -> tuple[str, ...]:
    both = (shown(taken.cpu * scale), shown(taken.seconds * scale))
    return (name, *both, f"{taken.peak_mb:,.0f}", times)


def main(
    *, sessions: int = 500, draws: int = 2000, thresholds: int = 50, loop_draws: int = 100
) -> None:
    """Compare, and raise AssertionError where the three are not equal on the first draws."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as many as the loops have
    made, cuts = corpus(sessions), np.linspace(0, 1, thresholds, endpoint=False)
    weights = draw_weights(sessions, SEED, draws=draws)[:loop_draws]
    fast = measured(ours, made, cuts, draws, repeat=10)
    rows: list[tuple[str, ...]] = [
        ("contender", "CPU seconds", "seconds", "peak MB", "ours is faster"),
        _row("labelling.statistics", fast, 1, ""),
    ]
    for name, loop in (("plain Python loop", plain_loop), ("numpy mask loop", numpy_loop)):
        slow = measured(loop, made, cuts, weights)
        for curve in ("precision", "recall"):
            drawn = getattr(fast.result, curve)[: len(weights)]
            np.testing.assert_allclose(drawn, getattr(slow.result, curve), rtol=1e-6)
        scale = draws / len(weights)
        times = f"{slow.cpu * scale / fast.cpu:,.0f} x"
        rows.append(_row(name, slow, scale, times))
    print(f"{sessions:,} sessions, {draws:,} draws, {thresholds} thresholds;", end=" ")
    print(f"loops ran {len(weights):,} draws, scaled up; equal on them")
    print(table(*rows))


if __name__ == "__main__":
    cyclopts.run(main)
