"""Other people's code, held at arm's length: what it prints goes aside, how it fails is one line.

Whatever a gate or its module raises is its failure, `sys.exit` included; only the user's own
Ctrl-C goes through.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from typing import TextIO

MOST = 200


class Failure(Exception):
    """What went wrong in foreign code, as `told`."""


def aside() -> AbstractContextManager[TextIO]:
    """While it is held, what is printed goes to stderr: stdout is the command's own."""
    return redirect_stdout(sys.stderr)


@contextmanager
def held() -> Iterator[None]:
    """Raise Failure for whatever is raised inside, KeyboardInterrupt excepted."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Failure(told(error)) from error


def told(error: BaseException) -> str:
    """An exception as one printable line of at most 200 characters."""
    kind = type(error).__name__
    try:
        line = " ".join(f"{kind}: {error}".split())
    except Exception:  # its __str__ is foreign code, too
        line = f"{kind}, which cannot be put in words"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)[:MOST]
