"""Answers in Argilla over its API, as the page gives them; records are found by external id."""

from collections.abc import Mapping
from typing import Any

import httpx
from services_fixture import session

from labelling.services import Services


def records(http: httpx.Client, study: str, where: str) -> dict[str, dict[str, Any]]:
    """External id -> record of a study's dataset, as somebody who is signed in sees it."""
    named = {one["id"]: one["name"] for one in http.get("/me/workspaces").json()["items"]}
    (mine,) = (
        one["id"]
        for one in http.get("/me/datasets").json()["items"]
        if one["name"] == where and named[one["workspace_id"]].split(".")[0] == study
    )
    path, found = f"/me/datasets/{mine}/records/search", []
    while page := _page(http, path, len(found)):
        found += page
    return {one["record"]["external_id"]: one["record"] for one in found}


def answer(
    services: Services,
    study: str,
    name: str,
    answers: Mapping[str, Mapping[str, str]],
    where: str = "candidates-r1",
) -> None:
    """Submit answers (external id -> question -> answer) as somebody."""
    http = _signed_in(services, name)
    there = records(http, study, where)
    items = [
        {
            "record_id": there[external_id]["id"],
            "status": "submitted",
            "values": {question: {"value": value} for question, value in given.items()},
        }
        for external_id, given in answers.items()
    ]
    for at in range(0, len(items), 50):
        sent = {"items": items[at : at + 50]}
        done = http.post("/me/responses/bulk", json=sent).raise_for_status().json()
        assert all(one["item"] for one in done["items"]), done


_SESSIONS: dict[tuple[str, str], httpx.Client] = {}


def _signed_in(services: Services, name: str) -> httpx.Client:
    """Signing in takes long, on purpose: once for all answers of a person."""
    key = (services.argilla_url, name)
    if key not in _SESSIONS:
        _SESSIONS[key] = session(services, name)
    return _SESSIONS[key]


def _page(http: httpx.Client, path: str, offset: int) -> list[dict[str, Any]]:
    asked = {"limit": 100, "offset": offset}
    found: list[dict[str, Any]] = http.post(path, json={}, params=asked).json()["items"]
    return found
