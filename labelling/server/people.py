"""Removing a person from Argilla: under a pseudonym, with the answers kept, or without a trace.

Argilla itself would delete the answers with the account, and leave records that lost an answer
marked as completed.
"""

import secrets
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from argilla_server.contexts import accounts, distribution
from argilla_server.enums import UserRole
from argilla_server.models import Dataset, Record, Response, User, Workspace, WorkspaceUser
from argilla_server.models.database import generate_user_api_key
from argilla_server.search_engine import SearchEngine
from argilla_server.settings import settings
from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from labelling.pseudonyms import pseudonym
from labelling.workspaces import ADJUDICATION, of_judges

BATCH = 200  # records a query


@dataclass(frozen=True)
class Removed:
    """What a removal did: answers kept or erased, and records that are no longer completed."""

    pseudonym: str
    answers: int
    opened: dict[str, int]  # "workspace/dataset" -> records


async def hide(db: AsyncSession, user: User) -> Removed:
    """Rename the account to its pseudonym, and let nobody sign in with it; answers stay."""
    name = pseudonym(user.id)
    await db.execute(delete(WorkspaceUser).where(WorkspaceUser.user_id == user.id))
    user.username = user.first_name = name
    user.last_name, user.role = None, UserRole.annotator
    user.api_key = generate_user_api_key()
    user.password_hash = accounts.hash_password(secrets.token_urlsafe())
    await db.commit()
    return Removed(pseudonym=name, answers=await _count(db, user.id), opened={})


async def erase(db: AsyncSession, engine: SearchEngine, user: User) -> Removed:
    """Delete the account, its answers and their history; what is no longer complete is open again.

    What shows the answers to judges goes, too.

    One transaction. SQLite overwrites what it deletes.
    """
    await _overwrite(db)
    answers = await _answers(db, user.id)
    gone = await _forget_shown(db, engine, [answer.record for answer in answers])
    left = [answer for answer in answers if answer.record_id not in gone]
    user_id, records = user.id, [answer.record for answer in left]
    completed = {record.id for record in records if record.is_completed()}
    await db.execute(delete(User).where(User.id == user_id))
    await _forget(db, user_id)
    for at in range(0, len(records), BATCH):
        await distribution.unsafe_update_records_status(db, records[at : at + BATCH])
    await db.commit()
    for answer in left:
        await engine.delete_record_response(answer)
        await engine.partial_record_update(answer.record, status=answer.record.status)
    await _overwrite(db, checkpoint=True)
    opened = [r for r in records if r.id in completed and not r.is_completed()]
    return Removed(pseudonym=pseudonym(user_id), answers=len(answers), opened=_by_dataset(opened))


async def is_last_owner(db: AsyncSession, user: User) -> bool:
    """Whether nobody else could manage the server."""
    others = select(func.count(User.id)).where(User.role == UserRole.owner, User.id != user.id)
    return user.is_owner and not await db.scalar(others)


async def _count(db: AsyncSession, user_id: UUID) -> int:
    count = select(func.count(Response.id)).where(Response.user_id == user_id)
    return await db.scalar(count) or 0


async def _answers(db: AsyncSession, user_id: UUID) -> list[Response]:
    where = joinedload(Response.record).joinedload(Record.dataset).joinedload(Dataset.workspace)
    found = select(Response).where(Response.user_id == user_id)
    return list(await db.scalars(found.options(where, joinedload(Response.user))))


async def _forget(db: AsyncSession, user_id: UUID) -> None:
    """The triggers have just written the deletions into the history, so this comes last."""
    known: Any = user_id.hex if settings.database_is_sqlite else user_id
    await db.execute(text("DELETE FROM gates_history WHERE user_id = :user"), {"user": known})


async def _forget_shown(db: AsyncSession, engine: SearchEngine, records: list[Record]) -> set[UUID]:
    """Delete what shows judges the answers to these records, with what judges said to it.

    Returns the ids of the records that are gone.
    """
    shown: dict[str, set[str]] = {}
    for record in records:
        # one that is shown again has the same id before a full stop
        known = (record.external_id or "").partition(".")[0]
        shown.setdefault(of_judges(record.dataset.workspace.name), set()).add(known)
    gone: set[UUID] = set()
    for workspace, external_ids in shown.items():
        named = Workspace.name == workspace, Dataset.name == ADJUDICATION
        for dataset in (await db.scalars(select(Dataset).join(Workspace).where(*named))).all():
            ids = sorted(external_ids)
            for at in range(0, len(ids), BATCH):
                gone |= await _delete(db, engine, dataset, ids[at : at + BATCH])
    return gone


async def _delete(
    db: AsyncSession, engine: SearchEngine, dataset: Dataset, external_ids: list[str]
) -> set[UUID]:
    named = Record.dataset_id == dataset.id, Record.external_id.in_(external_ids)
    found = list(await db.scalars(select(Record).where(*named)))
    if found:
        await db.execute(delete(Record).where(*named))
        await engine.delete_records(dataset, found)
    return {record.id for record in found}


async def _overwrite(db: AsyncSession, *, checkpoint: bool = False) -> None:
    """Let SQLite fill deleted rows with zeros, and bring them from its log into the file."""
    if settings.database_is_sqlite:
        how = "wal_checkpoint(TRUNCATE)" if checkpoint else "secure_delete = ON"
        await db.execute(text(f"PRAGMA {how}"))


def _by_dataset(records: list[Record]) -> dict[str, int]:
    names = [f"{record.dataset.workspace.name}/{record.dataset.name}" for record in records]
    return {name: names.count(name) for name in sorted(set(names))}
