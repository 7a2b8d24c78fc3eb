"""Disputed candidates before a judge, and audits of a live store."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from labelling import adjudication, audit
from labelling.cli.options import FILE, Json, Study
from labelling.console import Outcome


def adjudicate_push(
    *,
    by: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    study: Study = "try",
    json: Json = False,
) -> Outcome:
    """Send what two people split on to somebody else, with both answers and without their names.

    Only owners, admins and the accounts named see it. Again sends what is disputed since; what was
    decided stays.

    Parameters
    ----------
    by
        An account that shall decide; may be given several times. It must have labelled none of the
        disputed candidates.
    """
    return adjudication.push(study, by)


def adjudicate_pull(*, study: Study = "try", json: Json = False) -> Outcome:
    """Bring the decisions on what people split on from Argilla into table labels."""
    return adjudication.pull(study)


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


def audit_push(*, name: str | None = None, study: Study = "sample", json: Json = False) -> Outcome:
    """Send an audit's records to Argilla, for two people each, blind. Again changes nothing.

    Parameters
    ----------
    name
        Which audit; the latest if left out.
    """
    return audit.push(study, name)


def audit_score(
    *labels: Annotated[Path, Parameter(**FILE)],
    limit: float | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Say how many records are wrong, beside how many users corrected, and whether it got worse.

    Counts what people answered in Argilla, where it runs, and in the sheets named.

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
