"""The only door to Argilla. Everything goes over its REST API, as the owner.

The Python SDK is not used: it hides what `labels` needs (when a response was changed, whose it is)
and would be a second way to do the rest. A user is known here by name, a record by its external id
(= candidate_id), and times are UTC.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from labelling.console import progress
from labelling.tables import InputError, data_folder
from labelling.tasks import Field, Question, Record, Task

START = "start it with `gates up --detach`"
BATCH = 50
"""Records a request: with their conversations some megabytes at most."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Response:
    """What one user did with one record; a draft may be empty, a discard usually is."""

    candidate_id: str
    annotator: str
    status: str
    answers: dict[str, str]
    changed_at: datetime


@dataclass(frozen=True)
class Labelled:
    """A server dataset as it stands: its records' ids, every response, the guidelines shown."""

    candidate_ids: frozenset[str]
    responses: tuple[Response, ...]
    guidelines: str


class Argilla:
    """A signed-in connection to one server; close it, or use it in a `with` block."""

    def __init__(self, url: str, headers: Mapping[str, str], *, ours: bool) -> None:
        """`ours`: a server that `gates up` runs here, so no proxy stands between."""
        self.url = url.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.url}/api/v1/", headers=dict(headers), timeout=60, trust_env=not ours
        )

    def __enter__(self) -> "Argilla":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, **request: Any) -> Json:
        """One request; its answer as JSON. Raises InputError when it fails or is refused."""
        try:
            answer = self._http.request(method, path, **request)
        except httpx.TransportError as error:
            raise InputError(f"Argilla does not answer at {self.url}", then=START) from error
        if answer.is_error:
            raise InputError(
                f"Argilla at {self.url} refused {method} {path} ({answer.status_code}: "
                f"{answer.text[:300]})",
                then="see `gates doctor`",
            )
        found: Json = answer.json() if answer.content else {}
        return found

    def items(self, path: str, **params: str) -> list[Json]:
        """The `items` of a listing."""
        found: list[Json] = self.call("GET", path, params=params)["items"]
        return found


def connect() -> Argilla:
    """Sign in where GATES_ARGILLA_URL and GATES_ARGILLA_API_KEY say, else at our own server.

    Raises InputError when nothing runs or answers there, or the account is refused.
    """
    url = os.environ.get("GATES_ARGILLA_URL")
    if url:
        key = os.environ.get("GATES_ARGILLA_API_KEY", "")
        argilla = Argilla(url, {"X-Argilla-Api-Key": key}, ours=False)
        argilla.call("GET", "me")
        return argilla
    url, accounts = _our_server()
    with Argilla(url, {}, ours=True) as stranger:
        token = stranger.call("POST", "token", data=_owner(accounts))["access_token"]
    return Argilla(url, {"Authorization": f"Bearer {token}"}, ours=True)


def accounts_file() -> Path:
    """Where `gates up` keeps the accounts' passwords."""
    return data_folder() / ".services" / "accounts.json"


def users(argilla: Argilla, *, role: str | None = None) -> dict[str, str]:
    """User id -> name of every account, or of those with a role (owner, admin, annotator)."""
    found = argilla.items("users")
    return {user["id"]: user["username"] for user in found if role in (None, user["role"])}


def workspace_id(argilla: Argilla, name: str) -> str | None:
    """The id of a workspace, or None."""
    found = argilla.items("me/workspaces")
    return next((str(one["id"]) for one in found if one["name"] == name), None)


def ensure_workspace(argilla: Argilla, name: str, annotators: Mapping[str, str]) -> str:
    """The id of the workspace, made where it is missing; the annotators are its members."""
    found = workspace_id(argilla, name)
    workspace = found or str(argilla.call("POST", "workspaces", json={"name": name})["id"])
    members = {user["id"] for user in argilla.items(f"workspaces/{workspace}/users")}
    for user in annotators.keys() - members:
        argilla.call("POST", f"workspaces/{workspace}/users", json={"user_id": user})
    return workspace


def server_datasets(argilla: Argilla, workspace: str) -> dict[str, Json]:
    """Name -> dataset of a workspace; half-made ones have status `draft`."""
    return {one["name"]: one for one in argilla.items("me/datasets", workspace_id=workspace)}


