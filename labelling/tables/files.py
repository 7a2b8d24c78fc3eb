"""Files that are whole or absent: written beside their place, synced, then renamed into it."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labelling.tables.errors import InputError

AGAIN = "it is as it was; free some space or make its folder writable, then run the command again"


@contextmanager
def atomic(path: Path, *, mode: int = 0o644) -> Iterator[Path]:
    """Give a temporary path in `path`'s folder; at the end it is synced and takes `path`'s place.

    An exception leaves `path` as it was and no temporary file behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        part.chmod(mode)
        yield part
        _sync(part)
        part.replace(path)
        _sync(path.parent)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def replace_file(path: Path, write: Callable[[Path], object], *, mode: int = 0o644) -> None:
    """Let `write(part)` fill a temporary file that then becomes `path`; say a full disk plainly."""
    try:
        with atomic(path, mode=mode) as part:
            write(part)
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path} could not be written ({why})", then=AGAIN) from error


def write_text(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write UTF-8 text atomically."""
    replace_file(path, lambda part: part.write_text(text, encoding="utf-8"), mode=mode)


def remove_parts(folder: Path) -> None:
    """Remove the temporary files directly in a folder; nobody may be writing there."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
