"""Routes of our own beside Argilla's, for owners alone.

- `GET /gates/history`: the changes of a workspace's answers, in order, a page at a time.
- `POST /gates/removals`: remove a person, with or without the answers.
"""

from typing import Annotated, Any

from argilla_server.contexts import accounts
from argilla_server.database import get_async_db
from argilla_server.errors import ForbiddenOperationError
from argilla_server.models import User
from argilla_server.search_engine import SearchEngine, get_search_engine
from argilla_server.security import auth
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Security
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server import people
from labelling.server.changes import PAGE, change
from labelling.server.people import Removed

MAX_PAGE = 1000  # changes

Database = Annotated[AsyncSession, Depends(get_async_db)]


async def _owner(user: Annotated[User, Security(auth.get_current_user)]) -> User:
    if not user.is_owner:
        raise ForbiddenOperationError("This is open to owners only.")
    return user


router = APIRouter(prefix="/gates", tags=["gates"], dependencies=[Depends(_owner)])


class Removal(BaseModel):
    """Whom to remove, and whether the answers go, too."""

    username: str
    erase: bool = False


@router.get("/history")
async def read_history(
    *,
    db: Database,
    workspace: str,
    after: Annotated[int, Query(ge=0, lt=2**63)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = MAX_PAGE,
) -> dict[str, Any]:
    """Changes after the one with id `after`, and the guidelines they name by id."""
    page = {"workspace": workspace, "after": after, "limit": limit}
    items = [change(dict(row)) for row in (await db.execute(text(PAGE), page)).mappings()]
    known = await db.execute(text("SELECT id, text FROM gates_guidelines"))
    named = {item["guidelines_id"] for item in items}
    return {"items": items, "guidelines": {row.id: row.text for row in known if row.id in named}}


@router.post("/removals")
async def remove(
    *,
    db: Database,
    engine: Annotated[SearchEngine, Depends(get_search_engine)],
    removal: Removal,
) -> Removed:
    """Remove the account; 404 where there is none of that name."""
    user = await accounts.get_user_by_username(db, removal.username)
    if user is None:
        raise HTTPException(404, f"There is no account {removal.username!r}.")
    if await people.is_last_owner(db, user):
        raise HTTPException(422, f"{removal.username!r} is the last owner.")
    return await (people.erase(db, engine, user) if removal.erase else people.hide(db, user))


def install(api: FastAPI) -> None:
    """Put the routes on Argilla's API application, before it serves."""
    api.include_router(router)
