"""One writer at a time in a study: whoever reads, changes and writes its tables holds its lock.

The lock is the system's (`flock` on the file `.lock` in the study's folder), so it ends with its
process however that ends. Commands that only read take none: every file is whole at any time.
"""

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from labelling.tables.errors import InputError
from labelling.tables.files import AGAIN, remove_parts
from labelling.tables.store import study_folder

P = ParamSpec("P")
T = TypeVar("T")

LOCK = ".lock"


@contextmanager
def locked(study: str, *, new: bool = False) -> Iterator[None]:
    """Hold the study's lock; where another holds it, say so on stderr and wait.

    `new` makes the folder of a study that is not there yet. It is not taken twice: a holder who
    asks again waits for ever. Half files that a killed writer left are removed, since whoever holds
    the lock knows them to be nobody's. Raises InputError for an unknown study, and for a folder
    that cannot be written.
    """
    folder = study_folder(study, must_exist=not new)
    handle = _opened(folder / LOCK)
    try:
        _wait(handle, study)
        remove_parts(folder)
        yield
    finally:
        # said, not left to the close: a process that was forked meanwhile has the handle, too
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def writing(command: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Let a command hold the lock of the study that is its first argument."""

    @wraps(command)
    def alone(study: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with locked(study):
            return command(study, *args, **kwargs)

    return alone


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"{path} could not be written ({error.strerror})", then=AGAIN) from error


def _wait(handle: int, study: str) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"warning: another command writes study {study!r}; waiting for it", file=sys.stderr)
        fcntl.flock(handle, fcntl.LOCK_EX)
