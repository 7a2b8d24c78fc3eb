"""Numbers as written: small ones keep their digits, nothing becomes 0 or 1 that is not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import figures

shares = st.floats(1e-5, 1 - 1e-5)


@given(shares)
def test_a_share_keeps_its_size_and_is_never_written_as_nothing_or_all(value: float) -> None:
    written = figures.share(value)
    assert "e" not in written
    assert 0 < float(written) < 1
    assert float(written) == pytest.approx(value, rel=0.05)


@given(st.floats(-1e7, 1e7))
def test_every_number_is_written_without_an_exponent(value: float) -> None:
    assert "e-" not in figures.number(value)
    assert (figures.number(value) == "0") == (value == 0)


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_undefined_is_a_dash(value: float | None) -> None:
    assert {figures.share(value), figures.rate(value), figures.p_value(value)} == {"–"}
    assert figures.span(value, 0.5) == "–"


def test_counts_in_millions_are_written_out() -> None:
    assert figures.counted(0.0043, 4_300, 1_000_000) == "0.0043 (4,300 of 1,000,000)"
