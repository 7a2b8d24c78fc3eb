"""Answers and corrections -> an audit's figures: wrong share, correction rate, their quotient.

Each drawn record was drawn on its own, so the records are the units of the wrong share of this
store, however its users differ. The correction rate is of all records of the store whose fate is
known; its unit is the user. What is undefined is null with its reason.
"""

from typing import Any

import numpy as np
import polars as pl

from labelling.statistics import (
    Interval,
    quotient_interval,
    rate_interval,
    ratio,
    share_interval,
)
from labelling.tables.decisions import decisions

METHOD = (
    "wrong share: Wilson (Clopper-Pearson below 10 right or wrong), unit record; correction rate: "
    "Garwood on effective events, unit user; quotient: MOVER on logs; band: beta-binomial "
    "confidence sequence"
)
STATUS = {"accepted": "correct", "rejected": "wrong", "disputed": "disputed"}


def figures(
    records: pl.DataFrame, users: pl.DataFrame, labels: pl.DataFrame
) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns of `audits` of one audit (without its alarm), and the reasons of the null ones.

    `records`, `users`: its rows of `audit_records`, `audit_users`; `labels`: table `audit_labels`.
    """
    counts = _counts(records, labels)
    wrong = wrong_share(counts)
    corrected = correction_rate(users)
    quotient = quotient_interval(wrong, corrected, nothing="no user corrected a record")
    found = {
        "wrong_share": wrong,
        "correction_rate": corrected,
        "wrong_per_corrected": quotient,
    }
    row: dict[str, Any] = {
        "audit": records["audit"][0],
        "source": records["source"][0],
        "drawn_at": records["drawn_at"][0],
        "store_records": int(users["records"].sum()),
        "sampled_records": records.height,
        "corrected_records": int(users["corrected_records"].sum()),
        **{f"{status}_records": n for status, n in counts.items()},
        **bands(counts),
        "interval_method": METHOD,
    }
    for name, one in found.items():
        row |= {name: one.value, f"{name}_ci_low": one.low, f"{name}_ci_high": one.high}
    reasons = {name: one.reason for name, one in found.items() if one.reason}
    if row["wrong_share_outer_low"] is None:
        reasons["wrong_share_outer_low"] = reasons["wrong_share_outer_high"] = "no record was drawn"
    if row["wrong_share_label_low"] is None:
        reasons["wrong_share_label_low"] = reasons["wrong_share_label_high"] = NOT_JUDGED
    return row, _with_ends(row, reasons)


NOT_JUDGED = "no drawn record has two people's answers"
NO_FATE = "the store does not say which records users corrected"


def wrong_share(counts: dict[str, int]) -> Interval:
    """Wrong / (wrong + correct), with each record a unit."""
    cases = np.ones(counts["wrong"] + counts["correct"])
    wrong = np.arange(len(cases)) < counts["wrong"]
    found = share_interval(wrong, cases)
    return found if found.value is not None else _null(found, NOT_JUDGED)


def correction_rate(users: pl.DataFrame) -> Interval:
    """Corrected / known records, with each user a unit; the high end is 1 at most."""
    known = users.filter(pl.col("known_records") > 0)
    found = rate_interval(known["corrected_records"].to_numpy(), known["known_records"].to_numpy())
    if found.value is None:
        return _null(found, NO_FATE)
    high = None if found.high is None else min(found.high, 1.0)
    return Interval(found.value, found.low, high, found.method, found.reason, found.n)


def bands(counts: dict[str, int]) -> dict[str, float | None]:
    """The wrong share with the disputed (and the unjudged) records correct ... wrong."""
    label = counts["wrong"] + counts["correct"] + counts["disputed"]
    outer = label + counts["unjudged"]
    return {
        "wrong_share_label_low": ratio(counts["wrong"], label),
        "wrong_share_label_high": ratio(counts["wrong"] + counts["disputed"], label),
        "wrong_share_outer_low": ratio(counts["wrong"], outer),
        "wrong_share_outer_high": ratio(outer - counts["correct"], outer),
    }


def _counts(records: pl.DataFrame, labels: pl.DataFrame) -> dict[str, int]:
    """Drawn records by what two people's answers make of them."""
    mine = labels.join(records, on="candidate_id", how="semi")
    decided = decisions(mine, records)["decision"].replace_strict(STATUS, default="unjudged")
    return {
        status: int((decided == status).sum())
        for status in ("correct", "wrong", "disputed", "unjudged")
    }


def _null(found: Interval, reason: str) -> Interval:
    return Interval(None, None, None, found.method, reason)


def _with_ends(row: dict[str, Any], reasons: dict[str, str]) -> dict[str, str]:
    """The reasons, of the null columns alone, with those of the ends of what is null."""
    told = dict(reasons)
    for name, reason in reasons.items():
        told |= {f"{name}_ci_low": reason, f"{name}_ci_high": reason}
    return {name: told[name] for name in row if row[name] is None and name in told}
