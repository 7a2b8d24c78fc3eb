"""What `gates agreement` says of a study: table `agreement` in words, the questions that decide
splits, and whether annotators drift apart. It writes nothing and has no verdict word.
"""

from typing import Any

import polars as pl

from labelling.agreement import deciding
from labelling.console import Outcome, warn_if_stale
from labelling.drift import Drift, drift, split_days
from labelling.tables import read

HEADLINE = "proposed"
_WIDTH = 36


def tell_agreement(study: str, *, baseline: float | None = None) -> Outcome:
    """The headline of a study: the derived decision on proposed candidates, over all pairs.

    `baseline` is the share of splits that drift is held against; the first pairs' if left out.
    """
    warn_if_stale(study, "agreement")
    rows, labels, candidates = (read(study, name) for name in ("agreement", "labels", "candidates"))
    together = rows.filter(pl.col("annotator_a").is_null(), stratum=HEADLINE)
    headline = together.filter(question="write")
    moved = drift(split_days(labels, candidates), baseline=baseline)
    reasons = deciding(labels, candidates)
    return Outcome(
        f"what to write, {HEADLINE} candidates, {max(headline['n'], default=0):,} pairs of answers",
        read={"agreement": rows.height, "labels": labels.height, "candidates": candidates.height},
        text="\n".join([*map(_line, _shown(together)), *_splits(reasons), _drift(moved)]),
        then=f"gates score --study {study}",
        details={
            "agreement": headline.drop("annotator_a", "annotator_b").to_dicts(),
            "deciding": reasons.to_dicts(),
            "drift": _plain(moved),
        },
    )


def _shown(together: pl.DataFrame) -> list[dict[str, Any]]:
    """All of the derived decision but standard errors; of each question percent and kappa."""
    few = pl.col("statistic").is_in(["percent_agreement", "cohen_kappa"])
    whole = (pl.col("question") == "write") & ~pl.col("statistic").str.contains("_se_")
    return together.filter(whole | ((pl.col("question") != "write") & few)).to_dicts()


def _line(row: dict[str, Any]) -> str:
    name = row["statistic"]
    if row["question"] != "write":
        name = f"{row['question']} {name}"
    if row["value"] is None:
        return f"  {name:{_WIDTH}} undefined: {row['reason']}"
    return f"  {name:{_WIDTH}} {row['value']:6.3f}  [{row['low']:.3f}, {row['high']:.3f}]"


def _splits(reasons: pl.DataFrame) -> list[str]:
    splits = max(reasons["splits"])
    told = ", ".join(f"{row['question']} in {row['involved']}" for row in reasons.to_dicts())
    return [f"  of {splits:,} splits on what to write: {told}"] if splits else []


def _drift(moved: Drift) -> str:
    if "evidence" in moved.reasons:
        return f"  drift: no signal, {moved.reasons['evidence']}"
    what = f"drift: more splits than {moved.limit:.1%}"
    if moved.alarm_on is not None:
        return f"  {what}, called on {moved.alarm_on} (valid however often one looks)"
    evidence = max(moved.days["evidence"], default=1.0)
    return f"  {what} not seen (evidence at most {evidence:.2g}; {moved.line:.0f} is an alarm)"


def _plain(moved: Drift) -> dict[str, Any]:
    return {
        "baseline": moved.baseline,
        "baseline_pairs": moved.baseline_pairs,
        "limit": moved.limit,
        "alarm_on": moved.alarm_on,
        "days": moved.days.height,
        "reasons": dict(moved.reasons),
    }
