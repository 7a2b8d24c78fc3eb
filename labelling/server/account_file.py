"""The accounts file: `{name: {"password": ..., "role": ...}}`, 0600, taken over at each start.

Beside it `removals.json`, `{name: erase or not}`: whom the next start removes from Argilla.
Standard library only, for it runs in either environment.
"""

import json
import re
import secrets
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labelling.pseudonyms import is_pseudonym
from labelling.server.processes import ServiceFailure, write_private

ACCOUNTS = {"owner": "owner", "annotator_a": "annotator", "annotator_b": "annotator"}
MIN_PASSWORD = 8  # characters; Argilla's page asks for as many
ROLES = ("owner", "admin", "annotator")
_NAME = re.compile(r"\w[\w.@+-]{0,63}")

Accounts = dict[str, dict[str, str]]


def keep(file: Path) -> Accounts:
    """The accounts; where there is no file, it is made. Raises ServiceFailure for a damaged one."""
    if not file.exists():
        made = {name: {"password": password(), "role": role} for name, role in ACCOUNTS.items()}
        write(file, made)
    accounts: Accounts = read(file)
    for name, account in accounts.items():
        _check(file, name, account)
    return accounts


def write(file: Path, content: Mapping[str, Any]) -> None:
    """Write the file whole, readable by its owner alone."""
    write_private(file, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read(file: Path) -> dict[str, Any]:
    """The JSON object of a file, empty where there is none. Raises ServiceFailure."""
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except ValueError as error:
        raise ServiceFailure(
            f"{file} is not JSON ({error}); correct it, or delete it to have it made anew."
        ) from error
    if not isinstance(content, dict):
        raise ServiceFailure(
            f"{file} holds no JSON object; correct it, or delete it to have it made anew."
        )
    return content


def removals(accounts_file: Path) -> Path:
    """Where the removals are written that wait for the next start."""
    return accounts_file.with_name("removals.json")


def check_name(name: str) -> str:
    """The name in its one spelling (NFC). Raises ServiceFailure for what is no name.

    A name is typed, printed and searched for: no white space, nothing that is not seen, no markup.
    """
    spelled = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(spelled) or is_pseudonym(spelled):
        raise ServiceFailure(
            f"{name!r} is no name for an account; expected 1-64 letters, digits, and . _ @ + - "
            "after the first, and not the form of a pseudonym (a and eight hex digits): choose "
            "another name."
        )
    return spelled


def password() -> str:
    """Readable and strong: three made-up words and a number, some 46 bits."""
    words = ["".join(_syllable() for _ in range(2)) for _ in range(3)]
    return "-".join([*words, str(secrets.randbelow(90) + 10)])


def _syllable() -> str:
    return secrets.choice("bdfghjklmnprstvwyz") + secrets.choice("aeiou")


def _check(file: Path, name: str, account: object) -> None:
    if not isinstance(account, dict) or not isinstance(account.get("password", ""), str):
        raise ServiceFailure(
            f"{file} gives {name!r} no password that is a text; expected "
            '{"password": "...", "role": "annotator"}: correct it, or delete the file for new '
            "accounts."
        )
    secret, role = account.get("password", ""), account.get("role")
    if role not in ROLES or len(secret) < MIN_PASSWORD:
        raise ServiceFailure(
            f"{file} gives {name!r} the role {role!r} and a password of {len(secret)} "
            f"characters; a role is one of {', '.join(ROLES)}, a password has at least "
            f"{MIN_PASSWORD} characters: correct it or delete the file for new accounts."
        )
