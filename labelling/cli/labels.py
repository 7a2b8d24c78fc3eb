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
    study: Study = "try",
    json: Json = False,
) -> Outcome:
    """Gather what people shall label: what gates proposed, and sentences nobody proposed.

    Parameters
    ----------
    gates
        Only these gates' proposals; all but the yardsticks (nothing, everything …) if left out.
    sample
        Draw about so many unproposed sentences of users; without them recall is flattered.
    """
    return candidates.pool(study, gates=gates, sample=sample)


def push(*, study: Study = "try", json: Json = False) -> Outcome:
    """Send the open round to Argilla, for two annotators each, blind. Again changes nothing."""
    return rounds.push(study)


def status(*, study: Study = "try", json: Json = False) -> Outcome:
    """How far the annotators are in Argilla; writes nothing."""
    return rounds.status(study)


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
