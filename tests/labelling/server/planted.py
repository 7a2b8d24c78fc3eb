"""A dataset with a mark in every place that annotator_a must not see, here and elsewhere.

annotator_a and annotator_b are members here; only annotator_b is elsewhere. `marks` says which
texts no answer to annotator_a may hold.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import httpx
from hosted import Hosted, host

from labelling.services import Services

A, B = "annotator_a", "annotator_b"
HIDDEN = ("secret-gate", "0.735918462", "1234.5")
"""What `host` itself hides."""


@dataclass(frozen=True)
class Planted:
    """The two datasets, the ids in each, and what must not be told."""

    here: Hosted
    elsewhere: Hosted
    ids: dict[str, str]
    ids_elsewhere: dict[str, str]
    mark: str
    marks: tuple[str, ...]


@contextmanager
def planted(services: Services) -> Iterator[Planted]:
    """Plant, and take away again what other tests could see."""
    here = host(services, members=(A, B))
    elsewhere = host(services, records=1, members=(B,))
    owner, mark = here.clients["owner"], f"hidden-{uuid4().hex[:8]}"
    _answer(here, mark)
    _hide(here, mark)
    _rename(elsewhere, mark)
    user = _user(owner, here.workspace, mark)
    hook = _webhook(owner, mark)
    them = here.clients[B].get("/me").json()["id"]
    marks = (*HIDDEN, mark, B, them, user, hook, elsewhere.workspace, elsewhere.dataset)
    ids = _ids(here, "c0") | {"user_id": user, "webhook_id": hook}
    theirs = _ids(elsewhere, "c0") | {"user_id": them, "webhook_id": hook}
    yield Planted(here, elsewhere, ids, theirs, mark, marks)
    owner.delete(f"/webhooks/{hook}").raise_for_status()
    owner.delete(f"/users/{user}").raise_for_status()


def _answer(here: Hosted, mark: str) -> None:
    """What annotator_b answered, in every status."""
    for record, status in (("c0", "submitted"), ("c5", "draft"), ("c7", "discarded")):
        here.answer(B, record, status, durable="no", note=f"{mark} note {record}")


def _hide(here: Hosted, mark: str) -> None:
    """Metadata that annotators do not see, and who suggested."""
    owner, record = here.clients["owner"], f"/records/{here.records['c0']}"
    secret = {
        "name": f"{mark}-stratum",
        "title": f"{mark} title",
        "settings": {"type": "terms"},
        "visible_for_annotators": False,
    }
    path = f"/datasets/{here.dataset}/metadata-properties"
    owner.post(path, json=secret).raise_for_status()
    known = {"turn": 0, "round": "r1", "gate": f"{mark}-gate", "score": 1234.5}
    extra = {secret["name"]: f"{mark}-sampled", f"{mark}-undeclared": f"{mark}-value"}
    owner.patch(record, json={"metadata": known | extra}).raise_for_status()
    question = owner.get(f"/datasets/{here.dataset}/questions").json()["items"][0]["id"]
    agent = {"question_id": question, "value": "yes", "agent": f"{mark}-agent", "type": "model"}
    owner.put(f"{record}/suggestions", json=agent | {"score": 0.735918462}).raise_for_status()


def _rename(elsewhere: Hosted, mark: str) -> None:
    """Another workspace's texts; every title, guideline and record says where it is from."""
    owner, dataset = elsewhere.clients["owner"], f"/datasets/{elsewhere.dataset}"
    told = {"name": f"{mark} dataset", "guidelines": f"{mark} guidelines"}
    owner.patch(dataset, json=told).raise_for_status()
    for kind in ("fields", "questions", "vectors-settings"):
        for one in owner.get(f"{dataset}/{kind}").json()["items"]:
            title = {"title": f"{mark} {kind}"}
            owner.patch(f"/{kind}/{one['id']}", json=title).raise_for_status()
    for one in _properties(elsewhere):
        path = f"/metadata-properties/{one}"
        owner.patch(path, json={"title": f"{mark} property"}).raise_for_status()
    told = {"fields": {"statement": f"{mark} statement", "transcript": {"turns": [f"{mark} turn"]}}}
    owner.patch(f"/records/{elsewhere.records['c0']}", json=told).raise_for_status()
    elsewhere.answer(B, "c0", "submitted", durable="no", note=f"{mark} note elsewhere")


def _user(owner: httpx.Client, workspace: str, mark: str) -> str:
    names = {"username": f"{mark}-user", "first_name": f"{mark} first", "last_name": f"{mark} last"}
    body = names | {"role": "admin", "password": "long-enough"}
    user = str(owner.post("/users", json=body).raise_for_status().json()["id"])
    path = f"/workspaces/{workspace}/users"
    owner.post(path, json={"user_id": user}).raise_for_status()
    return user


def _webhook(owner: httpx.Client, mark: str) -> str:
    body = {"url": f"http://127.0.0.1:9/{mark}", "events": ["dataset.created"]}
    hook = owner.post("/webhooks", json=body | {"description": mark}).raise_for_status().json()
    owner.patch(f"/webhooks/{hook['id']}", json={"enabled": False}).raise_for_status()
    return str(hook["id"])


def _properties(hosted: Hosted) -> list[str]:
    path = f"/me/datasets/{hosted.dataset}/metadata-properties"
    return [one["id"] for one in hosted.clients["owner"].get(path).json()["items"]]


def _ids(hosted: Hosted, record: str) -> dict[str, str]:
    """What the paths of the document ask for; the metadata property is a hidden one."""
    owner, dataset = hosted.clients["owner"], f"/datasets/{hosted.dataset}"
    found = owner.get(f"/records/{hosted.records[record]}").json()
    kinds = {"field_id": "fields", "question_id": "questions"}
    kinds |= {"vector_settings_id": "vectors-settings"}
    firsts = {
        name: owner.get(f"{dataset}/{kind}").json()["items"][0]["id"]
        for name, kind in kinds.items()
    }
    return firsts | {
        "dataset_id": hosted.dataset,
        "workspace_id": hosted.workspace,
        "record_id": hosted.records[record],
        "b_only_record_id": hosted.records[record],
        "fresh_record_id": hosted.records[record],
        "response_id": found["responses"][0]["id"],
        "suggestion_id": found["suggestions"][0]["id"],
        "metadata_property_id": _properties(hosted)[2],
        "job_id": "none",
    }