def ensure_server_dataset(argilla: Argilla, workspace: str, name: str, task: Task) -> str:
    """The id of a published dataset for the task.

    One that was left half made holds no record yet: it is deleted and made again. A published one
    keeps its questions and guidelines; only our page in it is brought up to date.
    """
    found = server_datasets(argilla, workspace).get(name)
    if found and found["status"] == "ready":
        _update_templates(argilla, found["id"], task)
        return str(found["id"])
    if found:
        argilla.call("DELETE", f"datasets/{found['id']}")
    return _make_server_dataset(argilla, workspace, name, task)


def upsert_records(argilla: Argilla, dataset_id: str, records: Sequence[Record]) -> int:
    """Send records in the order given; one that is there by its external id stays one."""
    batches = [records[at : at + BATCH] for at in range(0, len(records), BATCH)]
    for batch in progress(batches, total=len(batches), what="records to Argilla"):
        rows = [{"external_id": one.external_id, "fields": one.fields} for one in batch]
        argilla.call("PUT", f"datasets/{dataset_id}/records/bulk", json={"items": rows})
    return len(records)


def labelled(argilla: Argilla, dataset: Json, names: Mapping[str, str]) -> Labelled:
    """All records and responses of a dataset; `names` maps user ids to names."""
    records = {record["id"]: record for record in _records(argilla, dataset["id"])}
    ids = frozenset(str(record["external_id"]) for record in records.values())
    responses = [
        _response(record, response, names)
        for record in records.values()
        for response in record.get("responses") or ()
    ]
    return Labelled(ids, tuple(responses), dataset["guidelines"] or "")


def _our_server() -> tuple[str, Path]:
    state = data_folder() / ".services" / "services.json"
    if not state.is_file():
        raise InputError(f"Argilla does not run for {data_folder()}", then=START)
    return json.loads(state.read_text(encoding="utf-8"))["argilla_url"], accounts_file()


def _owner(accounts: Path) -> dict[str, str]:
    known = json.loads(accounts.read_text(encoding="utf-8"))
    owners = [name for name, account in known.items() if account["role"] == "owner"]
    if not owners:
        raise InputError(f"{accounts} has no account", expected="one with role owner")
    return {"username": owners[0], "password": known[owners[0]]["password"]}


def _make_server_dataset(argilla: Argilla, workspace: str, name: str, task: Task) -> str:
    settings = {
        "name": name,
        "workspace_id": workspace,
        "guidelines": task.guidelines.text,
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": task.min_submitted},
    }
    dataset_id = str(argilla.call("POST", "datasets", json=settings)["id"])
    for field in task.fields:
        argilla.call("POST", f"datasets/{dataset_id}/fields", json=_field(field))
    for question in task.questions:
        argilla.call("POST", f"datasets/{dataset_id}/questions", json=_question(question))
    argilla.call("PUT", f"datasets/{dataset_id}/publish")
    return dataset_id


def _update_templates(argilla: Argilla, dataset_id: str, task: Task) -> None:
    ours = {field.name: _field(field)["settings"] for field in task.fields}
    for there in argilla.items(f"datasets/{dataset_id}/fields"):
        settings = ours.get(there["name"])
        if settings and settings != there["settings"]:
            argilla.call("PATCH", f"fields/{there['id']}", json={"settings": settings})


def _field(field: Field) -> Json:
    text = {"type": "text", "use_markdown": False}
    page = {"type": "custom", "template": field.template, "advanced_mode": True}
    settings = page if field.template is not None else text
    return {"name": field.name, "title": field.title, "required": True, "settings": settings}


def _question(question: Question) -> Json:
    options = [{"value": one.value, "text": one.words} for one in question.options]
    settings = {"type": "label_selection", "options": options} if options else {"type": "text"}
    return {
        "name": question.name,
        "title": question.title,
        "description": question.description,
        "required": question.required,
        "settings": settings,
    }


def _records(argilla: Argilla, dataset_id: str) -> Iterator[Json]:
    """Every record with its responses, page by page."""
    offset, total = 0, 1
    while offset < total:
        params = {"include": "responses", "offset": offset, "limit": BATCH}
        page = argilla.call("GET", f"datasets/{dataset_id}/records", params=params)
        offset, total = offset + BATCH, page["total"]
        yield from page["items"]


def _response(record: Json, response: Json, names: Mapping[str, str]) -> Response:
    values = response["values"] or {}
    answers = {name: str(answer["value"]) for name, answer in values.items() if answer["value"]}
    changed = datetime.fromisoformat(response["updated_at"])
    return Response(
        candidate_id=str(record["external_id"]),
        annotator=names[response["user_id"]],
        status=response["status"],
        answers=answers,
        changed_at=changed.replace(tzinfo=changed.tzinfo or UTC).astimezone(UTC),
    )
