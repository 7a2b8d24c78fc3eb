"""Answers in Argilla -> rows of `labels` and of `response_history`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from labelling.answers import Change, Response
from labelling.rounds.held import STANDS_FOR, Found, Held, place_of
from labelling.tasks import guidelines_version

_TOLD = [
    *("response_id", "change", "candidate_id", "annotator", "action", "status_before", "status"),
    *("changed_at", "seconds", "guidelines_version"),
]


def label_rows(found: Found) -> Iterator[dict[str, Any]]:
    """The rows of every response; where two rounds asked the same of the same, the later's.

    Seconds and guidelines are those of the response's last change, where the server keeps them.
    """
    latest = {
        (held.task, response.candidate_id, response.annotator): (held, response)
        for held in found.held
        for response in held.labelled.responses
    }
    last = {change.response_id: change for change in found.changes}
    for held, response in latest.values():
        yield from _rows(held, response, last.get(response.response_id))


def _rows(held: Held, response: Response, change: Change | None) -> Iterator[dict[str, Any]]:
    version = change and change.guidelines_version
    for question, answer in _answers(held.task, response):
        yield {
            "candidate_id": response.candidate_id,
            "annotator": response.annotator,
            "question": question,
            "occasion": 0,
            "answer": answer,
            "status": response.status,
            "submitted_at": response.changed_at,
            "seconds": change and change.seconds,
            "guidelines_version": version or guidelines_version(held.labelled.guidelines),
            "round": held.round,
            "pilot": False,
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
            before, now = _structs(change.answers_before), _structs(change.answers)
            yield {**row, "answers_before": before, "answers": now, "round": place[1]}


def _structs(answers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"question": question, "answer": answer} for question, answer in answers.items()]
