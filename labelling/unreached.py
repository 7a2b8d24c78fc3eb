"""Why no answer came from the Argilla that GATES_ARGILLA_URL names, in a sentence."""

import ssl
from collections.abc import Iterator

from labelling.tables import InputError

_UNKNOWN_ISSUER = (18, 19, 20, 21)
"""OpenSSL's codes: signed by itself, or by an authority that this machine does not know."""


def unreached(url: str, error: Exception) -> InputError:
    """The sentence for a failure to connect."""
    tls = next((one for one in _causes(error) if isinstance(one, ssl.SSLError)), None)
    if tls:
        return _untrusted(url, tls)
    return InputError(
        f"Argilla does not answer at {url}, which GATES_ARGILLA_URL names ({error})",
        then="see that it runs there, or unset the variable for the server of this machine",
    )


def no_address(url: str) -> InputError:
    """The sentence for what is no address at all."""
    return InputError(
        f"GATES_ARGILLA_URL is {url!r}", expected="an address as in https://gates.example.org"
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _untrusted(url: str, error: ssl.SSLError) -> InputError:
    """What is wrong with the other side's certificate, or with its TLS."""
    if not isinstance(error, ssl.SSLCertVerificationError):
        return InputError(
            f"What answers at {url} speaks no TLS that is known here ({error.reason})",
            then="see that GATES_ARGILLA_URL names the port of the TLS proxy",
        )
    then = "use the name that it was made for, or have it renewed"
    if error.verify_code in _UNKNOWN_ISSUER:
        then = (
            "if it is your own authority's, set SSL_CERT_FILE to the file with that authority's "
            "certificate"
        )
    what = f"The certificate of {url} is not trusted here ({error.verify_message.rstrip('.')})"
    return InputError(what, then=then)
