"""A grid counts what `promote` promotes, cell by cell."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from analysis.promotion import PromotionRule, grid, prepare, promote
from labelling.tables import InputError
from tests.analysis.promotion.logs import DAYS, FIRST, LOGS, RULES

VALUES = {
    "min_observations": (4, 1, 2, 50),
    "min_sessions": (1, 2),
    "window_days": (30, 0, 5),
    "contradiction": ("hold", "majority", "ignore"),
}


def by_promote(log, rule, day):
    """The same by `promote`, a cell at a time."""
    rows = grid([], **VALUES, as_of=day, rule=rule).drop("promoted").rows(named=True)
    rules = [replace(rule, **row) for row in rows]
    return [int(promote(log, one, as_of=day)["promoted"].sum()) for one in rules]


@settings(max_examples=4)
@given(LOGS, RULES, DAYS)
def test_every_cell_is_what_promote_promotes(log, rule, day):
    found = grid(log, **VALUES, as_of=day, rule=rule)
    assert found["promoted"].to_list() == by_promote(log, rule, day)


@pytest.mark.long
@settings(max_examples=400)
@given(LOGS, RULES, DAYS)
def test_every_cell_is_what_promote_promotes_in_many_logs(log, rule, day):
    found = grid(log, **VALUES, as_of=day, rule=rule)
    assert found["promoted"].to_list() == by_promote(log, rule, day)


def test_a_row_each_combination_in_order_and_once():
    found = grid([], **(VALUES | {"min_sessions": (2, 1, 2)}), as_of=FIRST)
    assert found.columns == [*VALUES, "promoted"]
    assert found.height == 4 * 2 * 3 * 3
    assert found["min_sessions"].to_list()[:18:9] == [2, 1]


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [("window_days", (), "no window_days"), ("min_observations", (0,), "min_observations is 0")],
)
def test_a_value_no_rule_can_have_is_refused(name, values, says):
    with pytest.raises(InputError, match=says):
        grid([], **(VALUES | {name: values}), as_of=FIRST)


def test_a_log_is_prepared_for_the_words_of_one_rule():
    log = prepare([], PromotionRule())
    assert grid(log, **VALUES, as_of=FIRST)["promoted"].sum() == 0
    with pytest.raises(ValueError, match="opposites"):
        grid(log, **VALUES, as_of=FIRST, rule=PromotionRule(opposites=()))
