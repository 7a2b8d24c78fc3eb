"""A doubtful pair decided in JupyterLab by the keyboard alone."""

from pathlib import Path

import pytest
from browser_tools import Watched, browser
from jupyter_page import jupyterlab, run_all
from playwright.sync_api import expect

from tests.analysis.test_controls import HOSTILE, words, written

__all__ = ["browser"]

pytestmark = pytest.mark.browser


def test_tab_and_enter_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Watched
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path / "work"))
    monkeypatch.setenv("GATES_STUDY", "study")
    monkeypatch.setenv("USER", "ann")
    written(HOSTILE, "Two.")
    page = browser.page()
    with jupyterlab(tmp_path) as address:
        run_all(page, address, "3_precision_recall.ipynb")
        box = page.locator(".widget-vbox")
        expect(box).to_contain_text("Pairs left: 2.")
        assert box.locator("img, b").count() == 0
        same, other, _ = box.get_by_role("button").all()
        same.focus()
        page.keyboard.press("Tab")
        expect(other).to_be_focused()
        page.keyboard.press("Enter")
        expect(box).to_contain_text("Pairs left: 1.")
        assert words() == [("p0", "ann", False)]
        expect(other).to_be_focused()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        expect(box).to_contain_text("No pair is left: run `gates score --study study`.")
        expect(same).to_be_hidden()
    assert words() == [("p0", "ann", False), ("p1", "ann", True)]
