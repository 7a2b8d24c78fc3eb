"""The beginning of a sequence, without a copy: what a gate is told of a session's past.

A session of n turns has n pasts. As tuples they would take n² / 2 places; as views on one sequence
that only grows each takes none.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class Prefix(Sequence[T]):
    """The first `length` items of a sequence, read-only; it equals the tuple of these items.

    `items` may grow behind it, as a list does; the prefix stays what it was. A slice is a tuple.
    """

    __slots__ = ("_items", "_places")

    def __init__(self, items: Sequence[T], length: int | None = None) -> None:
        """All items that are there now without a `length`."""
        self._items = items
        self._places = range(len(items) if length is None else length)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            return tuple(map(self._items.__getitem__, self._places[place]))
        return self._items[self._places[place]]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, len(self))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Prefix | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type["Prefix[T]"], tuple[tuple[T, ...]]]:
        """Copies and pickles hold these items only, never what comes behind them."""
        return type(self), (tuple(self),)
