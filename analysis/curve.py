"""A slice -> its curve: the operating point at every observed score -> `curve`.

A row is a threshold (inclusive: records have score >= threshold), lowest first; equal scores are
one threshold, and a gate without scores is one point, as it ran. Whatever is counted (records,
facts, claims, turns, users) is counted at a threshold once its best score reaches it, so a higher
threshold never adds any. Facts that no gate proposed stay in recall's denominator.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from analysis import intervals
from analysis.points import NO_USERS, USERS, constants, point
from analysis.ratios import COUNTS, STATUSES, guarded, with_ratios
from analysis.slices import Slice
from labelling.tables import columns, frame

MOST = 200
"""Points of a curve that are drawn, and that have intervals."""
NOT_DRAWN = f"intervals are of the {MOST} thresholds that are drawn"

Numbers = NDArray[np.float64]
Counts = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Sweep:
    """What reaches each threshold; thresholds ascend."""

    thresholds: Numbers
    items: Counts
    """How many items of any group."""
    reaching: Counts
    """groups x thresholds: how many of each group."""


def curve(found: Slice) -> pl.DataFrame:
    """The rows of table `curve`."""
    scored = found.offers.drop_nulls("score")
    if scored.is_empty():
        return frame("curve", [point(found)])
    facts = _best_of_facts(found, scored)
    table = with_ratios(_counts(found, scored, facts))
    same, why = constants(found)
    users = found.ground.sessions["user_id"].n_unique()
    why |= {} if users else {USERS: NO_USERS}
    types = columns("curve")
    return (
        _with_ends(found, scored, facts, table)
        .with_columns(
            guarded(pl.col("users_with_wrong"), pl.lit(users)).alias(USERS),
            pl.col("reasons").list.concat(pl.col("unknown")).list.concat(_listed(why)),
            *(pl.lit(value, dtype=types[name]).alias(name) for name, value in same.items()),
        )
        .select(list(types))
    )


def sweep(scores: ArrayLike, group: ArrayLike, *, groups: int = 2) -> Sweep:
    """Count the items of up to four groups at or above each distinct score.

    Score and group are packed into one integer and sorted once; nothing is looked up after.

    >>> found = sweep([0.5, 0.9, 0.5], [1, 0, 0])
    >>> found.thresholds.tolist(), found.reaching.tolist()
    ([0.5, 0.9], [[2, 1], [1, 0]])
    """
    keys, values = _packable(np.asarray(scores, dtype=np.float64))
    keys <<= np.uint64(2)
    keys |= np.asarray(group, dtype=np.uint8)
    keys.sort()
    which = keys.astype(np.uint8) & 3
    keys >>= np.uint64(2)
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    # where all scores differ there is nothing to pick out; 32 bits halve what is moved about
    first = slice(None) if new.all() else np.flatnonzero(new)
    small = np.dtype(np.int32 if keys.size < 2**31 else np.int64)
    items = np.asarray(np.arange(keys.size, 0, -1, dtype=small)[first])
    reaching = np.empty((groups, items.size), dtype=small)
    for g in range(groups - 1):
        reaching[g] = np.cumsum((which == g)[::-1], dtype=small)[::-1][first]
    reaching[-1] = items - reaching[:-1].sum(axis=0, dtype=small)
    reached = keys[first]
    thresholds = reached.view(np.float64) if values is None else values[reached]
    return Sweep(thresholds, items, reaching)


def thinned(table: pl.DataFrame, most: int = MOST) -> pl.DataFrame:
    """At most so many rows of each gate's curve: of each stretch its ends and its extremes.

    A stretch keeps its first and last threshold and the rows of lowest and highest precision, so
    the whole curve's ends and extremes stay.
    """
    gates = table.partition_by("gate", "setting", maintain_order=True)
    kept = [_thin(rows, most) for rows in gates]
    return pl.concat(kept) if kept else table


def _thin(rows: pl.DataFrame, most: int = MOST) -> pl.DataFrame:
    if rows.height <= most:
        return rows
    edges = np.linspace(0, rows.height, min(most // 4, rows.height) + 1).astype(np.int64)
    precision = rows["precision"].fill_null(-1.0).to_numpy()
    places: set[int] = set()
    for low, high in pairwise(edges.tolist()):
        part = precision[low:high]
        places |= {low, high - 1, low + int(part.argmin()), low + int(part.argmax())}
    return rows[sorted(places)]


def _packable(values: Numbers) -> tuple[NDArray[np.uint64], Numbers | None]:
    """Integers below 2^62 in the order of the values, and what they stand for where not for bits.

    The bits of a number from 0 to below 2 are such an integer; others are replaced by their rank.
    """
    if values.size == 0 or (values.min() >= 0 and values.max() < 2):
        return (values + 0.0).view(np.uint64), None  # + 0.0: -0.0 and 0.0 are one threshold
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.uint64), distinct


def _counts(found: Slice, scored: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """COUNTS at every threshold, with `threshold` and `users_with_wrong`."""
    codes = scored["status"].replace_strict(list(STATUSES), range(len(STATUSES)))
    swept = sweep(scored["score"], codes.cast(pl.UInt8), groups=len(STATUSES))
    at = swept.thresholds
    wrong = scored.filter(pl.col("status") == "wrong")
    split = _best(scored.filter(pl.col("status") == "disputed"), "fact_id")
    doubts = _with_best(found.disputed, split)
    weight, whole = facts["weight"].fill_null(0.0), float(facts["weight"].sum())
    owners = wrong.join(found.ground.sessions.select("session_id", "user_id"), on="session_id")
    doubt_found, doubt_missed = _either_side(doubts["score"], at, doubts["weight"].fill_null(0.0))
    table = {
        "threshold": at,
        "assistant_turns": np.full(at.size, found.ground.turns.height),
        "records": swept.items,
        **{f"{s}_records": n for s, n in zip(STATUSES, swept.reaching, strict=True)},
        "reference_facts": np.full(at.size, facts.height),
        "captured_facts": _reaching(facts["score"], at),
        "reference_weight": np.full(at.size, whole),
        # sums in another order: never above the whole by a rounding error
        "captured_weight": np.minimum(_reaching(facts["score"], at, weight), whole),
        "disputed_captured_weight": doubt_found,
        "disputed_missed_weight": doubt_missed,
        "wrong_claims": _reaching(_best(wrong, "claim_id")["score"], at),
        "writing_turns": _reaching(_best(scored, "session_id", "turn")["score"], at),
        "users_with_wrong": _reaching(_best(owners, "user_id")["score"], at),
    }
    types = {"threshold": pl.Float64, **COUNTS, "users_with_wrong": pl.Int64}
    return pl.DataFrame(table).cast({name: types[name] for name in table})


def _best(rows: pl.DataFrame, *key: str) -> pl.DataFrame:
    return rows.group_by(key).agg(pl.col("score").max())


def _best_of_facts(found: Slice, scored: pl.DataFrame) -> pl.DataFrame:
    """The facts with the highest threshold that captures each; minus infinity where none does."""
    right = scored.filter(pl.col("status") == "correct").select("fact_id", "score")
    best = _best(pl.concat([right, found.known.select("fact_id", "score")]), "fact_id")
    return _with_best(found.facts, best)


def _with_best(facts: pl.DataFrame, best: pl.DataFrame) -> pl.DataFrame:
    scored = facts.join(best, on="fact_id", how="left", maintain_order="left")
    return scored.with_columns(pl.col("score").fill_null(float("-inf")))


def _reaching(scores: pl.Series, thresholds: Numbers, weights: pl.Series | None = None) -> Numbers:
    """How many (or how much weight) of the scores are at or above each threshold."""
    return _either_side(scores, thresholds, weights)[0]


def _either_side(
    scores: pl.Series, thresholds: Numbers, weights: pl.Series | None = None
) -> tuple[Numbers, Numbers]:
    """At or above, and below, each summed on its own: what is nothing is exactly 0."""
    values = scores.to_numpy()
    order = np.argsort(values)
    amounts = np.ones(values.size) if weights is None else weights.to_numpy()[order]
    from_top = np.concatenate([np.cumsum(amounts[::-1])[::-1], [0.0]])
    from_bottom = np.concatenate([[0.0], np.cumsum(amounts)])
    place = np.searchsorted(values[order], thresholds, side="left")
    return from_top[place], from_bottom[place]


def _with_ends(
    found: Slice, scored: pl.DataFrame, facts: pl.DataFrame, table: pl.DataFrame
) -> pl.DataFrame:
    """The table with interval columns at the thresholds that are drawn, and `unknown` reasons."""
    none, simulated = intervals.none_of_simulated()
    if intervals.simulated(found.ground.runs):
        rows, unless = [], simulated
    else:
        rows, unless = _ends(found, scored, facts, _thin(table)), dict.fromkeys(none, NOT_DRAWN)
    types = {name: columns("curve")[name] for name in ("threshold", *none)}
    ends = pl.DataFrame(rows, schema={**types, "unknown": columns("curve")["reasons"]})
    whole = table.join(ends, on="threshold", how="left", maintain_order="left")
    return whole.with_columns(pl.col("unknown").fill_null(_listed(unless)))


def _ends(
    found: Slice, scored: pl.DataFrame, facts: pl.DataFrame, drawn: pl.DataFrame
) -> list[dict[str, object]]:
    units = intervals.units_of(found.ground.sessions)
    at = drawn["threshold"].to_numpy()
    written, right, wrong = (
        _by_unit(units, scored.filter(status), at)
        for status in (True, pl.col("status") == "correct", pl.col("status") == "wrong")
    )
    turns, weighted = units.count(found.ground.turns), facts.drop_nulls("weight")
    places, weights = units.places(weighted), weighted["weight"].to_numpy()
    best = weighted["score"].to_numpy()
    pooled = found.ground.pooled
    rows: list[dict[str, object]] = []
    for i, reasons in enumerate(drawn["reasons"]):
        counts = intervals.Counts(
            turns, written[:, i], right[:, i], wrong[:, i], places, weights, best >= at[i], pooled
        )
        undefined = {one["column"]: one["reason"] for one in reasons}
        heaviest = found.ground.part.heaviest
        values, why = intervals.columns(counts, units.kind, undefined, heaviest)
        rows.append({"threshold": at[i], **values, "unknown": _pairs(why)})
    return rows


def _by_unit(units: intervals.Units, rows: pl.DataFrame, thresholds: Numbers) -> Numbers:
    """Units x thresholds: how many of the rows reach each threshold."""
    passed = np.searchsorted(thresholds, rows["score"].to_numpy(), side="right")
    width = thresholds.size + 1
    cells = units.places(rows) * width + passed
    counts = np.bincount(cells, minlength=len(units.names) * width).reshape(-1, width)
    return counts[:, :0:-1].cumsum(axis=1)[:, ::-1].astype(np.float64)


def _pairs(why: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"column": column, "reason": reason} for column, reason in sorted(why.items())]


def _listed(why: Mapping[str, str]) -> pl.Expr:
    return pl.lit(pl.Series([_pairs(why)], dtype=columns("curve")["reasons"]))
