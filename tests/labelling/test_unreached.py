"""Another server that cannot be reached: what stands in the way, and what to do."""

import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from labelling import client
from labelling.tables import InputError

MADE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -keyout {key} -out {file}"
)
NAMED = "-addext subjectAltName=DNS:{name}"


class Page(BaseHTTPRequestHandler):
    """A server that is none of Argilla's: a page, or what `Location` of the class says."""

    location = ""

    def do_GET(self) -> None:
        self.send_response(308 if self.location else 200)
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write(b"" if self.location else b"<p>Welcome")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def served(page: type[Page] = Page, certificate: tuple[Path, Path] | None = None) -> Iterator[int]:
    """The port of a server of this test, with TLS where it has a certificate and key."""
    with HTTPServer(("127.0.0.1", 0), page) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield int(server.server_port)
        server.shutdown()
        thread.join()


def made(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for the name that signs itself, as an authority of one's own does."""
    file, key = folder / "made.pem", folder / "made.key"
    command = f"{MADE} {NAMED}".format(name=name, key=key, file=file)
    subprocess.run(command.split(), check=True, capture_output=True)
    return file, key


@pytest.fixture(autouse=True)
def stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def said(monkeypatch: pytest.MonkeyPatch, url: str) -> str:
    monkeypatch.setenv("GATES_ARGILLA_URL", url)
    with pytest.raises(InputError) as failed:
        client.connect()
    return str(failed.value)


def test_a_private_authority_is_named_and_can_be_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = made(tmp_path, "localhost")
    with served(certificate=certificate) as port:
        sentence = said(monkeypatch, f"https://localhost:{port}")
        assert sentence.startswith(f"The certificate of https://localhost:{port} is not trusted")
        assert "set SSL_CERT_FILE to the file" in sentence
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        assert "a page that is not Argilla's" in said(monkeypatch, f"https://localhost:{port}")


def test_a_certificate_for_another_name_is_not_helped_by_trusting_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = made(tmp_path, "elsewhere.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with served(certificate=certificate) as port:
        sentence = said(monkeypatch, f"https://localhost:{port}")
    assert "use the name that it was made for" in sentence
    assert "SSL_CERT_FILE" not in sentence


def test_what_speaks_no_tls_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with served() as port:
        assert "speaks no TLS that is known" in said(monkeypatch, f"https://127.0.0.1:{port}")


def test_a_server_that_sends_one_on_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Moved(Page):
        location = "https://gates.example.org/"

    with served(Moved) as port:
        sentence = said(monkeypatch, f"http://127.0.0.1:{port}")
    assert "sends one on to https://gates.example.org/; expected Argilla itself" in sentence


@pytest.mark.parametrize("url", ["gates.example.org", "ftp://gates.example.org", "http://[::"])
def test_what_is_no_address_is_said(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    assert f"GATES_ARGILLA_URL is '{url}'; expected an address as in" in said(monkeypatch, url)


def test_a_server_that_is_down_is_not_to_be_started_here(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = said(monkeypatch, "http://127.0.0.1:9")
    assert "does not answer at http://127.0.0.1:9, which GATES_ARGILLA_URL names" in sentence
    assert "gates up" not in sentence
