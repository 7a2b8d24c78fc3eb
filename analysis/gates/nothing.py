"""Baseline: the gate that writes nothing. Its precision is undefined, its recall 0."""

from analysis.gates import Context, Proposal, Turn


def gate(turn: Turn, context: Context) -> list[Proposal]:
    """No proposal, whatever was said."""
    return []
