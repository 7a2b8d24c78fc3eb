"""Who is behind a pseudonym: the one file that knows, `.services/pseudonyms.json` (0600).

It maps a pseudonym to a name, and lies beside the studies, never in one: no table, no export and
no published data set has it. Whoever is removed is struck from it.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from labelling.pseudonyms import is_pseudonym, pseudonym
from labelling.tables.errors import InputError
from labelling.tables.files import write_text
from labelling.tables.store import data_folder


def named_people() -> dict[str, str]:
    """Pseudonym -> name. Raises InputError for a damaged file."""
    path = people_file()
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {str(alias): str(name) for alias, name in found.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{path} is not what this program wrote",
            expected="a JSON object of pseudonyms and names",
            then="move it away; accounts are written down again at the next `gates pull`",
        ) from error


def people_file() -> Path:
    """Where the names are."""
    return data_folder() / ".services" / "pseudonyms.json"


def remember(accounts: Mapping[str, str]) -> dict[str, str]:
    """Write down whose the pseudonyms are; account id -> name in, id -> pseudonym out."""
    known = {user_id: pseudonym(user_id) for user_id in accounts}
    named = {known[user]: name for user, name in accounts.items() if not is_pseudonym(name)}
    _change(lambda found: found | named)
    return known


def alias(name: str) -> str:
    """The pseudonym of somebody by name; who has no account gets one at random, for good."""
    if is_pseudonym(name):
        return name
    chosen = "a" + secrets.token_hex(4)
    found = _change(lambda found: found if name in found.values() else {**found, chosen: name})
    return next(known for known, whose in found.items() if whose == name)


def forget(name: str) -> list[str]:
    """Strike somebody from the file; the pseudonyms, which then are nobody's."""
    before = named_people()
    _change(lambda found: {known: whose for known, whose in found.items() if whose != name})
    return [known for known, whose in before.items() if whose == name]


def _change(change: Callable[[dict[str, str]], dict[str, str]]) -> dict[str, str]:
    """Change the file, one at a time; what it holds then."""
    path = people_file()
    with _alone(path.parent):
        before = named_people()
        after = change(before)
        if after != before:
            write_text(path, json.dumps(after, ensure_ascii=False, indent=2) + "\n", mode=0o600)
        return after


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder / ".pseudonyms.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
