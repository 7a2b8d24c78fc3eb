"""The accounts file becomes users of Argilla, at each start.

The file is the truth for the accounts it names: new ones are created, a changed password or
role is taken over. Accounts it does not name stay as they are. Who is to be removed is so before:
a new account of an old name is another person. Roles: owner, admin, annotator.
"""

import asyncio
import sys
from pathlib import Path

from argilla_server.contexts import accounts
from argilla_server.database import AsyncSessionLocal, async_engine
from argilla_server.enums import UserRole
from argilla_server.search_engine import SearchEngine
from argilla_server.settings import settings
from sqlalchemy.ext.asyncio import AsyncSession

import labelling.server.search  # noqa: F401 - registers the search engine
from labelling.server import people
from labelling.server.account_file import Accounts, read, removals


async def apply(wanted: Accounts) -> list[str]:
    """Create or change the users; the names of those that were created or changed."""
    async with AsyncSessionLocal() as db:
        return [name for name, account in wanted.items() if await _apply(db, name, account)]


async def remove(unwanted: dict[str, bool]) -> None:
    """Remove the people named, with their answers where the value is true."""
    async with (
        AsyncSessionLocal() as db,
        SearchEngine.get_by_name(settings.search_engine) as engine,
    ):
        for name, erase in unwanted.items():
            user = await accounts.get_user_by_username(db, name)
            if user is not None:
                await (people.erase(db, engine, user) if erase else people.hide(db, user))


async def _apply(db: AsyncSession, username: str, account: dict[str, str]) -> bool:
    role = UserRole(account["role"])
    user = await accounts.get_user_by_username(db, username)
    if user is None:
        names = {"username": username, "first_name": username, "last_name": None}
        password = account["password"]
        await accounts.create_user(db, {**names, "role": role, "password": password})
        return True
    if user.role == role and accounts.verify_password(account["password"], user.password_hash):
        return False
    await accounts.update_user(db, user, {"role": role, "password": account["password"]})
    return True


def apply_file(path: Path) -> list[str]:
    """Do the removals that wait beside the file, then `apply` it, in an event loop of its own."""
    return asyncio.run(_apply_and_close(path))


async def _apply_and_close(path: Path) -> list[str]:
    waiting = removals(path)
    if waiting.exists():
        await remove(read(waiting))
        waiting.unlink()
    changed = await apply(read(path))
    await async_engine.dispose()  # its connections belong to this event loop
    return changed


if __name__ == "__main__":
    print("\n".join(apply_file(Path(sys.argv[1]))))
