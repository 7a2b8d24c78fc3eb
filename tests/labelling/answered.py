"""Small tables of labels and candidates, for whatever counts answers."""

from datetime import UTC, datetime

from labelling.tables import frame

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
FIXED = {
    "status": "submitted",
    "occasion": 0,
    "round": 1,
    "pilot": False,
    "guidelines_version": "g",
}


def labels(answers, **changed):
    """A `labels` table of (candidate, annotator, durable, at); the other two answers are yes.

    `at` may be left out; durable may be all three answers.
    """
    return frame("labels", [row for given in answers for row in _rows(*given, **changed)])


def _rows(candidate, annotator, said, at=WHEN, **changed):
    three = (said, "yes", "yes") if isinstance(said, str) else said
    fixed = {
        **FIXED,
        "candidate_id": candidate,
        "annotator": annotator,
        "submitted_at": at,
        **changed,
    }
    questions = ("durable", "well_evidenced", "scope_ok")
    return [{**fixed, "question": q, "answer": a} for q, a in zip(questions, three, strict=True)]


def candidates(**strata):
    """Candidates by name and route, each in the session `s<name>`."""
    fixed = {"turn": 0, "quote": "q", "statement": "x", "round": 1, "evidence": []}
    rows = [
        {**fixed, "proposal_ids": [], "candidate_id": c, "session_id": f"s{c}", "strata": [stratum]}
        for c, stratum in strata.items()
    ]
    return frame("candidates", rows)
