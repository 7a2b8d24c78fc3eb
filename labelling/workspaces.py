"""How a study's workspaces in Argilla are called; our server reads it, too, so it imports nothing.

A study's own workspace has its name. What judges see, the answers of both annotators, is in one
beside it, since everybody in a workspace sees all its datasets.
"""

ADJUDICATION = "adjudication"
"""The dataset of what judges settle."""


def of_judges(study: str) -> str:
    """The workspace of a study's judges; no study can be called so."""
    return f"{study}.{ADJUDICATION}"
