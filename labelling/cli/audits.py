"""Audits of a live store."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from labelling import audit
from labelling.cli.options import FILE, Json, Study
from labelling.console import Outcome


def audit_draw(
    *,
    from_: Annotated[Path | None, Parameter(name="--from", **FILE)] = None,
    gate: str | None = None,
    n: int = 200,
    name: str | None = None,
    seed: int | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Draw records of a live store, or of a gate, at random for two people to judge.

    Parameters
    ----------
    from_
        JSON lines of the store: record_id, user_id, statement, and corrected (whether the user
        corrected or deleted it), session_id, turn, quote, kind, scope, created_at, expires_at if
        known; `-` is standard input.
    gate
        Instead: the records that this gate (`gate` or `gate/setting`) wrote in the study.
    n
        How many records.
    name
        What the audit is called; the day if left out.
    seed
        Another number draws other records; the audit's name decides if left out.
    """
    return audit.draw(study, file=from_, gate=gate, n=n, name=name, seed=seed)


def audit_score(
    *labels: Annotated[Path, Parameter(**FILE)],
    limit: float | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Say how many records are wrong, beside how many users corrected, and whether it got worse.

    Parameters
    ----------
    labels
        Filled-in sheets, as JSON lines: record_id, annotator, durable, well_evidenced, scope_ok;
        without one, what was taken in before.
    limit
        The wrong share that the alarm is about, such as 0.1; say it before the first audit. As it
        was said before, or what the first audit leaves possible, if left out.
    """
    return audit.score(study, labels, limit=limit)
