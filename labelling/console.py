"""What commands say: an outcome in words or as one JSON object, progress and warnings on stderr."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tqdm import tqdm

from labelling.tables import stale
from labelling.tables.store import make_command

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """What a command did: `wrote` maps a table or file to its rows, `then` is the next command."""

    did: str
    read: dict[str, int] = field(default_factory=dict)
    wrote: dict[str, int] = field(default_factory=dict)
    where: str = ""
    then: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    def show(self, *, as_json: bool) -> None:
        """Print to stdout: one JSON object, or lines for a reader."""
        print(json.dumps(self._plain(), default=str) if as_json else self._words())

    def _plain(self) -> dict[str, Any]:
        plain = {"did": self.did, "read": self.read, "wrote": self.wrote, "where": self.where}
        return {**plain, "next": self.then, **self.details}

    def _words(self) -> str:
        lines = [self.did]
        lines += [f"  read   {name} ({amount(rows, 'row')})" for name, rows in self.read.items()]
        lines += [f"  wrote  {name} ({amount(rows, 'row')})" for name, rows in self.wrote.items()]
        lines += [f"  where  {self.where}"] if self.where else []
        lines += [self.text] if self.text else []
        lines += [f"Next: {self.then}"] if self.then else []
        return "\n".join(lines)


def amount(number: int, what: str, many: str = "") -> str:
    """A number with its noun: 1 candidate, 2 candidates; `many` where the plural is no `s`.

    >>> amount(1, "reply", "replies"), amount(1200, "row")
    ('1 reply', '1,200 rows')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def warn(sentence: str) -> None:
    """A sentence on stderr that stops nothing."""
    print(f"warning: {sentence}", file=sys.stderr)


def warn_if_stale(study: str, *names: str) -> None:
    """Say of each table that was made from something older than what is there now.

    Of `sessions` in any case: where an ingest ended halfway, whatever was made since is doubtful.
    """
    for name in dict.fromkeys(("sessions", *names)):
        changed = stale(study, name)
        if changed:
            warn(
                f"{name} of study {study!r} is older than {', '.join(changed)}; "
                f"run `{make_command(study, name)}` to bring it up to date"
            )


def progress(items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
    """A progress bar on stderr that stays away where nobody watches or the work is short."""
    return iter(
        tqdm(items, total=total, desc=what, file=sys.stderr, disable=None, leave=False, delay=0.5)
    )
