"""Every day at once: from when to when each rule of a grid promotes each claim.

Within a window, a pair's counts change only on the day a row arrives and on the day after its last
day in the window. Those days are walked in order, and whenever a pair or one of its opposites has
changed, the rules whose answer changed begin or end a promotion: so one that begins because a
contradiction expired is found as well.
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
from analysis.promotion.grid import EPOCH, largest
from analysis.promotion.guarding import How, contradicted, held, how
from analysis.promotion.guards import as_day
from analysis.promotion.prepared import NONE, Arrays, Numbers, Offsets, Prepared, prepare
from analysis.promotion.rule import Contradiction, PromotionRule
from analysis.promotion.sliding import Live, arrive, counted, leave, nothing_yet
from labelling.tables import InputError


def history(
    observations: Rows | Prepared,
    *,
    min_observations: Iterable[int],
    min_sessions: Iterable[int],
    window_days: Iterable[int],
    contradiction: Iterable[Contradiction],
    start: date | str,
    end: date | str,
    rule: PromotionRule | None = None,
) -> pl.DataFrame:
    """A row for each stretch of days on which a rule promotes a claim.

    The four values of the rule, user_id, claim, promoted_from and promoted_to (inclusive, cut to
    start..end), first_promoted_on (over the whole log: the day that writes). Other parameters and
    errors as in `grid`; InputError also where `end` is before `start`.
    """
    rule, first, last = rule or PromotionRule(), as_day(start), as_day(end)
    if last < first:
        raise InputError(f"end {last} is before start {first}", expected="a day on or after it")
    wanted = cells(
        rule,
        min_observations=min_observations,
        min_sessions=min_sessions,
        window_days=window_days,
        contradiction=contradiction,
    )
    log = prepare(observations, rule)
    found = _stretches(log.rows, wanted, how(rule), (first - EPOCH).days, (last - EPOCH).days)
    pair, days = found[:, 4], ("promoted_from", "promoted_to", "first_promoted_on")
    table = pl.DataFrame(wanted.at(found)).with_columns(
        *(log.pairs[name].gather(pair) for name in ("user_id", "claim")),
        *(pl.Series(name, found[:, 5 + at]).cast(pl.Date) for at, name in enumerate(days)),
    )
    return table.sort("user_id", "claim", *table.columns[:4], "promoted_from")


def _stretches(log: Arrays, wanted: Cells, rule: How, start: int, end: int) -> Numbers:
    """A row each: places in the four tuples of the grid, pair; from, to, first (days)."""
    per_pair = np.bincount(log.pair, minlength=len(log.about))
    queues = np.concatenate([[0], np.cumsum(per_pair)]).astype(np.int64)
    least = (np.array(wanted.min_observations), np.array(wanted.min_sessions))
    found: Numbers = _walk(
        log, rule, queues, wanted.windows(), wanted.contradictions(), least, (start, end)
    )
    return found


class _State(NamedTuple):
    """Promotions by pair of one user, contradiction, least observations and least sessions.

    `on` now, `since` that day, `ever` in the log and `first` then.
    """

    on: NDArray[np.bool_]
    since: Offsets
    ever: NDArray[np.bool_]
    first: Offsets


@numba.njit(cache=True, nogil=True)
def _walk(
    log: Arrays,
    rule: How,
    queues: Offsets,
    windows: Offsets,
    contradictions: Numbers,
    least: tuple[Offsets, Offsets],
    span: tuple[int, int],
) -> Numbers:
    """See `_stretches`; `queues`: where the rows of each pair begin, were they in pair order."""
    users, pairs, rows = len(log.pairs_of) - 1, len(log.about), len(log.day)
    live = nothing_yet(pairs, rows, queues)
    own = largest(log.pairs_of)
    shape = (own, len(contradictions), len(least[0]), len(least[1]))
    state = _State(
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.int64),
    )
    changed = np.zeros(pairs, np.bool_)
    touched = np.zeros(own, np.int64)
    out, used = np.zeros((1024, 8), np.int32), 0
    most = shape[1] * shape[2] * shape[3]
    for window in range(len(windows)):
        stays = windows[window] + 1
        for user in range(users):
            base = log.pairs_of[user]
            state.ever[: log.pairs_of[user + 1] - base] = False
            arriving = leaving = log.rows_of[user]
            while leaving < log.rows_of[user + 1]:
                today = log.day[leaving] + stays
                if arriving < log.rows_of[user + 1]:
                    today = min(today, log.day[arriving])
                dirty = 0
                while leaving < arriving and log.day[leaving] + stays == today:
                    leave(log, live, leaving)
                    dirty = _touch(log.pair[leaving], changed, touched, dirty)
                    leaving += 1
                while arriving < log.rows_of[user + 1] and log.day[arriving] == today:
                    arrive(log, live, arriving, queues)
                    dirty = _touch(log.pair[arriving], changed, touched, dirty)
                    arriving += 1
                dirty = _touch_opponents(log, changed, touched, dirty)
                if len(out) < used + dirty * most:
                    more = np.zeros((2 * used + dirty * most, 8), np.int32)
                    more[:used] = out[:used]
                    out = more
                for place in range(dirty):
                    changed[touched[place]] = False
                    row = (window, touched[place], touched[place] - base, today)
                    used = _judge(
                        log, rule, live, state, row, contradictions, least, span, out, used
                    )
    return out[:used]


@numba.njit(cache=True)
def _judge(
    log: Arrays,
    rule: How,
    live: Live,
    state: _State,
    row: tuple[int, int, int, int],
    contradictions: Numbers,
    least: tuple[Offsets, Offsets],
    span: tuple[int, int],
    out: Numbers,
    used: int,
) -> int:
    """Ask every rule about a pair that changed; write down what ended, and return the rows used.

    `row`: the window's place, the pair, its place among its user's, the day.
    """
    window, pair, place, today = row
    mine, against, later = counted(log, live, pair)
    out_anyway = held(rule, log.about[pair], mine, later)
    for kind in range(len(contradictions)):
        out_now = out_anyway or contradicted(rule, contradictions[kind], mine, against)
        for i in range(len(least[0])):
            for j in range(len(least[1])):
                at = (place, kind, i, j)
                enough = mine.said != NONE or (
                    mine.n >= least[0][i] and mine.sessions >= least[1][j]
                )
                since = _turn(state, at, today, enough and not out_now)
                begin, until = max(since, span[0]), min(today - 1, span[1])
                if since != today and begin <= until:
                    out[used, 0], out[used, 1], out[used, 2] = i, j, window
                    out[used, 3], out[used, 4] = kind, pair
                    out[used, 5], out[used, 6], out[used, 7] = begin, until, state.first[at]
                    used += 1
    return used


@numba.njit(cache=True)
def _touch(pair: int, changed: NDArray[np.bool_], touched: Offsets, dirty: int) -> int:
    """Note, once a day, that a pair has to be looked at; returns how many there are."""
    if changed[pair]:
        return dirty
    changed[pair] = True
    touched[dirty] = pair
    return dirty + 1


@numba.njit(cache=True)
def _touch_opponents(log: Arrays, changed: NDArray[np.bool_], touched: Offsets, dirty: int) -> int:
    """Those that a changed pair contradicts have to be looked at as well."""
    for at in range(dirty):
        pair = touched[at]
        for place in range(log.opponents_of[pair], log.opponents_of[pair + 1]):
            dirty = _touch(log.opponents[place], changed, touched, dirty)
    return dirty


@numba.njit(cache=True)
def _turn(state: _State, at: tuple[int, int, int, int], today: int, now: bool) -> int:
    """Begin or end a promotion; returns since when one lasted that ends today, else today."""
    if now == state.on[at]:
        return today
    state.on[at] = now
    if not now:
        return int(state.since[at])
    state.since[at] = today
    if not state.ever[at]:
        state.ever[at], state.first[at] = True, today
    return today
