"""From candidates to people's labels, and what they come to."""

from typing import Annotated

from cyclopts import Parameter

from labelling import candidates, monitor, reference, rounds
from labelling.cli.options import Json, Study
from labelling.console import Outcome


def pool(
    *,
    gates: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    sample: int = 0,
    read_sessions: int = 0,
    unjudged: Annotated[bool, Parameter(negative="")] = False,
    study: Study = "try",
    json: Json = False,
) -> Outcome:
    """Gather what people shall label: what gates proposed, what was drawn, what readers marked.

    Parameters
    ----------
    gates
        Only these gates' proposals; all but the yardsticks (nothing, everything …) if left out.
    sample
        Draw about so many unproposed sentences of users; without them recall is flattered.
    read_sessions
        Draw about so many sessions for two people to read whole and mark what no gate proposed.
    unjudged
        Of the proposals only those that the last `gates score` left unjudged.
    """
    return candidates.pool(
        study, gates=gates, sample=sample, read_sessions=read_sessions, unjudged=unjudged
    )


def push(
    *,
    pilot: int | None = None,
    again: float = rounds.SHOWN_AGAIN,
    study: Study = "try",
    json: Json = False,
) -> Outcome:
    """Send the open round to Argilla, for two annotators each, blind. Again doubles nothing.

    Parameters
    ----------
    pilot
        Send only so many of its candidates, to a pilot that never counts; the round has them too.
    again
        The share, 0 to 1, of what was answered by now that is shown a second time, to see whether
        a person answers the same; 0 for none.
    """
    return rounds.push(study, pilot=pilot, again=again)


def status(
    *,
    watch: Annotated[bool, Parameter(negative="")] = False,
    study: Study = "try",
    json: Json = False,
) -> Outcome | None:
    """How far the annotators are in Argilla; writes nothing.

    Parameters
    ----------
    watch
        Look again every few seconds, until all is done or Ctrl-C; with --json an object a look.
    """
    if not watch:
        return rounds.status(study)
    rounds.watch(study, as_json=json)
    return None


def pull(*, study: Study = "try", json: Json = False) -> Outcome:
    """Bring the annotators' answers from Argilla into table labels."""
    return rounds.pull(study)


def reference_(*, study: Study = "sample", json: Json = False) -> Outcome:
    """Turn two people's answers into reference facts, disagreements and agreement."""
    return reference.make_reference(study)


def agreement(
    *, baseline: float | None = None, study: Study = "sample", json: Json = False
) -> Outcome:
    """How far annotators agree, which question splits them, and whether they drift apart.

    Parameters
    ----------
    baseline
        The share of candidates they split on that is held to be usual, 0 to 1; that of the first
        200 if left out. More than that calls drift, however often one looks.
    """
    return monitor.tell_agreement(study, baseline=baseline)
