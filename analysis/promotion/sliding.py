"""A window that slides over the rows, compiled: what every pair has in it on the day reached."""

from typing import NamedTuple

import numba
import numpy as np

from analysis.promotion.guarding import Counted
from analysis.promotion.prepared import NONE, Arrays, Offsets


class Live(NamedTuple):
    """What pairs have within the window that is walked, and what helps to keep that up to date.

    `in_session` and `in_topic`: live rows of each. `low` and `high`: queues of rows, a stretch for
    each pair from head to tail, whose lengths rise (fall): the first is the shortest (longest).
    """

    n: Offsets
    sessions: Offsets
    said: Offsets
    lengths: Offsets
    with_topic: Offsets
    topics: Offsets
    in_session: Offsets
    in_topic: Offsets
    low: Offsets
    low_head: Offsets
    low_tail: Offsets
    high: Offsets
    high_head: Offsets
    high_tail: Offsets


@numba.njit(cache=True)
def nothing_yet(pairs: int, rows: int, queues: Offsets) -> Live:
    """Before the first row; `queues`: where the stretch of each pair begins, and the end."""
    return Live(
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.full(pairs, NONE, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        queues[:-1].copy(),
        queues[:-1].copy(),
        np.zeros(rows, np.int64),
        queues[:-1].copy(),
        queues[:-1].copy(),
    )


@numba.njit(cache=True)
def leave(log: Arrays, live: Live, row: int) -> None:
    """A row is too old from today on; rows leave in the order in which they came."""
    pair, session, topic = log.pair[row], log.session[row], log.topic[row]
    live.n[pair] -= 1
    live.in_session[session] -= 1
    live.sessions[pair] -= live.in_session[session] == 0
    if live.said[pair] == row:
        live.said[pair] = NONE
    if topic != NONE:
        live.with_topic[pair] -= 1
        live.in_topic[topic] -= 1
        live.topics[pair] -= live.in_topic[topic] == 0
    if log.length[row] != NONE:
        live.lengths[pair] -= 1
        live.low_head[pair] += live.low[live.low_head[pair]] == row
        live.high_head[pair] += live.high[live.high_head[pair]] == row


@numba.njit(cache=True)
def arrive(log: Arrays, live: Live, row: int, queues: Offsets) -> None:
    """A row counts from today on."""
    pair, session, topic = log.pair[row], log.session[row], log.topic[row]
    live.n[pair] += 1
    live.sessions[pair] += live.in_session[session] == 0
    live.in_session[session] += 1
    if log.general[row]:
        live.said[pair] = row
    if topic != NONE:
        live.with_topic[pair] += 1
        live.topics[pair] += live.in_topic[topic] == 0
        live.in_topic[topic] += 1
    if log.length[row] != NONE:
        if live.lengths[pair] == 0:
            live.low_head[pair] = live.low_tail[pair] = queues[pair]
            live.high_head[pair] = live.high_tail[pair] = queues[pair]
        live.lengths[pair] += 1
        _queue(live.low, live.low_head, live.low_tail, pair, row, log.length, 1)
        _queue(live.high, live.high_head, live.high_tail, pair, row, log.length, -1)


@numba.njit(cache=True)
def _queue(
    queue: Offsets, head: Offsets, tail: Offsets, pair: int, row: int, length: Offsets, sign: int
) -> None:
    """Put a row at the end; those that it outlives as the shortest (sign -1: longest) go."""
    while tail[pair] > head[pair] and (sign * length[queue[tail[pair] - 1]] >= sign * length[row]):
        tail[pair] -= 1
    queue[tail[pair]] = row
    tail[pair] += 1


@numba.njit(cache=True)
def counted(log: Arrays, live: Live, pair: int) -> tuple[Counted, int, int]:
    """What the pair has, and its opposites: most sessions of one, the latest generalisation."""
    some = live.lengths[pair] > 0
    mine = Counted(
        live.n[pair],
        live.sessions[pair],
        live.said[pair],
        live.lengths[pair],
        log.length[live.low[live.low_head[pair]]] if some else 0,
        log.length[live.high[live.high_head[pair]]] if some else 0,
        live.with_topic[pair],
        live.topics[pair],
    )
    against, later = 0, NONE
    for place in range(log.opponents_of[pair], log.opponents_of[pair + 1]):
        against = max(against, live.sessions[log.opponents[place]])
        later = max(later, live.said[log.opponents[place]])
    return mine, against, later
