"""How far the annotators are: records by answers, answers by person, pace, agreement, drift."""

from collections import Counter
from typing import Any

import polars as pl

from labelling.agreement import agreement_rows
from labelling.console import amount
from labelling.drift import drift, split_days
from labelling.monitor import plain
from labelling.rounds.held import CANDIDATES, Found
from labelling.rounds.pace import pace
from labelling.rounds.standing import Standing

ENOUGH = {"adjudication": 1}
"""Task -> answers that a record needs; two where it is not named."""
STATISTICS = (
    *("percent_agreement", "positive_agreement", "negative_agreement"),
    *("cohen_kappa", "krippendorff_alpha_nominal"),
)
_SUBMITTED = (pl.col("status") == "submitted") & (pl.col("occasion") == 0) & ~pl.col("pilot")


def counts(found: Found, candidates: pl.DataFrame) -> dict[str, Any]:
    """Candidates by their number of submitted answers (2 = two or more); answers by person.

    By the accounts' names, since whoever leads the team wants to know whom to remind.
    """
    rounds = found.rounds().values()
    responses = [response for round_ in rounds for response in round_.responses]
    submitted = {(r.candidate_id, r.annotator) for r in responses if r.status == "submitted"}
    by_candidate = Counter(candidate for candidate, _ in submitted)
    there = {candidate for round_ in rounds for candidate in round_.candidate_ids}
    answers = Counter(min(by_candidate[candidate], 2) for candidate in there)
    people = {
        name: dict(Counter(r.status for r in responses if r.annotator == person))
        for person, name in sorted(found.names.items(), key=lambda item: item[1])
    }
    known = set(candidates["candidate_id"])
    return {
        "candidates_by_answers": {str(n): answers[n] for n in (0, 1, 2)},
        "annotators": {person: done for person, done in people.items() if done},
        "not_pushed": len(known - there),
        "no_longer_candidates": len(there - known),
    }


def in_words(told: dict[str, Any]) -> str:
    answers = told["candidates_by_answers"]
    lines = [
        f"  candidates by submitted answers: {answers['2']} with two or more, "
        f"{answers['1']} with one, {answers['0']} with none"
    ]
    for person, done in told["annotators"].items():
        lines.append(f"  {person}: " + ", ".join(f"{n} {what}" for what, n in done.items()))
    if told["not_pushed"]:
        lines.append(
            f"  not in Argilla: {amount(told['not_pushed'], 'candidate')}; push to add them"
        )
    return "\n".join(lines)


def look(now: Standing) -> dict[str, Any]:
    """at, source, rounds, people, pace, agreement, drift: all that one look at a study tells.

    A row of `rounds` is a task in a round: records, and how many of them have 0, 1, 2 (or more)
    submitted answers; of `people` an account with its submitted, draft and discarded records, those
    of pilots and those shown again apart, and the median seconds of a submitted one.
    """
    answers = now.answers
    table = rounds_table(now.items, answers)
    moved = drift(split_days(now.labels, now.candidates))
    left = sum(_left(row) for row in table.to_dicts())
    return {
        "at": now.at.isoformat(timespec="seconds"),
        "source": now.source,
        "rounds": table.to_dicts(),
        "people": people_table(answers, now.names).to_dicts(),
        "pace": pace(answers.filter(_SUBMITTED), left, now.at),
        "agreement": _agreement(now).to_dicts(),
        "drift": plain(moved),
    }


def rounds_table(items: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """task, round, records, none, one, two: records by submitted answers (two = two or more)."""
    given = answers.filter(_SUBMITTED).group_by("task", "candidate_id").agg(n=pl.len())
    counted = items.join(given, on=["task", "candidate_id"], how="left")
    n = pl.col("n").fill_null(0)
    by = {"none": n == 0, "one": n == 1, "two": n >= 2}
    return (
        counted.group_by("task", "round")
        .agg(records=pl.len(), **{name: which.sum() for name, which in by.items()})
        .with_columns(pl.col("records", *by).cast(pl.Int64))
        .sort(pl.col("task") != CANDIDATES, "task", "round")
    )


def people_table(answers: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    """person, submitted, draft, discarded, pilot, shown_again, median_seconds; by name."""
    first = (pl.col("occasion") == 0) & ~pl.col("pilot")
    by = {
        which: first & (pl.col("status") == which) for which in ("submitted", "draft", "discarded")
    }
    by["pilot"] = pl.col("pilot")
    by["shown_again"] = (pl.col("occasion") > 0) & ~pl.col("pilot")
    seconds = pl.col("seconds").filter(pl.col("status") == "submitted").median()
    return (
        answers.with_columns(person=pl.col("annotator").replace(names))
        .group_by("person")
        .agg(
            **{name: which.sum().cast(pl.Int64) for name, which in by.items()},
            median_seconds=seconds,
        )
        .sort("person")
    )


def done(told: dict[str, Any]) -> bool:
    """Whether every record has the answers it needs."""
    return bool(told["rounds"]) and not any(_left(row) for row in told["rounds"])


def _left(row: dict[str, Any]) -> int:
    """Answers that the records of a task's round still need."""
    enough = ENOUGH.get(row["task"], 2)
    return int(enough * row["none"] + (enough - 1) * row["one"])


def _agreement(now: Standing) -> pl.DataFrame:
    rows = agreement_rows(now.labels, now.candidates, now.sessions)
    order = {name: place for place, name in enumerate(STATISTICS)}
    found = rows.filter(pl.col("annotator_a").is_null(), question="write", stratum="all")
    shown = found.filter(pl.col("statistic").is_in(STATISTICS))
    return shown.sort(pl.col("statistic").replace_strict(order)).drop("annotator_a", "annotator_b")
