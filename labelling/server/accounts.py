"""Accounts from a file: `{username: {"password": ..., "role": ...}}` becomes users of Argilla.

The file is the truth for the accounts it names: new ones are created, a changed password or
role is taken over. Accounts it does not name stay as they are. Roles: owner, admin, annotator.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import TypedDict

from argilla_server.contexts import accounts
from argilla_server.database import AsyncSessionLocal, async_engine
from argilla_server.enums import UserRole
from sqlalchemy.ext.asyncio import AsyncSession


class Account(TypedDict):
    """What the file says of one account; the password has at least 8 characters."""

    password: str
    role: str


async def apply(wanted: dict[str, Account]) -> list[str]:
    """Create or change the users; the names of those that were created or changed."""
    async with AsyncSessionLocal() as db:
        return [name for name, account in wanted.items() if await _apply(db, name, account)]


async def _apply(db: AsyncSession, username: str, account: Account) -> bool:
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
    """`apply` for a file, in an event loop of its own."""
    return asyncio.run(_apply_and_close(json.loads(path.read_text(encoding="utf-8"))))


async def _apply_and_close(wanted: dict[str, Account]) -> list[str]:
    changed = await apply(wanted)
    await async_engine.dispose()  # its connections belong to this event loop
    return changed


if __name__ == "__main__":
    print("\n".join(apply_file(Path(sys.argv[1]))))
