"""Which files a list of paths, folders and patterns means."""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from labelling.tables import InputError
from labelling.transcripts.fields import clean

STDIN = "-"


def files_of(paths: Sequence[str | Path]) -> list[str]:
    """Each file once, in order; a folder gives its files (not those of folders in it) by name.

    Raises InputError for a folder or pattern without files, and for two files of one name, which
    a study could not tell apart.
    """
    files = list(dict.fromkeys(file for path in paths for file in _expanded(str(path))))
    by_name: dict[str, str] = {}
    for file in files:
        other = by_name.setdefault(file_name(file), file)
        if other != file:
            raise InputError(
                f"{other} and {file} have the same name",
                expected="different names, since a study knows its files by them",
                then="rename one of them",
            )
    if not files:
        raise InputError("no file was named", then="name a file, a folder or - (standard input)")
    return files


def file_name(path: str | Path) -> str:
    """The name under which a study knows a file."""
    return "stdin" if str(path) == STDIN else clean(Path(path).name)


def _expanded(path: str) -> Iterator[str]:
    if Path(path).is_dir():
        yield from _some(path, [p for p in Path(path).iterdir() if p.is_file()])
    elif path != STDIN and not Path(path).exists() and glob.has_magic(path):
        yield from _some(path, [p for p in map(Path, glob.glob(path)) if p.is_file()])  # noqa: PTH207
    else:
        yield path


def _some(path: str, files: list[Path]) -> list[str]:
    visible = sorted(str(file) for file in files if not file.name.startswith("."))
    if not visible:
        raise InputError(f"there are no files in {path}", then="check the path and try again")
    return visible
