"""The application uvicorn serves: Argilla with our search engine, blindness, page and headers.

Before the application starts the search engine must be registered (it is looked up by name then),
the API blind, its doors guarded and the page mended: all of it happens when this module is
imported.
"""

from collections.abc import Iterator
from pathlib import Path

from argilla_server._app import app as argilla
from argilla_server.api.routes import api_v1
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import labelling.server.search  # noqa: F401 - registers the search engine
from labelling.server import blindness, failures, own_routes, page, repairs, sessions, sign_in
from labelling.server.intake import Intake

HEADERS = {
    # Our changes do not change the name of a file: a browser asks whether it is still the same.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class WithHeaders:
    """ASGI middleware: `headers` on every answer."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]) -> None:
        self.app = app
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def page_folder(app: Starlette) -> Path:
    """Where the files lie that the application serves as its page."""
    files = (one for one in _mounted(app) if isinstance(one, StaticFiles))
    return Path(str(next(files).directory))


def _mounted(app: Starlette | Mount) -> Iterator[ASGIApp]:
    for route in app.routes:
        if isinstance(route, Mount):
            yield route.app
            yield from _mounted(route)


repairs.install()
sessions.install()
own_routes.install(api_v1)
blindness.install(api_v1)
failures.install(api_v1)
sign_in.install(api_v1)
api_v1.add_middleware(Intake)
folder = page_folder(argilla)
page.mend(folder)
headers = {**HEADERS, "Content-Security-Policy": page.policy(folder)}
app = WithHeaders(failures.Answered(argilla), headers)
