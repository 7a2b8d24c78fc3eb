"""Baseline: the gate that writes what a user says of "I", "we" or "my", questions left out."""

import re

from analysis.gates import Context, Proposal, Turn, everything
from analysis.gates.folding import fold

_PRONOUN = re.compile(
    r"\b(?:i|i?'?m|im|ive|me|my|mine|myself|we|weve|us|our|ours|ourselves)\b", re.IGNORECASE
)
_QUESTION = re.compile(r"\?\W{0,9}\Z")


def gate(turn: Turn, context: Context) -> list[Proposal]:
    """One proposal for each sentence of a user turn with a first-person pronoun, no question."""
    return [p for p in everything.gate(turn, context) if _of_oneself(fold(p.statement))]


def _of_oneself(sentence: str) -> bool:
    return _PRONOUN.search(sentence) is not None and _QUESTION.search(sentence) is None
