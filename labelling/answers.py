"""What people answered in Argilla: every response as it stands, and every change of one.

Whoever answered has a pseudonym, a record is known by its external id (= candidate_id). UTC times.
Changes are told by a server of ours alone (`gates up`), which keeps them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from labelling.client import BATCH, Argilla, Json
from labelling.pseudonyms import pseudonym
from labelling.tasks import guidelines_version
from labelling.tasks.transcripts import TEXT


@dataclass(frozen=True)
class Response:
    """What one user did with one record; a draft may be empty, a discard usually is."""

    response_id: str
    candidate_id: str
    annotator: str
    status: str
    answers: dict[str, str]
    changed_at: datetime


@dataclass(frozen=True)
class Change:
    """What became of a response at a time; statuses and answers are empty where there was none.

    `seconds` since that person's previous submit or discard, at most ten minutes; `action` is
    insert, update, delete, or found and missed for what the server saw only later.
    """

    change: int
    response_id: str
    candidate_id: str
    annotator: str
    server_dataset: str
    action: str
    status_before: str | None
    status: str | None
    answers_before: dict[str, str]
    answers: dict[str, str]
    changed_at: datetime
    seconds: float | None
    guidelines_version: str | None


@dataclass(frozen=True)
class Labelled:
    """A server dataset as it stands: its records' ids, every response, the guidelines shown.

    `texts`: id -> the text in which passages are marked, in a task that has one.
    """

    candidate_ids: frozenset[str]
    responses: tuple[Response, ...]
    guidelines: str
    texts: Mapping[str, str] = field(default_factory=dict)


def labelled(argilla: Argilla, dataset: Json) -> Labelled:
    """All records and responses of a dataset."""
    records = {record["id"]: record for record in _records(argilla, dataset["id"])}
    ids = frozenset(str(record["external_id"]) for record in records.values())
    responses = [
        _response(record, response)
        for record in records.values()
        for response in record.get("responses") or ()
    ]
    texts = {
        str(record["external_id"]): text
        for record in records.values()
        if isinstance(text := record["fields"].get(TEXT), str)
    }
    return Labelled(ids, tuple(responses), dataset["guidelines"] or "", texts)


def statuses(argilla: Argilla, dataset_id: str) -> dict[str, tuple[str, set[str]]]:
    """External id -> Argilla's id of the record, and the statuses of the answers to it."""
    return {
        str(one["external_id"]): (
            str(one["id"]),
            {str(response["status"]) for response in one.get("responses") or ()},
        )
        for one in _records(argilla, dataset_id)
    }


def changes(argilla: Argilla, workspace: str, *, after: int = 0) -> Iterator[Change]:
    """The changes of a workspace's answers after one, in order; none where none are kept."""
    while page := argilla.offers("gates/history", workspace=workspace, after=after):
        yield from (_change(item, page["guidelines"]) for item in page["items"])
        if not page["items"]:
            return
        after = page["items"][-1]["id"]


def _records(argilla: Argilla, dataset_id: str) -> Iterator[Json]:
    """Every record with its responses, page by page."""
    offset, total = 0, 1
    while offset < total:
        params = {"include": "responses", "offset": offset, "limit": BATCH}
        page = argilla.call("GET", f"datasets/{dataset_id}/records", params=params)
        offset, total = offset + BATCH, page["total"]
        yield from page["items"]


def _response(record: Json, response: Json) -> Response:
    return Response(
        response_id=str(response["id"]),
        candidate_id=str(record["external_id"]),
        annotator=pseudonym(response["user_id"]),
        status=response["status"],
        answers=_answers(response["values"]),
        changed_at=_time(response["updated_at"]),
    )


def _change(item: Json, guidelines: Mapping[str, str]) -> Change:
    shown = guidelines.get(str(item["guidelines_id"]))
    return Change(
        change=item["id"],
        response_id=item["response_id"],
        candidate_id=str(item["external_id"]),
        annotator=pseudonym(item["user_id"]),
        server_dataset=str(item["dataset"]),
        action=item["action"],
        status_before=item["old_status"],
        status=item["new_status"],
        answers_before=_answers(item["old_values"]),
        answers=_answers(item["new_values"]),
        changed_at=_time(item["at"]),
        seconds=item["seconds"],
        guidelines_version=shown and guidelines_version(shown),
    )


def _answers(values: Json | None) -> dict[str, str]:
    given = {name: one["value"] for name, one in (values or {}).items() if one["value"]}
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
    }


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
