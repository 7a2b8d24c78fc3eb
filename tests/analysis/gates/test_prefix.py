"""A prefix is what the tuple of its items is, whatever comes behind it."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.gates.prefix import Prefix

ITEMS = st.lists(st.integers(0, 3), max_size=6)


@given(ITEMS, ITEMS, st.slices(9))
def test_it_is_the_tuple_of_what_was_there(items, later, part):
    expected = tuple(items)
    prefix = Prefix(items)
    items += later
    assert (prefix, hash(prefix), repr(prefix)) == (expected, hash(expected), repr(expected))
    assert (len(prefix), list(prefix), prefix[part]) == (
        len(expected),
        list(expected),
        expected[part],
    )
    assert list(reversed(prefix)) == list(reversed(expected))
    assert prefix == Prefix((*expected, 9), len(expected))
    assert (prefix == (*expected, 9)) is False


@given(ITEMS, ITEMS, st.integers(-9, 9))
def test_no_place_reaches_behind_its_end(items, later, place):
    prefix = Prefix(items + later, len(items))
    if -len(items) <= place < len(items):
        assert prefix[place] == items[place]
    else:
        with pytest.raises(IndexError):
            prefix[place]


def test_it_cannot_be_written():
    with pytest.raises(TypeError):
        Prefix([1])[0] = 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_holds_no_more_than_the_prefix(copied):
    found = copied(Prefix([1, 2, 3], 2))
    assert found == (1, 2)
    assert found._items == (1, 2)
