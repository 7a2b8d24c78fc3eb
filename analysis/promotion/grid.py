"""How many claims each rule of a grid promotes on one day: one pass over the rows, not one a rule.

The rows of a user are walked from the newest to the oldest. A window only decides from which age
on rows no longer count, so what a pair has within every window are running counts; and a rule with
larger least numbers promotes a part of what one with smaller numbers does, so pairs are counted by
what they reach, and the sums are taken once at the end.
"""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import numba
import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.observations import Rows
from analysis.promotion.cells import Cells, cells
from analysis.promotion.guarding import Counted, How, contradicted, held, how
from analysis.promotion.guards import as_day
from analysis.promotion.prepared import NONE, Arrays, Numbers, Prepared, prepare
from analysis.promotion.rule import Contradiction, PromotionRule

EPOCH = date(1970, 1, 1)
_Table = NDArray[np.int64]


def grid(
    observations: Rows | Prepared,
    *,
    min_observations: Iterable[int],
    min_sessions: Iterable[int],
    window_days: Iterable[int],
    contradiction: Iterable[Contradiction],
    as_of: date | str,
    rule: PromotionRule | None = None,
) -> pl.DataFrame:
    """A row for each combination: the four values, and `promoted`, the number of (user, claim).

    Everything else is as in `rule` (the chapter's where none is given). `observations` as in
    `promote`, or `prepare`d once for many grids. Raises InputError for values no rule can have.
    """
    rule = rule or PromotionRule()
    wanted = cells(
        rule,
        min_observations=min_observations,
        min_sessions=min_sessions,
        window_days=window_days,
        contradiction=contradiction,
    )
    log = prepare(observations, rule)
    promoted = _promoted(log.rows, wanted, how(rule), (as_day(as_of) - EPOCH).days)
    return wanted.frame().with_columns(promoted=pl.Series(promoted.ravel(), dtype=pl.Int64))


def _promoted(log: Arrays, wanted: Cells, rule: How, day: int) -> _Table:
    """Promoted pairs, by least observations, least sessions, window, contradiction."""
    windows = wanted.windows()
    order = np.sort(windows)
    observations = wanted.reached("min_observations", len(log.day))
    sessions = wanted.reached("min_sessions", len(log.day))
    most = (len(observations) - 1, len(sessions) - 1)
    counted = np.zeros((len(order), len(wanted.contradiction), most[0] + 1, most[1] + 1), np.int64)
    _count(log, rule, day, order, wanted.contradictions(), counted)
    promoted: _Table = np.einsum(
        "wcns,no,sm->omwc",
        counted[np.searchsorted(order, windows)],
        observations.astype(np.int64),
        sessions.astype(np.int64),
    )
    return promoted


class _Live(NamedTuple):
    """What the pairs of one user have by window (ascending), each a table pair x window."""

    n: _Table
    sessions: _Table
    said: _Table
    lengths: _Table
    shortest: _Table
    longest: _Table
    with_topic: _Table
    topics: _Table
    first_topic: _Table


@numba.njit(cache=True, nogil=True)
def _count(
    log: Arrays, rule: How, day: int, windows: _Table, contradictions: Numbers, counted: _Table
) -> None:
    """Add up pairs in `counted`: window, contradiction, observations and sessions up to the most.

    Pairs that a generalisation promotes are counted at the most, since no least number holds them
    back; others below it.
    """
    shape = (largest(log.pairs_of), len(windows))
    live = _Live(
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
    )
    seen = np.zeros(len(log.session), np.bool_)
    for user in range(len(log.pairs_of) - 1):
        base, own = log.pairs_of[user], log.pairs_of[user + 1] - log.pairs_of[user]
        for table in (live.n, live.sessions, live.lengths, live.with_topic, live.topics):
            table[:own] = 0
        live.said[:own] = NONE
        for row in range(log.rows_of[user + 1] - 1, log.rows_of[user] - 1, -1):
            age = day - log.day[row]
            if 0 <= age <= windows[-1]:
                _add(log, live, row, log.pair[row] - base, np.searchsorted(windows, age), seen)
        for pair in range(own):
            for window in range(1, len(windows)):
                _widen(live, pair, window)
        for pair in range(own):
            for window in range(len(windows)):
                _decide(log, live, base, pair, window, rule, contradictions, counted[window])


@numba.njit(cache=True)
def largest(offsets: _Table) -> int:
    """The largest number of pairs of a user."""
    most = 0
    for at in range(len(offsets) - 1):
        most = max(most, offsets[at + 1] - offsets[at])
    return most


@numba.njit(cache=True)
def _add(
    log: Arrays, live: _Live, row: int, pair: int, window: int, seen: NDArray[np.bool_]
) -> None:
    """Count a row in the narrowest window that holds it; rows come from the newest on."""
    at = (pair, window)
    live.n[at] += 1
    if not seen[log.session[row]]:
        seen[log.session[row]] = True
        live.sessions[at] += 1
    if log.general[row] and live.said[at] == NONE:
        live.said[at] = row
    length, topic = log.length[row], log.topic[row]
    if length != NONE:
        only = live.lengths[at] == 0
        live.shortest[at] = length if only else min(live.shortest[at], length)
        live.longest[at] = length if only else max(live.longest[at], length)
        live.lengths[at] += 1
    if topic != NONE:
        if live.with_topic[at] == 0:
            live.first_topic[at], live.topics[at] = topic, 1
        elif topic != live.first_topic[at]:
            live.topics[at] = 2
        live.with_topic[at] += 1


@numba.njit(cache=True)
def _widen(live: _Live, pair: int, window: int) -> None:
    """A wider window also holds what the one before it holds."""
    at, inner = (pair, window), (pair, window - 1)
    live.n[at] += live.n[inner]
    live.sessions[at] += live.sessions[inner]
    live.said[at] = max(live.said[at], live.said[inner])
    if live.lengths[inner]:
        only = live.lengths[at] == 0
        low, high = live.shortest[inner], live.longest[inner]
        live.shortest[at] = low if only else min(live.shortest[at], low)
        live.longest[at] = high if only else max(live.longest[at], high)
        live.lengths[at] += live.lengths[inner]
    if live.with_topic[inner]:
        if live.with_topic[at] == 0:
            live.first_topic[at] = live.first_topic[inner]
        same = live.first_topic[at] == live.first_topic[inner]
        live.topics[at] = max(live.topics[at], live.topics[inner], 1 if same else 2)
        live.with_topic[at] += live.with_topic[inner]


@numba.njit(cache=True)
def _decide(
    log: Arrays,
    live: _Live,
    base: int,
    pair: int,
    window: int,
    rule: How,
    contradictions: Numbers,
    counted: _Table,
) -> None:
    """Count the pair, within one window, where nothing but least numbers can hold it back."""
    at = (pair, window)
    mine = Counted(
        live.n[at],
        live.sessions[at],
        live.said[at],
        live.lengths[at],
        live.shortest[at],
        live.longest[at],
        live.with_topic[at],
        live.topics[at],
    )
    against, later = 0, NONE
    for place in range(log.opponents_of[base + pair], log.opponents_of[base + pair + 1]):
        other = log.opponents[place] - base
        against = max(against, live.sessions[other, window])
        later = max(later, live.said[other, window])
    if held(rule, log.about[base + pair], mine, later):
        return
    n, sessions = counted.shape[1] - 1, counted.shape[2] - 1
    if mine.said == NONE:
        n, sessions = min(mine.n, n - 1), min(mine.sessions, sessions - 1)
    for kind in range(len(contradictions)):
        if not contradicted(rule, contradictions[kind], mine, against):
            counted[kind, n, sessions] += 1
