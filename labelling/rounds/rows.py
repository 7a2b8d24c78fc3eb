"""Answers in Argilla -> rows of `labels` and of `response_history`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from labelling.answers import Change, Response
from labelling.rounds.held import STANDS_FOR, TRANSCRIPTS, Found, Held, item_of, place_of
from labelling.tasks import guidelines_version

_TOLD = [
    *("response_id", "change", "candidate_id", "annotator", "action", "status_before", "status"),
    *("changed_at", "seconds", "guidelines_version"),
]


AGAIN_OCCASION, PILOT_OCCASION = 1, 2
"""Of answers to what was shown again, and to pilots, whose key is never that of a real answer."""


def label_rows(found: Found) -> Iterator[dict[str, Any]]:
    """The rows of every response; where two rounds asked the same of the same, the later's.

    Seconds and guidelines are those of the response's last change, where the server keeps them.
    """
    last = {change.response_id: change for change in found.changes}
    for held, response, occasion in _latest(found):
        yield from _rows(held, response, occasion, last.get(response.response_id))


def _latest(found: Found) -> Iterable[tuple[Held, Response, int]]:
    every = [
        *((held, one, 0) for held in found.held for one in held.labelled.responses),
        *((held, one, AGAIN_OCCASION) for held in found.held for one in held.again),
        *((held, one, PILOT_OCCASION) for held in found.pilots for one in held.labelled.responses),
    ]
    return {
        (held.task, one.candidate_id, one.annotator, occasion): (held, one, occasion)
        for held, one, occasion in every
    }.values()


def _rows(
    held: Held, response: Response, occasion: int, change: Change | None
) -> Iterator[dict[str, Any]]:
    version = change and change.guidelines_version
    for question, answer in _answers(held.task, response):
        yield {
            "candidate_id": response.candidate_id,
            "annotator": response.annotator,
            "question": question,
            "occasion": occasion,
            "answer": answer,
            "status": response.status,
            "submitted_at": response.changed_at,
            "seconds": change and change.seconds,
            "guidelines_version": version or guidelines_version(held.labelled.guidelines),
            "round": held.round,
            "pilot": occasion == PILOT_OCCASION,
        }


def _answers(task: str, response: Response) -> Iterable[tuple[str, str | None]]:
    """The answered questions; of a discard or an empty draft the one that stands for the task."""
    if response.status == "discarded" or not response.answers:
        return [(STANDS_FOR[task], None)]
    return response.answers.items()


def history_rows(changes: Iterable[Change]) -> Iterator[dict[str, Any]]:
    """A row for every change of an answer to a task of ours."""
    for change in changes:
        if place := place_of(change.server_dataset):
            row = {name: getattr(change, name) for name in _TOLD}
            if place[0] != TRANSCRIPTS:
                row["candidate_id"] = item_of(change.candidate_id)
            before, now = _structs(change.answers_before), _structs(change.answers)
            yield {**row, "answers_before": before, "answers": now, "round": place[1]}


def _structs(answers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"question": question, "answer": answer} for question, answer in answers.items()]
