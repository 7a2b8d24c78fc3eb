"""Repeated audits of one source -> after each, whether the wrong share has risen above a limit.

A row is an audit, in the order of time. The alarm may be looked at after every audit: if at none of
them the store's wrong share is above the limit, it ever goes off with probability 5 % at most. The
limit is stated before, or it is the highest share that the first audit leaves possible (one-sided,
99 %); the alarm then has the other 4 %, and goes through the audits after the first.
"""

from typing import Any

import numpy as np
import polars as pl

from labelling.statistics import clopper_pearson, confidence_sequence, evidence, ratio

FALSE_ALARMS = 0.05
"""Probability that the alarm ever goes off though the limit was never passed, at most."""
FIRST_TAKES = 0.01
"""Of that: the probability that the first audit's limit is too low."""
STATED, FROM_FIRST = "stated", "first audit"
NO_LIMIT = "no limit was stated, and the first audit has no record with two people's answers"
IS_FIRST = "the first audit sets the limit"
NOTHING_YET = "no record with two people's answers yet"
COLUMNS = {
    "running_share": pl.Float64(),
    "running_low": pl.Float64(),
    "running_high": pl.Float64(),
    "limit": pl.Float64(),
    "limit_from": pl.String(),
    "evidence": pl.Float64(),
    "evidence_needed": pl.Float64(),
    "alarm": pl.Boolean(),
}


def alarms(audits: pl.DataFrame, limit: float | None = None) -> pl.DataFrame:
    """`audits` (wrong_records, correct_records; a row an audit, in order) with COLUMNS beside.

    Ready for a chart: the running share with its band against the limit, the evidence against what
    is needed. A null has its reason in `why`.
    """
    wrong = audits["wrong_records"].to_numpy()
    judged = wrong + audits["correct_records"].to_numpy()
    told = _watched(wrong, judged, limit)
    added = pl.DataFrame(told, schema={**COLUMNS, "why": pl.String()})
    kept = audits.drop(list(added.columns), strict=False)
    return kept.hstack(added)


def first_limit(wrong: int, judged: int) -> float | None:
    """The highest share that a first audit leaves possible; None where that is any share."""
    if not judged or wrong == judged:
        return None
    level = 1 - 2 * FIRST_TAKES  # of both tails, the upper one counts
    return clopper_pearson(wrong / judged, judged, level)[1]


def _watched(wrong: Any, judged: Any, limit: float | None) -> list[dict[str, Any]]:
    start, stated = (0, limit) if limit is not None else (1, _first(wrong, judged))
    needed = 1 / (FALSE_ALARMS - (FIRST_TAKES if start else 0))
    found = [None] * len(wrong) if stated is None else _evidence(wrong, judged, stated, start)
    gone_off = np.maximum.accumulate([(e or 0.0) >= needed for e in found])
    band = confidence_sequence(wrong, judged)
    rows = []
    for i, (w, n) in enumerate(zip(np.cumsum(wrong), np.cumsum(judged), strict=True)):
        rows.append(
            {
                "running_share": ratio(w, n),
                "running_low": float(band.low[i]) if n else None,
                "running_high": float(band.high[i]) if n else None,
                "limit": stated,
                "limit_from": None if stated is None else FROM_FIRST if start else STATED,
                "evidence": found[i],
                "evidence_needed": None if stated is None else needed,
                "alarm": None if found[i] is None else bool(gone_off[i]),
                "why": _why(stated, found[i], int(n)),
            }
        )
    return rows


def _first(wrong: Any, judged: Any) -> float | None:
    return first_limit(int(wrong[0]), int(judged[0])) if len(wrong) else None


def _evidence(wrong: Any, judged: Any, limit: float, start: int) -> list[float | None]:
    made = evidence(wrong[start:], judged[start:], limit)
    return [None] * start + [float(one) for one in made]


def _why(limit: float | None, found: float | None, judged: int) -> str | None:
    if limit is None:
        return NO_LIMIT
    if found is None:
        return IS_FIRST
    return None if judged else NOTHING_YET
