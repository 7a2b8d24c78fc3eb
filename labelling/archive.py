"""The backup file: a ZIP whose `manifest.json` says what is in it, with the hash of each file.

    manifest.json
    services/    accounts, secrets, pseudonyms, removals that wait
    database/    argilla.db (SQLite) or argilla.dump (PostgreSQL)
    studies/     every table and file of every study

It holds secrets, so it is 0600. Whoever takes one in, takes in nothing that the manifest does not
name, and no name that leads elsewhere.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from labelling.tables import InputError

FORMAT = 1
MANIFEST = "manifest.json"
_STORED = {".parquet"}  # compressed already
_PLACE = re.compile(r"(?:services|database|studies/[a-z0-9][a-z0-9_-]{0,63})/.+")
_CHUNK = 1 << 20


@dataclass
class Manifest:
    """What a backup holds: `counts` rows of the database by table, `files` name -> SHA-256."""

    made_at: str
    program: str
    database: str | None
    counts: dict[str, int]
    studies: list[str]
    files: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


class Writer:
    """Files put into a new backup, one by one, in a `with` block, whose end writes the manifest."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                self.close()
        finally:
            self._give_up()

    def put(self, name: str, file: Path) -> None:
        """Add a file under a name."""
        info = zipfile.ZipInfo.from_file(file, name, strict_timestamps=False)
        stored = file.suffix in _STORED
        info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
        digest = hashlib.sha256()
        with file.open("rb") as source, self._zip.open(info, "w", force_zip64=True) as target:
            while part := source.read(_CHUNK):
                digest.update(part)
                target.write(part)
        self.manifest.files[name] = digest.hexdigest()

    def close(self) -> None:
        """Write the manifest; the backup is whole then."""
        self._zip.writestr(MANIFEST, json.dumps(asdict(self.manifest), indent=2))
        self._zip.close()

    def _give_up(self) -> None:
        """Write no more. Left open, it would try again where nobody can catch the failure."""
        file, self._zip.fp = self._zip.fp, None
        if file is not None:
            with suppress(OSError):
                file.close()


def unpack(path: Path, folder: Path) -> Manifest:
    """Put all the files of a backup into a folder, each compared with its hash.

    Raises InputError for what is no backup, a damaged one, or one of a newer version.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            manifest = _manifest(path, opened)
            for name, wanted in manifest.files.items():
                if _take(opened, name, folder / name) != wanted:
                    raise _damaged(path, f"{name} is not what it was")
            return manifest
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as error:
        raise _damaged(path, str(error)) from error
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}", then="check the path") from error


def _manifest(path: Path, opened: zipfile.ZipFile) -> Manifest:
    try:
        known: dict[str, Any] = json.loads(opened.read(MANIFEST))
        number = known["format"]
        manifest = Manifest(**known) if number == FORMAT else None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(path, f"its {MANIFEST} is none of ours") from error
    if manifest is None:
        raise InputError(
            f"{path} is a backup of format {number}",
            expected=f"format {FORMAT}",
            then="take it in with the version of this program that made it",
        )
    for place in _places(manifest):
        if not _is_place(place):
            raise _damaged(path, f"{place!r} is no place in a backup")
    if manifest.database is not None and manifest.database not in manifest.files:
        raise _damaged(path, f"{manifest.database} is not in it")
    return manifest


def _places(manifest: Manifest) -> list[str]:
    """Every name in a manifest that becomes a path."""
    database = [manifest.database] if manifest.database is not None else []
    return [*manifest.files, *database, *(f"studies/{study}/x" for study in manifest.studies)]


def _is_place(name: object) -> bool:
    if not isinstance(name, str) or "\\" in name or "//" in name or "\0" in name:
        return False
    return _PLACE.fullmatch(name) is not None and ".." not in PurePosixPath(name).parts


def _take(opened: zipfile.ZipFile, name: str, to: Path) -> str:
    """Write one file, 0600 but for a study's, and give its hash."""
    to.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with opened.open(name) as source, to.open("xb") as target:
        to.chmod(0o644 if name.startswith("studies/") else 0o600)
        for part in _parts(source):
            digest.update(part)
            target.write(part)
    return digest.hexdigest()


def _parts(source: Any) -> Iterator[bytes]:
    while part := source.read(_CHUNK):
        yield part


def _damaged(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} is damaged, or no backup ({why})",
        expected="a file that `gates backup` wrote",
        then="take another backup",
    )
