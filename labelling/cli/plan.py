"""How large a study has to be."""

from typing import Annotated

from cyclopts import Parameter

from labelling import plan as plans
from labelling.cli.options import Json, Study
from labelling.console import Outcome


def plan(
    *,
    sessions: Annotated[tuple[int, ...], Parameter(negative="", show_default=False)] = (),
    gate: str | None = None,
    against: str | None = None,
    precision: float | None = None,
    recall: float | None = None,
    write_rate: float | None = None,
    other_precision: float | None = None,
    other_recall: float | None = None,
    other_write_rate: float | None = None,
    base_rate: float | None = None,
    disputed_share: float | None = None,
    design_effect: float | None = None,
    turns_per_session: float | None = None,
    sessions_per_user: float | None = None,
    annotators: int = 2,
    width: float = 0.1,
    power: float = 0.8,
    seed: int = 7,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """How many sessions, candidates and answers give which intervals and which power.

    Parameters
    ----------
    sessions
        How many conversations, several times; from 60 to 2,000 if left out.
    gate
        Suppose what the study says of this gate (`gate` or `gate/setting`); else, what a chapter's
        gate did.
    against
        Another gate of the study, to tell the two apart.
    precision
        Supposed share of right records; stated figures go before those of the study.
    recall
        Supposed share of facts found.
    write_rate
        Supposed records an assistant turn.
    other_precision
        The same of the gate to compare with; what is left out is that of the first.
    other_recall
        Its recall.
    other_write_rate
        Its write rate.
    base_rate
        Supposed facts an assistant turn.
    disputed_share
        Supposed share of candidates that two annotators split on.
    design_effect
        How many times as variable as independent cases, since what one user says is alike.
    turns_per_session
        Assistant turns a conversation has.
    sessions_per_user
        Conversations a user has.
    annotators
        Answers a candidate gets.
    width
        How wide an interval of precision and recall may be.
    power
        How likely a difference of precision should be seen.
    seed
        The same seed draws the same studies.
    """
    given = plans.supposed(
        None if gate is None else plans.observed(study, gate, against),
        {
            "gate": {"precision": precision, "recall": recall, "write_rate": write_rate},
            "other": {
                "precision": other_precision,
                "recall": other_recall,
                "write_rate": other_write_rate,
            },
            "effects": design_effect,
            "base_rate": base_rate,
            "disputed_share": disputed_share,
            "turns_per_session": turns_per_session,
            "sessions_per_user": sessions_per_user,
            "annotators": annotators,
        },
    )
    source = "a chapter's figures" if gate is None else plans.told(study, gate)
    return plans.plan(given, sessions, supposed=source, width=width, power=power, seed=seed)
