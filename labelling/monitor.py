"""What `gates agreement` says of a study: table `agreement` in words, the questions that decide
splits, whether annotators drift apart, and whether the form of a statement gives its stratum away
(table `style`, written here). It has no verdict word.
"""

from typing import Any

import polars as pl

from labelling.agreement import deciding
from labelling.console import Outcome, warn_if_stale
from labelling.drift import Drift, drift, split_days
from labelling.once_disputed import once_disputed
from labelling.style import write_style
from labelling.tables import read, simulated, writing

HEADLINE, ALL = "proposed", "all"
A_WORLD = "a simulated world: its figures are no evidence about people"
_WIDTH = 36


@writing
def tell_agreement(study: str, *, baseline: float | None = None) -> Outcome:
    """The headline of a study: the derived decision on proposed candidates, over all pairs.

    On all candidates where none of the proposed ones has two answers.
    `baseline` is the share of splits that drift is held against; the first pairs' if left out.
    """
    warn_if_stale(study, "agreement")
    rows, labels, candidates = (read(study, name) for name in ("agreement", "labels", "candidates"))
    everybody = rows.filter(pl.col("annotator_a").is_null())
    has_headline = everybody.filter(pl.col("n") > 0, stratum=HEADLINE).height
    stratum = HEADLINE if has_headline else ALL
    together = everybody.filter(stratum=stratum)
    headline = together.filter(question="write")
    moved = drift(split_days(labels, candidates), baseline=baseline)
    reasons = deciding(labels, candidates)
    leaks = write_style(study, candidates, read(study, "sessions"))
    judged = once_disputed(labels, candidates)
    return Outcome(
        f"what to write, {stratum} candidates, {max(headline['n'], default=0):,} pairs of answers",
        wrote={"style": leaks.height},
        read={"agreement": rows.height, "labels": labels.height, "candidates": candidates.height},
        text="\n".join(
            [
                *map(statistic_in_words, _shown(together)),
                *_splits(reasons),
                *judged.in_words(),
                drift_in_words(plain(moved)),
                *([f"  {A_WORLD}"] if simulated(study) else []),
                *map(leak_in_words, leaks.filter(form="shown").to_dicts()),
            ]
        ),
        then=f"gates score --study {study}",
        details={
            "agreement": headline.drop("annotator_a", "annotator_b").to_dicts(),
            "deciding": reasons.to_dicts(),
            "adjudicated": judged.plain(),
            "drift": plain(moved),
            "style": leaks.to_dicts(),
        },
    )


def _shown(together: pl.DataFrame) -> list[dict[str, Any]]:
    """All of the derived decision but standard errors; of each question percent and kappa."""
    few = pl.col("statistic").is_in(["percent_agreement", "cohen_kappa"])
    whole = (pl.col("question") == "write") & ~pl.col("statistic").str.contains("_se_")
    return together.filter(whole | ((pl.col("question") != "write") & few)).to_dicts()


def statistic_in_words(row: dict[str, Any]) -> str:
    """A line of table `agreement`: the statistic with its ends, or why there is none."""
    name = row["statistic"]
    if row["question"] != "write":
        name = f"{row['question']} {name}"
    if row["value"] is None:
        return f"  {name:{_WIDTH}} undefined: {row['reason']}"
    return f"  {name:{_WIDTH}} {row['value']:6.3f}  [{row['low']:.3f}, {row['high']:.3f}]"


def drift_in_words(told: dict[str, Any]) -> str:
    """The line of what `plain` tells."""
    if "evidence" in told["reasons"]:
        return f"  drift: no signal, {told['reasons']['evidence']}"
    what = f"drift: more splits than {told['limit']:.1%}"
    if told["alarm_on"] is not None:
        return f"  {what}, called on {told['alarm_on']} (valid however often one looks)"
    evidence = f"evidence at most {told['evidence']:.2g}; {told['line']:.0f} is an alarm"
    return f"  {what} not seen ({evidence})"


def leak_in_words(row: dict[str, Any]) -> str:
    """The line of a row of table `style`."""
    what = f"  style: {row['stratum']} told from proposed by the words alone"
    if row["auc"] is None:
        return f"{what}: not measured, {row['reason']}"
    return (
        f"{what} with AUC {row['auc']:.3f}  [{row['low']:.3f}, {row['high']:.3f}] "
        "(.5: not at all, 1: always)"
    )


def plain(moved: Drift) -> dict[str, Any]:
    """Drift without its days: `evidence` is the most there was, `line` where it is an alarm."""
    return {
        "baseline": moved.baseline,
        "baseline_pairs": moved.baseline_pairs,
        "limit": moved.limit,
        "evidence": max(moved.days["evidence"].drop_nulls(), default=1.0),
        "line": moved.line,
        "alarm_on": moved.alarm_on,
        "days": moved.days.height,
        "reasons": dict(moved.reasons),
    }


def _splits(reasons: pl.DataFrame) -> list[str]:
    splits = max(reasons["splits"])
    told = ", ".join(f"{row['question']} in {row['involved']}" for row in reasons.to_dicts())
    return [f"  of {splits:,} splits on what to write: {told}"] if splits else []
