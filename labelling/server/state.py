"""What the services keep in their folder: secrets, accounts, and half files of a killed start.

The folder is 0700, what holds a secret is 0600. Secrets and passwords are made once and kept. No
secret stands on a command line. Standard library only, for it runs in either environment.
"""

import json
import secrets
from pathlib import Path
from typing import Any

from labelling.server.processes import LOCAL, ServiceFailure, clear_halves, write_private

ACCOUNTS = {"owner": "owner", "annotator_a": "annotator", "annotator_b": "annotator"}
MIN_PASSWORD = 8  # characters; Argilla's page asks for as many
ROLES = ("owner", "admin", "annotator")
SECRETS = ("argilla_secret", "valkey_password", "jupyter_token")
PARTS = ("logs", "argilla", "valkey", "jupyter", "jupyter/labconfig")


def make_folder(folder: Path) -> Path:
    """The services' folder with its parts, readable by its owner alone."""
    for part in PARTS:
        (folder / part).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed start left half written; nothing may run in the folder."""
    for part in ("", *PARTS):
        clear_halves(folder / part)


def keep_secrets(folder: Path) -> dict[str, str]:
    """Secrets from the last start, or new ones; `redis_url` once there is a Valkey of our own."""
    file = folder / "secrets.json"
    kept = _read(file)
    missing = {name: secrets.token_hex(24) for name in SECRETS if name not in kept}
    if missing:
        write_private(file, json.dumps(kept | missing))
    return kept | missing


def keep_valkey(folder: Path, port: int) -> str:
    """Write down where our own Valkey listens; its password."""
    kept = keep_secrets(folder)
    password = kept["valkey_password"]
    url = f"redis://:{password}@{LOCAL}:{port}/0"
    write_private(folder / "secrets.json", json.dumps(kept | {"redis_url": url}))
    return password


def keep_accounts(file: Path) -> None:
    """Make the accounts file where there is none; else see that it can be used."""
    if not file.exists():
        made = {name: {"password": _password(), "role": role} for name, role in ACCOUNTS.items()}
        write_private(file, json.dumps(made, indent=2) + "\n")
    for name, account in _read(file).items():
        if not isinstance(account, dict) or not isinstance(account.get("password", ""), str):
            raise ServiceFailure(
                f"{file} gives {name!r} no password that is a text; expected "
                '{"password": "...", "role": "annotator"}: correct it, or delete the file for new '
                "accounts."
            )
        password, role = account.get("password", ""), account.get("role")
        if role not in ROLES or len(password) < MIN_PASSWORD:
            raise ServiceFailure(
                f"{file} gives {name!r} the role {role!r} and a password of {len(password)} "
                f"characters; a role is one of {', '.join(ROLES)}, a password has at least "
                f"{MIN_PASSWORD} characters: correct it or delete the file for new accounts."
            )


def _read(file: Path) -> dict[str, Any]:
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


def _password() -> str:
    """Readable and strong: three made-up words and a number, some 46 bits."""
    words = ["".join(_syllable() for _ in range(2)) for _ in range(3)]
    return "-".join([*words, str(secrets.randbelow(90) + 10)])


def _syllable() -> str:
    return secrets.choice("bdfghjklmnprstvwyz") + secrets.choice("aeiou")
