"""What an annotator types stays text: in the page, in the transcript's frame, for every reader."""

from uuid import uuid4

import pytest
from annotator_page import conversation, open_queue, press
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import ConsoleMessage, Page, expect
from round_study import SAID, write_study
from services_fixture import services  # noqa: F401

from labelling import rounds
from labelling.services import Services
from labelling.tables import read

pytestmark = [pytest.mark.server, pytest.mark.browser]

RUNS = (
    "</script><script>(parent || self).pwned = 1</script> <p>open</p> <!--<script> "
    "<img src=x onerror='parent.pwned = 2'> <svg onload='parent.pwned = 3'></svg>"
)
PASTED = "$' $& $` $$ $<x> #TEMPLATE# #RECORD_OBJECT# {{record}} ${record} </template> \\u003c 🙂"
ANSWERS = {"corrected": RUNS + PASTED, "note": PASTED + RUNS}
"""By question: what would run as a script, and what would change the frame's page."""

ATTEMPTS = (
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"top.pwned = 1\">')",
    "document.body.append(Object.assign(document.createElement('script'), {text: 'top.pwned=1'}))",
    "document.body.append(Object.assign(document.createElement('iframe'),"
    " {srcdoc: '<script>top.pwned = 1</script>'}))",
    "location.href = 'javascript:top.pwned = 1'",
    "setTimeout(() => { try { eval('top.pwned = 1') } catch (no) { console.log(no.message) } })",
)


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    name = f"s{uuid4().hex[:8]}"
    write_study(name, SAID[:1])
    rounds.push(name)
    return name


class Faults(list[str]):
    """What ran, failed or was stopped in a page, as it happens."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        page.on("pageerror", lambda error: self.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.append(f"dialog: {dialog.message}"))
        page.on("console", self._stopped)

    def _stopped(self, message: ConsoleMessage) -> None:
        if "script-src" in message.text:
            self.append(message.text)


def box(page: Page, question: str) -> str:
    """The selector of a question's text."""
    place = {"corrected": 0, "note": 1}[question]
    return f".content__text >> nth={place}"


def see(page: Page, status: str) -> None:
    """Open the records of a status afresh: the answers are there as typed, the frame is whole."""
    page.goto(f"{page.url.split('?')[0]}?status={status}")
    assert conversation(page).locator("mark").inner_text() == SAID[0]
    for question, answer in ANSWERS.items():
        expect(page.locator(box(page, question))).to_have_text(answer)


def test_hostile_answers_are_shown_and_do_nothing(
    services: Services,  # noqa: F811
    study: str,
    browser: Watched,  # noqa: F811
) -> None:
    page = browser.page()
    faults = Faults(page)
    open_queue(page, services, study, "annotator_a")
    conversation(page)
    for question, answer in ANSWERS.items():
        page.locator(box(page, question)).click()
        page.keyboard.insert_text(answer)
    page.get_by_role("button", name="Save as draft").click()
    expect(page.locator(".record")).to_contain_text("draft")
    see(page, "draft")
    press(page, "yyy")
    page.keyboard.press("Enter")
    expect(page.locator("iframe")).to_have_count(0)
    see(page, "submitted")
    assert page.evaluate("window.pwned") is None
    assert faults == []
    other = browser.page()
    faults = Faults(other)
    open_queue(other, services, study, "owner")
    assert conversation(other).locator("mark").inner_text() == SAID[0]
    assert other.evaluate("window.pwned") is None
    assert faults == []
    rounds.pull(study)
    labels = read(study, "labels").select("question", "answer")
    assert ANSWERS.items() <= dict(labels.rows()).items()


def test_a_script_that_got_in_would_not_run(
    services: Services,  # noqa: F811
    study: str,
    browser: Watched,  # noqa: F811
) -> None:
    page = browser.page()
    open_queue(page, services, study, "annotator_a")
    conversation(page)
    for frame in (page.main_frame, page.frames[-1]):
        for attempt in ATTEMPTS:
            with page.expect_console_message(lambda said: "Content Security" in said.text):
                frame.evaluate(attempt)
    assert page.evaluate("window.pwned") is None
