"""Which database the server of a folder works on: kept for whoever backs it up. Standard library.

The environment says it where a server starts; a backup may be made from another shell.
"""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from labelling.server import account_file
from labelling.server.postgres import is_postgresql

_FILE = "database.json"
URL = "ARGILLA_DATABASE_URL"


def remember(state: Path, url: str | None) -> None:
    """Write down the URL (0600, it may hold a password), or that it is our own file."""
    account_file.write(state / _FILE, {"url": url})


def was_started(state: Path) -> bool:
    """Whether Argilla ever was: its folder also keeps who is who, which needs no server."""
    return (state / _FILE).exists() or sqlite_of(state).exists()


def postgresql_of(state: Path) -> str | None:
    """The URL where the data is in PostgreSQL."""
    url = _url(state)
    return str(url) if is_postgresql(url) else None


def sqlite_of(state: Path) -> Path:
    """The file where the data is in SQLite."""
    url = _url(state)
    if url and not is_postgresql(url):
        return Path(unquote(urlsplit(url).path)[1:])
    return state / "argilla" / "argilla.db"


def left_over(state: Path) -> list[Path]:
    """SQLite's files where the data is in PostgreSQL: what was moved is in them as it was then."""
    home = state / "argilla"
    return sorted(home.glob("argilla.db*")) if postgresql_of(state) else []


def _url(state: Path) -> str | None:
    """As the environment says, else as it was at the last start."""
    found = os.environ.get(URL) or account_file.read(state / _FILE).get("url")
    return str(found) if found else None
