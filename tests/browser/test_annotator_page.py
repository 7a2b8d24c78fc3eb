"""The annotator's page in Chromium: what is shown, answering by keyboard, hostile text."""

from uuid import uuid4

import pytest
from annotator_page import chosen, conversation, open_queue
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import Page, expect
from round_study import HOSTILE, candidate, turn, write_study
from services_fixture import services  # noqa: F401

from labelling import rounds
from labelling.services import Services
from labelling.tables import alias, frame, read, write
from labelling.untrusted import visible

pytestmark = [pytest.mark.server, pytest.mark.browser]

LONG = "a line of a long log\n" * 100


@pytest.fixture
def study(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    return f"s{uuid4().hex[:8]}"


@pytest.fixture
def page(services: Services, study: str, browser: Watched) -> Page:  # noqa: F811
    return browser.page()


def write_conversation(study: str, texts: list[str], at: int, quote: str) -> None:
    """A study of one conversation with one candidate: a quote of turn `at`."""
    write_study(study)
    turns = [turn(number, text) for number, text in enumerate(texts)]
    write(study, "turns", frame("turns", turns))
    start = texts[at].index(quote)
    span = {"turn": at, "role": "user", "start": start, "end": start + len(quote)}
    write(study, "candidates", frame("candidates", [candidate(at, quote, evidence=[span])]))


def test_an_annotator_answers_by_keyboard_and_the_next_record_comes(
    page: Page,
    services: Services,  # noqa: F811
    study: str,
) -> None:
    write_study(study)
    rounds.push(study)
    open_queue(page, services, study, "annotator_a")
    first = conversation(page).locator("mark").inner_text()
    assert first in page.locator(".fields").inner_text()
    page.keyboard.press("1")
    conversation(page).locator("mark").click()  # the questions keep the keyboard
    page.keyboard.press("2")
    page.keyboard.press("1")
    expect(page.locator(".label-active")).to_have_count(3)
    assert chosen(page) == ["durable_yes", "well_evidenced_no", "scope_ok_yes"]
    page.keyboard.press("Enter")
    expect(page.locator(".fields")).not_to_contain_text(first)
    assert conversation(page).locator("mark").inner_text() != first
    rounds.pull(study)
    labels = read(study, "labels").select("annotator", "question", "answer").sort("question")
    answers = [("durable", "yes"), ("scope_ok", "yes"), ("well_evidenced", "no")]
    assert labels.rows() == [(alias("annotator_a"), *answer) for answer in answers]


def test_the_evidence_is_in_sight_and_the_rest_one_key_away(
    page: Page,
    services: Services,  # noqa: F811
    study: str,
) -> None:
    texts = [f"Turn {number}." for number in range(20)]
    texts[8], texts[9], texts[10] = LONG, LONG, LONG + "We use pnpm." + LONG
    write_conversation(study, texts, 10, "We use pnpm.")
    rounds.push(study)
    open_queue(page, services, study, "annotator_b")
    talk = conversation(page)
    expect(talk.locator(".turn:visible")).to_have_count(5)
    expect(talk.locator("mark")).to_be_in_viewport()
    page.keyboard.press("w")
    expect(talk.locator(".turn:visible")).to_have_count(20)
    expect(talk.locator("mark")).to_be_in_viewport()
    top = talk.locator("#turns").evaluate("list => list.scrollTop")
    page.keyboard.press("PageDown")
    assert talk.locator("#turns").evaluate("list => list.scrollTop") > top


@pytest.mark.parametrize("name", ["annotator_a", "owner"])
def test_hostile_text_is_shown_and_does_nothing(
    page: Page,
    services: Services,  # noqa: F811
    study: str,
    name: str,
) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    write_conversation(study, [HOSTILE, HOSTILE, "x" * 1_000_000 + HOSTILE], 0, HOSTILE)
    rounds.push(study)
    open_queue(page, services, study, name)
    talk = conversation(page)
    assert talk.locator("mark").evaluate("mark => mark.textContent") == visible(HOSTILE)
    assert visible(HOSTILE) in page.locator(".fields").evaluate("fields => fields.textContent")
    assert talk.locator("#turns :is(img, svg, a, script)").count() == 0
    assert page.locator(".fields :is(img, a, script)").count() == 0
    page.keyboard.press("w")
    assert page.evaluate("window.pwned") is None
    assert faults == []
