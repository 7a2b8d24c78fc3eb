"""Similarity by exact cosine: every vector is compared, none is approximated.

The vectors are read some at a time and compared in a thread, so that the server goes on answering
meanwhile. A score is 0-1: (1 + cosine) / 2, or (1 - cosine) / 2 where the least similar are asked
for, so the greatest scores come first in either case. A vector of length zero has no direction and
is not found.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from argilla_server.enums import SimilarityOrder
from argilla_server.models import Record, Vector, VectorSettings
from sqlalchemy import ColumnElement, Row, Text, cast, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from labelling.server.search.dialect import IS_SQLITE

_AT_A_TIME = 500
"""Vectors in memory at once."""

Scored = tuple[float, UUID]


async def cosines(
    db: AsyncSession,
    settings: VectorSettings,
    wanted: list[float],
    where: ColumnElement[bool],
) -> list[Scored]:
    """Cosines of the records that satisfy the condition, with their ids, in no order.

    Raises ValueError for a vector of another length than the settings say.
    """
    _check(wanted, settings)
    text = type_coerce(Vector.value, Text) if IS_SQLITE else cast(Vector.value, Text)
    vectors = select(Record.id, text).join(Vector, Vector.record_id == Record.id)
    rows = await db.stream(vectors.where(Vector.vector_settings_id == settings.id, where))
    found: list[Scored] = []
    async for some in rows.partitions(_AT_A_TIME):
        found += await asyncio.to_thread(_cosines, some, wanted)
    return found


def ranked(cosines: list[Scored], order: SimilarityOrder) -> list[Scored]:
    """Scores, greatest first; equal ones in the order of the records' ids."""
    sign = -1 if order == SimilarityOrder.least_similar else 1
    scored = [((1 + sign * cosine) / 2, record) for cosine, record in cosines]
    return sorted(scored, key=lambda one: (-one[0], one[1]))


def _check(wanted: list[float], settings: VectorSettings) -> None:
    if len(wanted) != settings.dimensions or not any(wanted):
        raise ValueError(
            f"The vector has {len(wanted)} numbers; `{settings.name}` has {settings.dimensions}, "
            "and not all of them may be 0: give such a vector."
        )


def _cosines(rows: Sequence[Row[Any]], wanted: list[float]) -> list[Scored]:
    vectors = np.array(json.loads(f"[{','.join(text for _, text in rows)}]"), dtype=float)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(wanted)
    dots = vectors @ np.array(wanted, dtype=float)
    return [
        (float(dot / length), record)
        for dot, length, (record, _) in zip(dots, lengths, rows, strict=True)
        if length
    ]
