"""What is decided of every route of the API: public, open to annotators, or closed to them.

A route is (method, path as in the OpenAPI document). For an open one it says how it is called:
the address and the body, ids to be filled in.
"""

from typing import Any

Route = tuple[str, str]

INCLUDE = "?include=responses&include=suggestions&include=vectors"
ANSWER = {"values": {"durable": {"value": "yes"}}, "status": "submitted"}
BULK = {"items": [ANSWER | {"record_id": "{fresh_record_id}"}]}


def _routes(text: str) -> set[Route]:
    return {(line.split()[0], line.split()[1]) for line in text.strip().splitlines()}


PUBLIC = _routes("""
GET /version
GET /status
GET /settings
POST /token
GET /oauth2/providers
GET /oauth2/providers/{provider}/authentication
GET /oauth2/providers/{provider}/access-token
""")

_ME = "/me/datasets/{dataset_id}"
_THEIR = "/datasets/{dataset_id}"
_OPTIONS = f"{_THEIR}/records/search/suggestions/options"
_RESPONSE, _RECORD = "/responses/{response_id}", "/records/{record_id}"
_METRICS = "/metadata-properties/{metadata_property_id}/metrics"

OPEN: dict[Route, tuple[str, Any]] = {
    ("GET", "/me"): ("/me", None),
    ("GET", "/me/workspaces"): ("/me/workspaces", None),
    ("GET", "/me/datasets"): ("/me/datasets", None),
    ("GET", f"{_ME}/metadata-properties"): (f"{_ME}/metadata-properties", None),
    ("GET", f"{_ME}/metrics"): (f"{_ME}/metrics", None),
    ("POST", f"{_ME}/records/search"): (f"{_ME}/records/search{INCLUDE}", {}),
    ("POST", "/me/responses/bulk"): ("/me/responses/bulk", BULK),
    ("GET", "/workspaces/{workspace_id}"): ("/workspaces/{workspace_id}", None),
    ("GET", _THEIR): (_THEIR, None),
    ("GET", f"{_THEIR}/fields"): (f"{_THEIR}/fields", None),
    ("GET", f"{_THEIR}/questions"): (f"{_THEIR}/questions", None),
    ("GET", f"{_THEIR}/vectors-settings"): (f"{_THEIR}/vectors-settings", None),
    ("GET", f"{_THEIR}/progress"): (f"{_THEIR}/progress", None),
    ("GET", _OPTIONS): (_OPTIONS, None),
    ("GET", _METRICS): (_METRICS, None),
    ("GET", _RECORD): (_RECORD, None),
    ("GET", f"{_RECORD}/suggestions"): (f"{_RECORD}/suggestions", None),
    ("POST", f"{_RECORD}/responses"): ("/records/{b_only_record_id}/responses", ANSWER),
    ("PUT", _RESPONSE): (_RESPONSE, ANSWER),
    ("DELETE", _RESPONSE): (_RESPONSE, None),
}

CLOSED = _routes("""
POST /datasets
DELETE /datasets/{dataset_id}
PATCH /datasets/{dataset_id}
POST /datasets/{dataset_id}/export
POST /datasets/{dataset_id}/fields
POST /datasets/{dataset_id}/import
POST /datasets/{dataset_id}/metadata-properties
PUT /datasets/{dataset_id}/publish
POST /datasets/{dataset_id}/questions
DELETE /datasets/{dataset_id}/records
GET /datasets/{dataset_id}/records
POST /datasets/{dataset_id}/records/bulk
PUT /datasets/{dataset_id}/records/bulk
POST /datasets/{dataset_id}/records/search
GET /datasets/{dataset_id}/users/progress
POST /datasets/{dataset_id}/vectors-settings
DELETE /fields/{field_id}
PATCH /fields/{field_id}
GET /gates/history
POST /gates/removals
GET /jobs/{job_id}
DELETE /metadata-properties/{metadata_property_id}
PATCH /metadata-properties/{metadata_property_id}
DELETE /questions/{question_id}
PATCH /questions/{question_id}
DELETE /records/{record_id}
PATCH /records/{record_id}
DELETE /records/{record_id}/suggestions
PUT /records/{record_id}/suggestions
DELETE /suggestions/{suggestion_id}
GET /users
POST /users
DELETE /users/{user_id}
GET /users/{user_id}
PATCH /users/{user_id}
GET /users/{user_id}/workspaces
DELETE /vectors-settings/{vector_settings_id}
PATCH /vectors-settings/{vector_settings_id}
GET /webhooks
POST /webhooks
DELETE /webhooks/{webhook_id}
PATCH /webhooks/{webhook_id}
POST /webhooks/{webhook_id}/ping
POST /workspaces
DELETE /workspaces/{workspace_id}
GET /workspaces/{workspace_id}/users
POST /workspaces/{workspace_id}/users
DELETE /workspaces/{workspace_id}/users/{user_id}
""")

# Addresses beside the API: the page, what documents the API, and what other servers have there
BESIDE = (
    "/",
    "/api",
    "/api/_status",
    "/api/docs",
    "/docs",
    "/openapi.json",
    "/share-your-progress?dataset_name=x&dataset_id=x&user_name=x",
    "/datasets",
    "/api/v1",
    "/api/v1/docs",
    "/api/v1/redoc",
    "/api/v1/openapi.json",
    "/api/v1/nothing",
    "/_nuxt/",
    "/argilla.db",
    "/../accounts.json",
)
