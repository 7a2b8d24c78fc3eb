"""`2_replay_gates.ipynb` in a real JupyterLab: every cell runs, the charts show, nothing leaves."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser_tools import Watched, browser
from hand_made import write_study
from jupyter_page import jupyterlab, run_all
from playwright.sync_api import Page

__all__ = ["browser"]

pytestmark = pytest.mark.browser


def test_all_cells_run_and_the_charts_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Watched
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "work"))
    monkeypatch.setenv("GATES_STUDY", "tiny")
    write_study("tiny")
    page = browser.page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with jupyterlab(tmp_path) as address:
        run_all(page, address)
        assert page.locator(".jp-OutputArea-output", has_text="0.75 (3 of 4)").count() == 1
        for words in ("Precision against recall", "Recall by evidence form"):
            _assert_chart_shows(page, words)
    assert {urlsplit(url).hostname for url in asked if url.startswith(("http", "ws"))} == {
        "127.0.0.1"
    }


def _assert_chart_shows(page: Page, words: str) -> None:
    """A drawing that is visible and read out by these words."""
    drawing = page.locator(f'[role="graphics-document"][aria-label^="{words}"] canvas')
    drawing.scroll_into_view_if_needed()
    size = drawing.bounding_box()
    assert size is not None
    assert min(size["width"], size["height"]) > 100
