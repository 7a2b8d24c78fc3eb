"""Chromium for the tests, headless and offline: whatever it asks of another host is written down.

Use: `from browser_tools import browser` (a fixture), then `browser.page()`.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 30_000
"""Milliseconds to wait for what should show: a busy machine is no fault."""
expect.set_options(timeout=PATIENCE)
LOCAL_HOSTS = ("127.0.0.1", "")
"""`""` is the host of data:, blob: and about: addresses, which leave nothing."""


class Watched:
    """A browser; `left` lists the requests to other hosts that no policy of the page stopped."""

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self.left: list[str] = []

    def page(self, *, width: int = 1440, height: int = 900) -> Page:
        """A page in a session of its own (no cookies), so two accounts can be signed in at once."""
        page = self._chromium.new_context(viewport={"width": width, "height": height}).new_page()
        page.set_default_timeout(PATIENCE)
        page.on("requestfinished", self._note)
        page.on("requestfailed", self._note)
        return page

    def _note(self, request: Request) -> None:
        # Without a network a request fails too; one that the page's policy blocks was never sent
        if (urlsplit(request.url).hostname or "") not in LOCAL_HOSTS and request.failure != "csp":
            self.left.append(request.url)


def chromium() -> str:
    """Its path; without one the test is skipped, or fails where BROWSER=required."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return found
    sentence = "Chromium was not found on the PATH; get it by `apt-get install chromium`"
    if os.environ.get("BROWSER") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Watched]:
    """Chromium with an empty profile; after the test nothing has gone to another host."""
    path = chromium()
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=path, args=[*FLAGS, *as_root], env={**os.environ, "HOME": str(tmp_path)}
        )
        watched = Watched(opened)
        yield watched
        opened.close()
    assert not watched.left
