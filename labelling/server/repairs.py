"""Argilla's own faults, mended: what would answer 500 to a request that is in order."""

from typing import Any

from argilla_server.api.handlers.v1 import records
from argilla_server.api.schemas.v1.records import RecordUpdate
from argilla_server.models import Record, Vector
from sqlalchemy.orm import selectinload


def install() -> None:
    """Mend what is imported already, before it serves."""
    RecordUpdate.__non_nullable_fields__ = {"suggestions"}
    records.selectinload = _load_named_vectors  # type: ignore[assignment]


def _load_named_vectors(attribute: Any) -> Any:
    """A record's vectors come with their settings: it is shown with the names of these."""
    loaded = selectinload(attribute)
    return loaded.selectinload(Vector.vector_settings) if attribute is Record.vectors else loaded
