"""The only door to Argilla. Everything goes over its REST API, as the owner.

The Python SDK is not used: it hides what `labels` needs (when a response was changed, whose it is)
and would be a second way to do the rest. An account is known here by id and name, a record by its
external id (= candidate_id).
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from labelling.console import progress
from labelling.pseudonyms import is_pseudonym
from labelling.tables import InputError, data_folder
from labelling.tasks import Field, Question, Record, Task
from labelling.unreached import no_address, unreached

START = "start it with `gates up --detach`"
BATCH = 50
"""Records a request: with their conversations some megabytes at most."""

_STATUSES = ("completed", "pending")
Json = dict[str, Any]


class NotRunning(InputError):
    """Nothing answers where our own server would be."""


class Argilla:
    """A signed-in connection to one server; close it, or use it in a `with` block."""

    def __init__(self, url: str, headers: Mapping[str, str], *, ours: bool) -> None:
        """`ours`: a server that `gates up` runs here, so no proxy stands between."""
        self.url, self.ours = url.rstrip("/"), ours
        api = f"{self.url}/api/v1/"
        try:
            self._http = httpx.Client(
                base_url=api, headers=dict(headers), timeout=60, trust_env=not ours
            )
        except httpx.InvalidURL as error:
            raise no_address(self.url) from error

    def __enter__(self) -> "Argilla":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, **request: Any) -> Json:
        """One request; its answer as JSON. Raises InputError when it fails or is refused."""
        answer = self._request(method, path, **request)
        if answer.is_error:
            raise self._refused(method, path, answer)
        return self._plain(answer) if answer.content else {}

    def offers(self, path: str, **params: str | int) -> Json | None:
        """A page that only a server of ours has; None where there is no such page."""
        answer = self._request("GET", path, params=params)
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        if answer.is_error:
            raise self._refused("GET", path, answer)
        return self._plain(answer)

    def _request(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **request)
        except httpx.TransportError as error:
            raise self._unreached(error) from error
        if answer.is_redirect:
            raise InputError(
                f"{self.url} sends one on to {answer.headers.get('location', 'nowhere')}",
                expected="Argilla itself",
                then="set GATES_ARGILLA_URL to where it leads",
            )
        return answer

    def _unreached(self, error: Exception) -> InputError:
        """What is in the way, where no answer came at all."""
        if self.ours:
            return NotRunning(f"Argilla does not answer at {self.url}", then=START)
        if isinstance(error, httpx.UnsupportedProtocol):
            return no_address(self.url)
        return unreached(self.url, error)

    def _plain(self, answer: httpx.Response) -> Json:
        try:
            found: Json = answer.json()
        except ValueError as error:
            raise InputError(
                f"{self.url} answers with a page that is not Argilla's",
                then="see where GATES_ARGILLA_URL leads",
            ) from error
        return found

    def _refused(self, method: str, path: str, answer: httpx.Response) -> InputError:
        said = _detail(answer)
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE and said:
            return InputError(
                f"Argilla at {self.url} answers: {said.partition(';')[0]}",
                then="see what `gates doctor` says, then run this again",
            )
        what = f"refused {method} {path} ({answer.status_code}: {answer.text[:300]})"
        return InputError(f"Argilla at {self.url} {what}", then="see `gates doctor`")

    def items(self, path: str, **params: str) -> list[Json]:
        """The `items` of a listing."""
        found: list[Json] = self.call("GET", path, params=params)["items"]
        return found


def _detail(answer: httpx.Response) -> str:
    """The sentence that our server gives with a failure, "" where there is none."""
    try:
        found = answer.json()
    except ValueError:
        return ""
    said = found.get("detail") if isinstance(found, dict) else None
    return said if isinstance(said, str) else ""


def connect() -> Argilla:
    """Sign in where GATES_ARGILLA_URL and GATES_ARGILLA_API_KEY say, else at our own server.

    Raises InputError when nothing runs or answers there, or the account is refused.
    """
    url = elsewhere()
    if url:
        key = os.environ.get("GATES_ARGILLA_API_KEY", "")
        argilla = Argilla(url, {"X-Argilla-Api-Key": key}, ours=False)
        argilla.call("GET", "me")
        return argilla
    return sign_in(*_our_server())


def connect_if_running() -> Argilla | None:
    """As `connect`; None where our own server does not run."""
    try:
        return connect()
    except NotRunning:
        if elsewhere():
            raise
        return None


def sign_in(url: str, accounts: Path) -> Argilla:
    """Sign in at a server of ours as an owner whose password stands in the accounts file."""
    with Argilla(url, {}, ours=True) as stranger:
        token = stranger.call("POST", "token", data=_owner(accounts))["access_token"]
    return Argilla(url, {"Authorization": f"Bearer {token}"}, ours=True)


def elsewhere() -> str | None:
    """The address of another server than our own, where GATES_ARGILLA_URL names one."""
    return os.environ.get("GATES_ARGILLA_URL") or None


def accounts_file() -> Path:
    """Where `gates up` keeps the accounts' passwords."""
    return data_folder() / ".services" / "accounts.json"


