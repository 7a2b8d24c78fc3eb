"""What an annotator may do and see: their own answers, and nothing of anybody else's.

Three layers, for annotators only (owners and admins see what Argilla shows them):
- `OPEN` lists every route an annotator has business with; any other is refused, so a route
  that a new version brings is closed until somebody decides.
- A search may not filter or sort by what is hidden (hidden metadata; a suggestion's agent,
  score or type): the number of hits would tell it.
- Every answer of the API passes `blinded`, which takes out, wherever they occur, the answers
  and names of others, hidden metadata, and where a suggestion came from.

How far the others are is no secret (a record's status, the progress of a dataset); what they
answered is.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated, Any
from uuid import UUID

from argilla_server.database import AsyncSessionLocal
from argilla_server.errors import ForbiddenOperationError
from argilla_server.models import MetadataProperty, User
from argilla_server.security.authentication import auth
from argilla_server.security.authentication.provider import AuthenticationProvider
from fastapi import Depends, FastAPI, Request
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Routes that ask for no account; they tell nothing about records or people.
PUBLIC = frozenset(
    {
        ("GET", "/version"),
        ("GET", "/status"),
        ("GET", "/settings"),
        ("POST", "/token"),
        ("GET", "/oauth2/providers"),
        ("GET", "/oauth2/providers/{provider}/authentication"),
        ("GET", "/oauth2/providers/{provider}/access-token"),
    }
)

# Routes the annotator's page uses.
OPEN = frozenset(
    {
        ("GET", "/me"),
        ("GET", "/me/workspaces"),
        ("GET", "/me/datasets"),
        ("GET", "/me/datasets/{dataset_id}/metadata-properties"),
        ("GET", "/me/datasets/{dataset_id}/metrics"),
        ("POST", "/me/datasets/{dataset_id}/records/search"),
        ("POST", "/me/responses/bulk"),
        ("GET", "/workspaces/{workspace_id}"),
        ("GET", "/datasets/{dataset_id}"),
        ("GET", "/datasets/{dataset_id}/fields"),
        ("GET", "/datasets/{dataset_id}/questions"),
        ("GET", "/datasets/{dataset_id}/vectors-settings"),
        ("GET", "/datasets/{dataset_id}/progress"),
        ("GET", "/datasets/{dataset_id}/records/search/suggestions/options"),
        ("GET", "/metadata-properties/{metadata_property_id}/metrics"),
        ("GET", "/records/{record_id}"),
        ("GET", "/records/{record_id}/suggestions"),
        ("POST", "/records/{record_id}/responses"),
        ("PUT", "/responses/{response_id}"),
        ("DELETE", "/responses/{response_id}"),
    }
)

Visible = dict[str, set[str]]  # dataset id -> the metadata names annotators may see


@dataclass(frozen=True)
class Annotator:
    """Who asks; Argilla's own object cannot be read any more once the database has failed."""

    user_id: str
    username: str


def install(api: FastAPI) -> None:
    """Put the three layers on Argilla's API application, before it serves."""
    # Another instance, because overriding a dependency by itself would never end.
    original = AuthenticationProvider()

    async def blind_user(
        request: Request, user: Annotated[User, Depends(original.get_current_user)]
    ) -> User:
        if user.is_annotator:
            request.state.annotator = Annotator(str(user.id), user.username)
            session = user.current_async_session  # a second one might be waited for
            assert session is not None
            await _check(request, session)
        return user

    api.dependency_overrides[auth.get_current_user] = blind_user
    api.add_middleware(BlindAnswers)


async def _check(request: Request, db: AsyncSession) -> None:
    if (request.method, request.scope["route"].path) not in OPEN:
        raise ForbiddenOperationError("This is not open to annotators.")
    if request.url.path.endswith("/records/search"):
        await _check_search(await request.body(), request.path_params["dataset_id"], db)


async def _check_search(body: bytes, dataset_id: str, db: AsyncSession) -> None:
    visible = (await _visible_metadata(db, [dataset_id])).get(dataset_id, set())
    for scope in _scopes(json.loads(body)):
        name = scope.get("metadata_property")
        if (name is not None and name not in visible) or _by_source(scope):
            raise ForbiddenOperationError("Annotators cannot search by what is hidden from them.")


