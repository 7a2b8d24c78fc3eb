"""Notebooks in a real JupyterLab: every cell runs, the charts show, nothing leaves."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser_tools import Watched, browser
from jupyter_page import jupyterlab, run_all
from playwright.sync_api import Page

from tests.scored_study import write_tiny

__all__ = ["browser"]

pytestmark = pytest.mark.browser
SHOWN = {
    "1_labels_and_agreement.ipynb": (
        "Disputed candidates: 1, of which 1 are shown",
        ("Records by submitted answers", "Agreement by route", "What two people did"),
    ),
    "2_replay_gates.ipynb": (
        "People agreed on 2 facts",
        ("Precision against recall", "Recall by evidence form"),
    ),
    "3_precision_recall.ipynb": (
        "From judge/default to press/default",
        ("Precision against recall", "Facts captured against wrong records"),
    ),
}
"""Notebook -> words that it shows, its charts."""


@pytest.mark.parametrize("notebook", SHOWN)
def test_all_cells_run_and_the_charts_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Watched, notebook: str
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "work"))
    monkeypatch.setenv("GATES_STUDY", "tiny")
    words, charts = SHOWN[notebook]
    write_tiny()
    page = browser.page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with jupyterlab(tmp_path) as address:
        run_all(page, address, notebook)
        assert page.locator(".jp-OutputArea-output", has_text=words).count() == 1
        for chart in charts:
            _assert_chart_shows(page, chart)
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
