"""Addresses to listen on: what is a host, which port is free. Standard library only."""

import errno
import re
import socket
from contextlib import suppress
from ipaddress import IPv4Address
from urllib.parse import urlsplit

from labelling.server.processes import LOCAL, ServiceFailure

ARGILLA, JUPYTER, VALKEY = 6900, 8888, 6390
"""The ports that are tried first."""
LISTENS_WITHIN = 5.0  # seconds
TRIED = 200  # ports, from the first on
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


def free_port(first: int, host: str) -> int:
    """The first port from `first` on that nobody listens on. Raises ServiceFailure."""
    for port in range(first, min(first + TRIED, 65536)):
        if is_free(port, host):
            return port
    raise ServiceFailure(
        f"No port from {first} to {first + TRIED - 1} is free on {host}; end something."
    )


def wanted_port(port: int, host: str) -> int:
    """This very port. Raises ServiceFailure when something listens there."""
    if not is_free(port, host):
        raise ServiceFailure(
            f"Port {port} of {host}, which GATES_ARGILLA_PORT asks for, is taken by another "
            "program (or not for this user); end that, or name another port."
        )
    return port


def see_that_it_listens(variable: str, url: str, default: int) -> None:
    """Raise ServiceFailure where nothing listens at the host and port of the URL."""
    parts = urlsplit(url)
    if not parts.hostname:
        return
    host, port = parts.hostname, parts.port or default
    try:
        socket.create_connection((host, port), LISTENS_WITHIN).close()
    except OSError as error:
        raise ServiceFailure(
            f"Nothing answers at {host}:{port}, which {variable} names "
            f"({error.strerror or error}); see that the server runs there, or correct the variable."
        ) from error


def is_free(port: int, host: str) -> bool:
    """Whether this user can listen there. Raises ServiceFailure where nobody here could."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            return False
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno != errno.EADDRINUSE:
                raise ServiceFailure(
                    f"This machine cannot listen on {host} ({error.strerror}); "
                    f"give --host one of its own addresses, or leave it out for {LOCAL}."
                ) from error
            return False
    return True


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
