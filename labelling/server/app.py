"""The application uvicorn serves: Argilla with our search engine, blindness and headers.

The order matters: the search engine must be registered before `argilla_server.app` starts, and
the API must be blind before it serves.
"""

import labelling.server.search  # noqa: F401, I001 - registers the search engine

from argilla_server._app import app as argilla
from argilla_server.api.routes import api_v1
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labelling.server import blindness

# The page's own scripts, and custom fields (frames with a script of their own), are inline,
# and its templates are compiled in the browser: hence the two `unsafe-`. Nothing may be loaded
# from, or sent to, any other place.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self' blob:",
        "frame-src 'self'",
        "frame-ancestors 'self'",
        "form-action 'self'",
        "base-uri 'self'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class WithHeaders:
    """ASGI middleware: `HEADERS` on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


blindness.install(api_v1)
app = WithHeaders(argilla)
