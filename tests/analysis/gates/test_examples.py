"""The examples in the docstrings of the gates' text helpers hold."""

import doctest

import pytest

from analysis.gates import folding, normalisers
from labelling.transcripts import sentences


@pytest.mark.parametrize("module", [folding, normalisers, sentences], ids=lambda m: m.__name__)
def test_examples_hold(module) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
