"""What makes two rows the same."""

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.tables import claim_key, content_id, normalise, scope_parts, split_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uses  BigQuery.", "uses\tbigquery"),
        ("Uses BigQuery!?", "uses bigquery …"),
        ("ﬁne", "FINE"),
        ("Straße", "STRASSE"),
        ("e\u0301", "\u00e9"),
        ("Ｂig", "big"),
    ],
)
def test_normalise_makes_one(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Uses C", "Uses C++"), ("on v1.0", "on v10"), ("no, Snowflake", "no Snowflake")],
)
def test_normalise_keeps_apart(one, other):
    assert normalise(one) != normalise(other)


@given(st.text())
def test_normalise_twice_is_normalise(text):
    assert normalise(normalise(text)) == normalise(text)
    assert normalise(f"  {text}\n") == normalise(text)


@given(st.lists(st.none() | st.text() | st.integers()), st.lists(st.none() | st.text()))
def test_ids_tell_different_parts_apart(one, other):
    assert (content_id(*one) == content_id(*other)) == (one == other)


def test_an_id_is_16_hex_digits_that_no_process_changes():
    code = "from labelling.tables import content_id; print(content_id('a', 1, None, ('b',)))"
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert again.stdout.strip() == content_id("a", 1, None, ("b",))
    assert len(content_id()) == 16
    assert content_id("None") != content_id(None)


@given(st.text())
def test_the_split_is_the_parity_of_the_hash(user):
    digest = hashlib.sha256(user.encode()).hexdigest()
    assert split_of(user) == ("dev" if int(digest[:8], 16) % 2 else "test")


def test_a_claim_is_slot_and_value_or_the_words():
    assert claim_key("Uses it.", "Warehouse", "BigQuery") == claim_key("x", "warehouse", "bigquery")
    assert claim_key("Uses it.", "warehouse", None) == claim_key("uses it", None, None)
    assert claim_key("a", "s", "v") != claim_key("a", "s", "w")


def test_scope_parts():
    assert scope_parts("global") == ("global", "")
    assert scope_parts("project:a:b") == ("project", "a:b")
