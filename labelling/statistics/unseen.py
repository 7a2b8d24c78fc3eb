"""How many of a closed lot two people who looked independently both missed.

Each finds every one with the same chance, whatever the other found (Lincoln 1930, Petersen). Where
some are harder to find for both, more are missed than this says.
"""

from collections.abc import Callable

from labelling.statistics.interval import LEVEL, Interval, undefined

METHOD = "Chapman; exact (hypergeometric) interval"


def unseen(first: int, second: int, both: int, level: float = LEVEL) -> Interval:
    """The number that neither found; `first` and `second` found so many, `both` of them the same.

    Chapman's (first + 1)(second + 1) / (both + 1) - 1 in all, less those found. Null where they
    found nothing in common: then any number fits.

    >>> found = unseen(40, 38, 30)
    >>> round(found.value, 1), found.low, found.high
    (2.6, 0.0, 10.0)
    """
    from scipy.stats import hypergeom  # a second's import, which other commands need not wait for

    seen = first + second - both
    if not both:
        found = "neither marked anything" if not seen else "no passage was marked by both"
        return undefined(METHOD, found, n=seen)
    value = (first + 1) * (second + 1) / (both + 1) - 1 - seen
    tail = (1 - level) / 2

    def too_few(unseen_: int) -> bool:
        """So many in common would be surprising if more were missed than this."""
        return bool(hypergeom.sf(both - 1, seen + unseen_, first, second) < tail)

    def enough(unseen_: int) -> bool:
        return bool(hypergeom.cdf(both, seen + unseen_, first, second) >= tail)

    low, high = _first(enough), _first(too_few) - 1
    return Interval(value, min(float(low), value), max(float(high), value), METHOD, n=seen)


def _first(holds: Callable[[int], bool]) -> int:
    """The least whole number from 0 for which it holds; it holds for all larger ones."""
    if holds(0):
        return 0
    top = 1
    while not holds(top):
        top *= 2
    below = top // 2
    while top - below > 1:
        middle = (below + top) // 2
        below, top = (below, middle) if holds(middle) else (middle, top)
    return top