def users(argilla: Argilla, *, role: str | None = None) -> dict[str, str]:
    """User id -> name of every account, or of those with a role (owner, admin, annotator).

    People who were removed and whose answers stay have no role: nobody signs in for them.
    """
    found = {user["id"]: user for user in argilla.items("users")}
    names = {user_id: user["username"] for user_id, user in found.items()}
    if role is None:
        return names
    return {u: n for u, n in names.items() if found[u]["role"] == role and not is_pseudonym(n)}


def roles(argilla: Argilla) -> dict[str, str]:
    """Name -> role of every account, but those of people who were removed."""
    found = {user["username"]: str(user["role"]) for user in argilla.items("users")}
    return {name: role for name, role in found.items() if not is_pseudonym(name)}


def create_user(argilla: Argilla, name: str, password: str, role: str) -> None:
    """Make an account; one of that name must not be there."""
    names = {"username": name, "first_name": name}
    argilla.call("POST", "users", json={**names, "password": password, "role": role})


def set_password(argilla: Argilla, name: str, password: str) -> None:
    """Give an account that is there another password."""
    user_id = next(user_id for user_id, found in users(argilla).items() if found == name)
    argilla.call("PATCH", f"users/{user_id}", json={"password": password})


def remove_user(argilla: Argilla, name: str, *, erase: bool) -> Json:
    """Remove an account that is there: under its pseudonym, or with all its answers.

    Returns pseudonym, answers (kept or erased), opened (server dataset -> records that are no
    longer complete).
    """
    removal = {"username": name, "erase": erase}
    return argilla.call("POST", "gates/removals", json=removal)


def workspace_id(argilla: Argilla, name: str) -> str | None:
    """The id of a workspace, or None."""
    found = argilla.items("me/workspaces")
    return next((str(one["id"]) for one in found if one["name"] == name), None)


def members(argilla: Argilla, workspace: str) -> set[str]:
    """The user ids of a workspace's members; owners are in every workspace without being one."""
    return {str(user["id"]) for user in argilla.items(f"workspaces/{workspace}/users")}


def remove_member(argilla: Argilla, workspace: str, user_id: str) -> None:
    """Close a workspace to somebody; what they answered in it stays."""
    argilla.call("DELETE", f"workspaces/{workspace}/users/{user_id}")


def ensure_workspace(argilla: Argilla, name: str, annotators: Mapping[str, str]) -> str:
    """The id of the workspace, made where it is missing; the annotators are its members."""
    found = workspace_id(argilla, name)
    workspace = found or str(argilla.call("POST", "workspaces", json={"name": name})["id"])
    for user in annotators.keys() - members(argilla, workspace):
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


def counts(argilla: Argilla) -> dict[str, int]:
    """How many records and responses the server has, all datasets together, as it counts them."""
    ready = [one["id"] for one in argilla.items("me/datasets") if one["status"] == "ready"]
    records = [argilla.call("GET", f"datasets/{one}/progress")["total"] for one in ready]
    people = [argilla.call("GET", f"datasets/{one}/users/progress")["users"] for one in ready]
    statuses = [user.get(status, {}) for users in people for user in users for status in _STATUSES]
    responses = sum(sum(by_status.values()) for by_status in statuses)
    return {"records": sum(records), "responses": responses}


def upsert_records(argilla: Argilla, dataset_id: str, records: Sequence[Record]) -> int:
    """Send records in the order given; one that is there by its external id stays one."""
    batches = [records[at : at + BATCH] for at in range(0, len(records), BATCH)]
    for batch in progress(batches, total=len(batches), what="records to Argilla"):
        rows = [{"external_id": one.external_id, "fields": one.fields} for one in batch]
        argilla.call("PUT", f"datasets/{dataset_id}/records/bulk", json={"items": rows})
    return len(records)


def delete_records(argilla: Argilla, dataset_id: str, record_ids: Sequence[str]) -> None:
    """Delete records by Argilla's ids, with whatever was answered to them."""
    for at in range(0, len(record_ids), BATCH):
        ids = ",".join(record_ids[at : at + BATCH])
        argilla.call("DELETE", f"datasets/{dataset_id}/records", params={"ids": ids})


def _our_server() -> tuple[str, Path]:
    state = data_folder() / ".services" / "services.json"
    if not state.is_file():
        raise NotRunning(f"Argilla does not run for {data_folder()}", then=START)
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
    settings: Json = (
        {"type": "label_selection", "options": options} if options else {"type": "text"}
    )
    if question.marks:
        settings = {"type": "span", "field": question.marks, "options": options}
    return {
        "name": question.name,
        "title": question.title,
        "description": question.description,
        "required": question.required,
        "settings": settings,
    }
