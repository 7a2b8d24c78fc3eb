"""Whoever answers faster than the page reads ahead still sees every record, each once."""

from uuid import uuid4

import pytest
from annotator_page import STATEMENT, open_queue, press, statement
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import Page, Route, expect
from round_study import write_study
from services_fixture import services  # noqa: F401

from labelling import rounds
from labelling.services import Services
from labelling.tasks.wording import one_form

pytestmark = [pytest.mark.server, pytest.mark.browser]

SAID = tuple(f"The table number {n} is ours." for n in range(16))


class Late:
    """Holds back the first search that reads ahead, until `let_go`."""

    def __init__(self, page: Page) -> None:
        self.held: list[Route] = []
        page.route("**/records/search?*", self._hold)

    def _hold(self, route: Route) -> None:
        if "offset=0" in route.request.url or self.held:
            route.continue_()
        else:
            self.held.append(route)

    def let_go(self) -> None:
        self.held[0].continue_()


def test_records_read_ahead_too_late_are_all_shown(
    services: Services,  # noqa: F811
    browser: Watched,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    study = f"s{uuid4().hex[:8]}"
    write_study(study, SAID)
    rounds.push(study)
    page = browser.page()
    late = Late(page)
    open_queue(page, services, study, "annotator_a")
    seen: list[str] = []
    for _ in SAID:
        seen.append(statement(page))
        press(page, "yyy")
        page.keyboard.press("Enter")
        expect(page.locator(STATEMENT).filter(has_text=seen[-1])).to_have_count(0)
        if len(seen) == 9:  # five since it was asked for: it comes with some that are there
            late.let_go()
    assert sorted(seen) == sorted(map(one_form, SAID))
    expect(page.locator("iframe")).to_have_count(0)
