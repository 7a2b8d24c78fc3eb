"""The server's own Python environment: made on first start, remade when its packages change.

Argilla pins old packages, so it lives in `.venv-server` beside the notebooks' environment
(`VENV_SERVER` moves it). A stamp inside, written last, says which requirements it was made
from: without it, or with another, the environment is made anew. Standard library only.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labelling.server.processes import ServiceFailure

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
SUPPORTED = ((3, 11), (3, 13))  # inclusive
_STAMP = "requirements.sha256"


def ensure(root: Path) -> Path:
    """The Python of the server's environment under `root`, which is made if need be.

    Raises ServiceFailure. Two callers at once: the second waits for the first.
    """
    folder = location(root)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent, f"Another start makes {folder}; waiting until it is done ..."):
        if not is_current(folder):
            _make(folder)
    return python_of(folder)


def location(root: Path) -> Path:
    """Where the server's environment is: `VENV_SERVER`, else `.venv-server` under `root`."""
    return Path(os.environ.get("VENV_SERVER") or root / ".venv-server").absolute()


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / "bin" / "python"


def is_current(folder: Path) -> bool:
    """Whether the environment is whole and made from the requirements of today."""
    stamp = folder / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == _wanted_stamp()


@contextmanager
def locked(folder: Path, waiting: str = "") -> Iterator[int]:
    """Hold the folder's lock; where another does, say `waiting` and wait until nobody else does.

    Yields its file descriptor: a process that inherits it holds the lock, too. It is let go when
    all of them closed it or ended.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        _take(handle, waiting)
        yield handle
    finally:
        os.close(handle)


def is_locked(folder: Path) -> bool:
    """Whether somebody holds the folder's lock just now."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _take(handle: int, waiting: str) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if waiting:
            _say(waiting)
        fcntl.flock(handle, fcntl.LOCK_EX)


def _wanted_stamp() -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()} python {version}\n"


def _make(folder: Path) -> None:
    _check_python()
    _say(f"Making the annotation server's environment in {folder} (once; a minute or two) ...")
    shutil.rmtree(folder, ignore_errors=True)
    python = str(python_of(folder))
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([python, "-m", "pip", *_PIP_INSTALL, "-r", str(REQUIREMENTS)])
    (folder / _STAMP).write_text(_wanted_stamp(), encoding="utf-8")
    _say("The annotation server's environment is made.")


_PIP_INSTALL = ["install", "--quiet", "--disable-pip-version-check", "--no-input"]


def _check_python() -> None:
    if not SUPPORTED[0] <= sys.version_info[:2] <= SUPPORTED[1]:
        found = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ServiceFailure(
            f"Python {found} runs here; the annotation server needs 3.11, 3.12 or 3.13: "
            "make the workspace's environment with one of them."
        )


def _run(command: list[str]) -> None:
    # What the caller's shell set for another environment must not leak into this one.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, env=clean, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        reason = next((line for line in reversed(said) if "error" in line.lower()), said[-1:])
        raise ServiceFailure(
            f"The annotation server's environment could not be made ({reason or 'no message'}); "
            "check that the package index can be reached, then start again."
        )


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
