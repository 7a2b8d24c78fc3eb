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
    monkeypatch.setenv("LOGNAME", "ann")
    written(HOSTILE, "Two.")
    page = browser.page()
    with jupyterlab(tmp_path) as address:
        run_all(page, address, "3_precision_recall.ipynb")
        box = page.locator(".widget-vbox")
        expect(box).to_contain_text("Pairs left: 2.")
        assert box.locator("img, b").count() == 0
        buttons = ("Same fact", "Not the same", "Show the turns", "Take back the last answer")
        same, other, turns, back = (box.get_by_role("button", name=one) for one in buttons)
        same.focus()
        page.keyboard.press("Tab")
        expect(other).to_be_focused()
        page.keyboard.press("Enter")
        expect(box).to_contain_text("Pairs left: 1.")
        assert words() == [("p0", "ann", False)]
        expect(other).to_be_focused()
        expect(box.get_by_role("alert")).to_contain_text("Kept: not the same, says ann.")
        back.press("Enter")
        expect(box).to_contain_text("Pairs left: 2.")
        expect(box.get_by_role("alert")).to_contain_text("Taken back")
        turns.press("Enter")
        expect(box.locator("mark")).to_have_text("We use BigQuery")
        other.press("Enter")
        expect(box).to_contain_text("Pairs left: 1.")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        expect(box).to_contain_text("No pair is left: run `gates score --study study`.")
        expect(same).to_be_hidden()
    assert words() == [("p0", "ann", False), ("p1", "ann", True)]
