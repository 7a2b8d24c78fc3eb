"""A session belongs to one account, not to whoever has its name later.

Argilla looks a session's account up by name. Somebody who was removed would be, for as long as
their session lasts, whoever gets an account of that name next.
"""

from typing import Any

from argilla_server.errors import UnauthorizedError
from argilla_server.security.authentication.db import BearerTokenAuthenticationBackend
from argilla_server.security.authentication.jwt import JWT
from starlette.requests import Request


def install() -> None:
    """Compare the account's id with the one the session began with."""
    original = BearerTokenAuthenticationBackend.authenticate

    async def authenticate(self: BearerTokenAuthenticationBackend, request: Request) -> Any:
        found: Any = await original(self, request)
        if found is not None and found[1].get("identity") != _began_with(request):
            raise UnauthorizedError()
        return found

    BearerTokenAuthenticationBackend.authenticate = authenticate  # type: ignore[method-assign]


def _began_with(request: Request) -> Any:
    _, _, token = request.headers["Authorization"].partition(" ")
    return JWT.decode(token.strip()).get("identity")
