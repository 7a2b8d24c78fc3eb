"""A dataset of any fields and questions on the running server, for the tests of its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
from services_fixture import session

from labelling.services import Services

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Published:
    """The dataset's id and page, and its records' ids in the order they were given."""

    dataset: str
    address: str
    records: list[str]


def publish(
    services: Services,
    *,
    fields: Mapping[str, Settings],
    questions: Mapping[str, Settings],
    records: Sequence[Mapping[str, Any]],
    properties: Mapping[str, Settings] | None = None,
    **dataset: Any,
) -> Published:
    """Publish it in a workspace of its own with annotator_a; parts are name -> settings.

    Every part's title is its name; settings may hold `title` and `description` beside the
    server's own.
    """
    owner = session(services, "owner")
    me = session(services, "annotator_a").get("/me").json()["id"]
    workspace = post(owner, "/workspaces", {"name": f"w-{uuid4().hex[:8]}"})["id"]
    post(owner, f"/workspaces/{workspace}/users", {"user_id": me})
    dataset = {"name": "d", "workspace_id": workspace} | dataset
    path = f"/datasets/{post(owner, '/datasets', dataset)['id']}"
    for kind, parts in {"fields": fields, "questions": questions}.items():
        for name, settings in parts.items():
            post(owner, f"{path}/{kind}", _part(name, settings) | {"required": True})
    for name, settings in (properties or {}).items():
        post(owner, f"{path}/metadata-properties", _part(name, settings))
    owner.put(f"{path}/publish").raise_for_status()
    made = post(owner, f"{path}/records/bulk", {"items": list(records)})["items"]
    address = f"{services.argilla_url}/dataset/{path.split('/')[-1]}/annotation-mode"
    return Published(path.split("/")[-1], address, [one["id"] for one in made])


def _part(name: str, settings: Settings) -> dict[str, Any]:
    beside = {key: settings[key] for key in ("title", "description") if key in settings}
    inside = {key: value for key, value in settings.items() if key not in beside}
    return {"name": name, "title": name, "settings": inside} | beside


def post(client: httpx.Client, path: str, body: Mapping[str, Any]) -> Any:
    answer = client.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()
