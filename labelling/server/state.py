"""What the services keep in their folder: secrets, and half files of a killed start.

The folder is 0700, what holds a secret is 0600. Secrets are made once and kept. No
secret stands on a command line. Standard library only, for it runs in either environment.
"""

import json
import secrets
from pathlib import Path
from typing import Any

from labelling.server.account_file import read
from labelling.server.processes import LOCAL, clear_halves, write_private

SECRETS = ("argilla_secret", "valkey_password", "jupyter_token")
PARTS = ("logs", "argilla", "valkey", "jupyter", "jupyter/labconfig")


def make_folder(folder: Path) -> Path:
    """The services' folder with its parts, readable by its owner alone."""
    for part in PARTS:
        (folder / part).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def what_runs(folder: Path) -> dict[str, Any]:
    """What the supervisor wrote down; empty where it does not run, or the file is damaged."""
    try:
        state = json.loads((folder / "services.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed start left half written; nothing may run in the folder."""
    for part in ("", *PARTS):
        clear_halves(folder / part)


def keep_secrets(folder: Path) -> dict[str, str]:
    """Secrets from the last start, or new ones; `redis_url` once there is a Valkey of our own."""
    file = folder / "secrets.json"
    kept = read(file)
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
