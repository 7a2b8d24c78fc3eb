"""How wide the intervals in use come out, and how often they tell two gates apart.

Every interval is made by the functions that score a real study; a width is the mean of high - low
over the drawn studies, power the share of them in which the interval of the difference leaves out
zero. Null where more than one study in 20 has no such interval.
"""

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np

from labelling.agreement.intervals import intervals
from labelling.agreement.pairs import statistics_of_counts
from labelling.agreement.tally import Tally
from labelling.plan.assumptions import Assumptions
from labelling.plan.draws import CELLS, Study, Written, studies
from labelling.statistics import (
    Interval,
    difference_interval,
    rate_interval,
    ratio,
    recall_interval,
    share_interval,
    wrong_rate_interval,
)

MEASURES = ("precision", "recall", "wrong_per_1000_turns", "write_rate")
AGREEMENT = ("percent_agreement", "cohen_kappa")
COMPARED = MEASURES[:3]
DRAWS = 300
AGREED_DRAWS = 50
"""Of the draws: those in which agreement is measured, which takes the longest and varies least."""
MOST_UNDEFINED = 0.05


def row(given: Assumptions, sessions: int, *, draws: int = DRAWS, seed: int = 7) -> dict[str, Any]:
    """A plan of so many sessions: its size, `<measure>_width` and `<measure>_power`."""
    drawn = list(studies(given, sessions, draws, seed))
    made = [_measured(study, given) for study in drawn]
    agreed = [_agreement(study) for study in drawn[:AGREED_DRAWS]]
    found: dict[str, Any] = size(given, sessions)
    for name in MEASURES:
        found[f"{name}_width"] = _mean(_width(one[name]) for one in made)
    for name in AGREEMENT:
        found[f"{name}_width"] = _mean(_width(one[name]) for one in agreed)
    for name in COMPARED if given.other else ():
        found[f"{name}_power"] = _mean(_apart(one[f"{name} difference"]) for one in made)
    return found


def power_error(power: float, draws: int = DRAWS) -> float:
    """Two standard errors of a power that was found by so many draws."""
    return 2 * sqrt(power * (1 - power) / draws)


def size(given: Assumptions, sessions: int) -> dict[str, Any]:
    """What so many sessions hold, and what labelling them costs."""
    turns = sessions * given.turns_per_session
    answers = turns * given.to_label * given.annotators
    return {
        "sessions": sessions,
        "users": max(round(sessions / given.sessions_per_user), 1),
        "assistant_turns": round(turns),
        "records": round(turns * given.gate.write_rate),
        "reference_facts": round(turns * given.base_rate),
        "candidates": round(turns * given.to_label),
        "answers": round(answers),
        "hours": round(answers * given.seconds_per_answer / 3600, 1),
    }


def _measured(study: Study, given: Assumptions) -> dict[str, Interval]:
    by_gate = [_of_gate(study, gate, given) for gate in study.written]
    found = dict(by_gate[0])
    if len(by_gate) == 2:
        for name in COMPARED:
            found[f"{name} difference"] = difference_interval(by_gate[0][name], by_gate[1][name])
    return found


def _of_gate(study: Study, gate: Written, given: Assumptions) -> dict[str, Interval]:
    wrong = gate.judged - gate.right
    return {
        "precision": share_interval(gate.right, gate.judged),
        "recall": _recall(study, gate, given),
        "wrong_per_1000_turns": wrong_rate_interval(
            gate.records, gate.judged, wrong, study.turns / 1000
        ),
        "write_rate": rate_interval(gate.records, study.turns),
    }


def _recall(study: Study, gate: Written, given: Assumptions) -> Interval:
    heaviest = 1 / given.sample_share
    missed = study.certain_facts - gate.captured
    groups = (
        (gate.captured, 1.0, True),
        (missed, 1.0, False),
        (study.sampled_facts, heaviest, False),
    )
    users = np.arange(len(study.turns))
    return recall_interval(
        np.concatenate([np.repeat(users, n) for n, _, _ in groups]),
        np.concatenate([np.full(n.sum(), weight) for n, weight, _ in groups]),
        np.concatenate([np.full(n.sum(), hit) for n, _, hit in groups]),
        heaviest=heaviest if given.certain_share < 1 else 1.0,
    )


def _agreement(study: Study) -> dict[str, Interval | None]:
    answered = Tally(CELLS, study.cells.astype(np.float64))
    found = statistics_of_counts(+answered.units, ("yes", "no"))
    made = intervals(answered, found, ("yes", "no"))
    return {name: made.get(name) for name in AGREEMENT}


def _width(found: Interval | None) -> float | None:
    if found is None or found.low is None or found.high is None:
        return None
    return found.high - found.low


def _apart(found: Interval | None) -> float | None:
    """1 where the interval of a difference leaves out zero."""
    if found is None or found.low is None or found.high is None:
        return None
    return float(found.low > 0 or found.high < 0)


def _mean(found: Iterable[float | None]) -> float | None:
    everything = list(found)
    there = [one for one in everything if one is not None]
    if len(there) < (1 - MOST_UNDEFINED) * len(everything):
        return None
    return ratio(sum(there), len(there))
