"""How far the annotators are: candidates by answers, answers by person."""

from collections import Counter
from typing import Any

import polars as pl

from labelling.console import Outcome, warn_if_stale
from labelling.rounds.held import Found, found
from labelling.tables import read


def status(study: str) -> Outcome:
    """How far the annotators are; writes nothing."""
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    told = counts(found(study, history=False), candidates)
    return Outcome(
        f"Answers in Argilla for study {study!r}",
        then=f"gates pull --study {study}",
        details=told,
        text=in_words(told),
    )


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
        f"  {answers['2']} candidates have two or more submitted answers, {answers['1']} have one, "
        f"{answers['0']} have none"
    ]
    for person, done in told["annotators"].items():
        lines.append(f"  {person}: " + ", ".join(f"{n} {what}" for what, n in done.items()))
    if told["not_pushed"]:
        lines.append(f"  {told['not_pushed']} candidates are not in Argilla; push to add them")
    return "\n".join(lines)
