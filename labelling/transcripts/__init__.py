"""Transcripts in: one reader per export format, and one place that turns them into tables.

`read(path)` gives a file's sessions, turns, events and rejects; nothing of it is lost silently. A
reader yields plain conversations (`model`), `build` makes the tables, `formats` is the table of
readers, and `ingest` merges files into a study.
"""

from pathlib import Path

from labelling.tables import InputError
from labelling.transcripts.build import Defaults, build
from labelling.transcripts.formats import FORMATS, choose
from labelling.transcripts.model import PARTNERS, Read, Reject
from labelling.transcripts.source import source_of

__all__ = ["FORMATS", "Read", "Reject", "read"]


def read(
    path: str | Path,
    format: str = "auto",  # noqa: A002
    *,
    partner: str = "assistant",
    licence: str | None = None,
) -> Read:
    """A file as `sessions, turns, events` in their schemas, and its rejects.

    `partner` and `licence` hold where the file says nothing; `-` is standard input. Raises
    InputError when the file is missing, empty, in no known format or damaged as a whole.
    """
    if partner not in PARTNERS:
        raise InputError(f"there is no partner {partner!r}", expected=f"one of: {PARTNERS}")
    source = source_of(path)
    source.check_text()
    choice = choose(source, format)
    return build(
        choice.format.conversations(source),
        source_format=choice.format.name,
        because=choice.because,
        defaults=Defaults(partner, licence),
    )
