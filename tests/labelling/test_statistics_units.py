"""Who is independent of whom, and counts by unit."""

import polars as pl
import pytest

from labelling.statistics import per_unit, unit


@pytest.mark.parametrize(
    ("users", "expected"),
    [(["ann", "ben", "ben"], "user"), (["ann", "ann"], "session"), (["ann"], "session")],
)
def test_users_are_the_units_unless_there_is_one(users, expected):
    assert unit(pl.DataFrame({"user_id": users})) == expected


def test_counts_stand_in_the_order_of_the_units():
    units, rows = pl.Series(["b", "a", "c"]), pl.Series(["a", "a", "b"])
    assert per_unit(units, rows).tolist() == [1, 2, 0]
    assert per_unit(units, rows, pl.Series([1.5, 2.0, 4.0])).tolist() == [4, 3.5, 0]
    assert per_unit(units, rows.clear()).tolist() == [0, 0, 0]
