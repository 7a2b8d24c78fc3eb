"""Options that several commands take."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

Study = Annotated[str, Parameter(help="Which study; a study is a folder of tables.")]
Json = Annotated[bool, Parameter(negative="", help="Print one JSON object instead of words.")]


def no_option(_: object, file: Path | str | None) -> None:
    """A lone `-` is a file to read; what else begins so is an option that there is not."""
    if str(file).startswith("-") and str(file) != "-":
        raise ValueError(f'unknown option "{file}" (a file of that name: ./{file})')


FILE: dict[str, Any] = {"allow_leading_hyphen": True, "validator": no_option}
"""How a parameter that is a file is read: `-` is one."""
