"""A file (or standard input) as JSON objects with their places, whichever way it is laid out.

JSON Lines: one object a line; a line that is not UTF-8, not JSON or not an object is a reject, and
the others go through. A JSON document: a list of objects, or one object; it is read whole, so one
fault in it is an InputError. A byte order mark and blank lines are passed over.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from labelling.console import progress
from labelling.tables import InputError
from labelling.transcripts.fields import Unusable, clean
from labelling.transcripts.model import Place, Reject

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LOOKED_AT = 50
_EXPECTED = "UTF-8 text: one JSON object a line, or one JSON document"


@dataclass(frozen=True)
class Item:
    """A JSON object, the `number`-th (0-based, rejects counted) of its file; `raw` is its line."""

    place: Place
    number: int
    value: dict[str, Any]
    raw: str | None = None

    def reject(self, reason: object) -> Reject:
        """A reject of the whole object."""
        return self.place.reject(str(reason), self.value if self.raw is None else self.raw)


class Source:
    """An input by its file name; `opened` gives its bytes from the start, as often as asked."""

    def __init__(self, name: str, opened: Callable[[], BinaryIO]) -> None:
        self.name, self.opened = clean(name), opened

    def objects(self) -> Iterator[Item | Reject]:
        """Every object, and a reject for whatever is none, in the order of the file.

        Raises InputError for a document that is not UTF-8 or not JSON.
        """
        total = self._line_count() if self._in_lines else 0
        return progress(self._pieces(), total=total, what=self.name)

    @cached_property
    def first_objects(self) -> tuple[dict[str, Any], ...]:
        """The first objects: what JSON formats are recognised by; none when it is no JSON."""
        try:
            found = islice(self._pieces(), _LOOKED_AT)
            return tuple(item.value for item in found if isinstance(item, Item))
        except InputError:
            return ()

    @cached_property
    def document(self) -> Any:
        """The whole input as one JSON value; raises InputError, with the line, if it is none."""
        with self.opened() as handle:
            data = handle.read().removeprefix(_BOM)
        try:
            return parse(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.wrong(f"is not UTF-8 (line {line})", "save it as UTF-8") from error
        except Unusable as error:
            raise self.wrong(f"is {error}", "export it again or mend that place") from error

    def check_text(self) -> None:
        """Raise InputError for an input without content, or in UTF-16."""
        with self.opened() as handle:
            if handle.read(2) in _UTF16:
                raise self.wrong("is UTF-16", "save it as UTF-8")
        if next(self._lines(), None) is None:
            raise self.wrong("is empty", "export it again")

    def wrong(self, what: str, then: str) -> InputError:
        """An error about the input as a whole."""
        return InputError(f"{self.name} {what}", expected=_EXPECTED, then=then)

    @cached_property
    def _in_lines(self) -> bool:
        """Whether the first lines are objects of their own, rather than parts of a document."""
        are_objects = [isinstance(p, Item) for p in islice(self._line_pieces(), _LOOKED_AT)]
        return any(are_objects) and (are_objects[0] or not self._is_document)

    @property
    def _is_document(self) -> bool:
        try:
            return isinstance(self.document, dict | list)
        except InputError:
            return False

    def _pieces(self) -> Iterator[Item | Reject]:
        return self._line_pieces() if self._in_lines else self._document_pieces()

    def _line_pieces(self) -> Iterator[Item | Reject]:
        for number, (line_number, line) in enumerate(self._lines()):
            yield _line_item(Place(self.name, line_number), number, line)

    def _document_pieces(self) -> Iterator[Item | Reject]:
        if not isinstance(self.document, list):
            yield _item(Place(self.name, path="$"), 0, self.document)
            return
        for number, value in enumerate(self.document):
            yield _item(Place(self.name, path=f"$[{number}]"), number, value)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with self.opened() as handle:
            for number, line in enumerate(handle, 1):
                # files put one behind the other have a mark in the middle, too
                content = line.removeprefix(_BOM).strip()
                if content:
                    yield number, content

    def _line_count(self) -> int:
        with self.opened() as handle:
            return sum(block.count(b"\n") for block in iter(lambda: handle.read(1 << 20), b""))


def source_of(path: str | Path) -> Source:
    """The input at a path; `-` is standard input, named `stdin`. Raises InputError."""
    if str(path) == "-":
        return _in_memory("stdin", sys.stdin.buffer.read())
    file = Path(path)
    if not file.exists():
        raise InputError(f"there is no file {file}", then="check the path and try again")
    if file.is_dir():
        raise InputError(f"{file} is a folder", expected="a file", then="name a file in it")
    if not file.is_file():  # a device may never end, and a pipe can be read only once
        raise InputError(f"{file} is no regular file", expected="one", then="or pipe it into `-`")
    try:
        file.open("rb").close()
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror})", then="check it") from error
    return Source(file.name, lambda: file.open("rb"))


def parse(text: str) -> Any:
    """A JSON value; raises Unusable, with the place, for anything else."""
    try:
        return json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno} " if error.lineno > 1 else ""
        what = error.msg.removesuffix(" at")
        raise Unusable(f"not JSON: {what} at {line}column {error.colno}") from error
    except RecursionError as error:
        raise Unusable("not JSON that can be read: nested too deeply") from error
    except ValueError as error:
        raise Unusable("not JSON that can be read: a number is too long") from error


def _constant(name: str) -> float | None:
    """Python writes a missing value as NaN, which is no JSON."""
    return None if name == "NaN" else float(name)


def _in_memory(name: str, data: bytes) -> Source:
    return Source(name, lambda: BytesIO(data))


def _item(place: Place, number: int, value: Any, raw: str | None = None) -> Item | Reject:
    if isinstance(value, dict):
        return Item(place, number, value, raw)
    return place.reject("not a JSON object", value if raw is None else raw)


def _line_item(place: Place, number: int, line: bytes) -> Item | Reject:
    raw = line.decode("utf-8", "backslashreplace")
    try:
        return _item(place, number, parse(line.decode("utf-8")), raw)
    except UnicodeDecodeError as error:
        return place.reject(f"not UTF-8 at byte {error.start + 1}", raw)
    except Unusable as error:
        return place.reject(str(error), raw)