def _by_source(scope: dict[str, Any]) -> bool:
    return scope.get("entity") == "suggestion" and scope.get("property") in _SOURCE


def _scopes(query: Any) -> Iterable[dict[str, Any]]:
    """Every filter's and sort's scope in a search query, however deep."""
    if isinstance(query, dict):
        if isinstance(query.get("scope"), dict):
            yield query["scope"]
        query = list(query.values())
    if isinstance(query, list):
        for part in query:
            yield from _scopes(part)


def blinded(answer: Any, user: Annotator, visible: Visible) -> Any:
    """The answer (JSON) as this user may see it; a copy, the argument stays as it is."""
    if isinstance(answer, list):
        return [blinded(item, user, visible) for item in answer if not _is_anothers(item, user)]
    if not isinstance(answer, dict):
        return answer
    return {key: _part(answer, key, user, visible) for key in answer}


def _part(answer: dict[str, Any], key: str, user: Annotator, visible: Visible) -> Any:
    value = answer[key]
    if key == "metadata":
        return _shown(value, visible.get(answer["dataset_id"], set())) if _is_record(answer) else {}
    if key == "agents" or (key in _SOURCE and "question_id" in answer):
        return [] if key == "agents" else None
    # Texts and answers are content: a field that happens to be named `agents` is no agent.
    return value if key in _CONTENT else blinded(value, user, visible)


_SOURCE = frozenset({"agent", "score", "type"})
_CONTENT = frozenset({"fields", "values", "value", "settings"})


def _is_anothers(item: Any, user: Annotator) -> bool:
    """Whether an item of a list is another's answer, or another person."""
    if not isinstance(item, dict):
        return False
    return any(item.get(key, value) != value for key, value in asdict(user).items())


def _is_record(answer: dict[str, Any]) -> bool:
    return "dataset_id" in answer and "fields" in answer


def _shown(metadata: dict[str, Any] | None, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in (metadata or {}).items() if name in names}


def _dataset_ids(answer: Any) -> set[str]:
    """The datasets of the records in an answer."""
    if isinstance(answer, list):
        return {one for item in answer for one in _dataset_ids(item)}
    if not isinstance(answer, dict):
        return set()
    if _is_record(answer):
        return {answer["dataset_id"]}
    return {one for value in answer.values() for one in _dataset_ids(value)}


async def _visible_metadata(db: AsyncSession, dataset_ids: Iterable[str]) -> Visible:
    properties = select(MetadataProperty).where(
        MetadataProperty.dataset_id.in_([UUID(one) for one in dataset_ids])
    )
    visible: Visible = {}
    for one in await db.scalars(properties):
        if one.visible_for_annotators:
            visible.setdefault(str(one.dataset_id), set()).add(one.name)
    return visible


class BlindAnswers:
    """ASGI middleware: holds a JSON answer to an annotator back, and sends it blinded."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        held: list[Message] = []

        async def blind_send(message: Message) -> None:
            user = state.get("annotator")  # there, if at all, by the time the answer starts
            if user is None:
                await send(message)
                return
            held.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                for blind in await _blind_messages(held, user):
                    await send(blind)

        await self.app(scope, receive, blind_send)


async def _blind_messages(held: list[Message], user: Annotator) -> list[Message]:
    start, *parts = held
    body = b"".join(part.get("body", b"") for part in parts)
    headers = {name.lower(): value for name, value in start["headers"]}
    if body and headers.get(b"content-type", b"").startswith(b"application/json"):
        answer = json.loads(body)
        async with AsyncSessionLocal() as db:
            visible = await _visible_metadata(db, _dataset_ids(answer))
        body = json.dumps(blinded(answer, user, visible), ensure_ascii=False).encode()
        headers[b"content-length"] = str(len(body)).encode()
    start = {**start, "headers": list(headers.items())}
    return [start, {"type": "http.response.body", "body": body}]
