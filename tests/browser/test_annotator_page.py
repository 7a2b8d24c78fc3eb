"""The annotator's page in Chromium: what is shown, answering by keyboard, hostile text."""

from uuid import uuid4

import pytest
from annotator_page import STATEMENT, chosen, conversation, open_queue, press, statement
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import Page, expect
from round_study import HOSTILE, candidate, turn, write_study
from services_fixture import services  # noqa: F401

from labelling import rounds
from labelling.practice import practice_items
from labelling.services import Services
from labelling.tables import alias, frame, read, write
from labelling.tasks import candidates_task
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
    first = conversation(page).locator("mark").inner_text().rstrip(".")
    assert first in page.locator(".fields").inner_text()
    page.keyboard.press("1")
    conversation(page).locator("mark").click()  # the questions keep the keyboard
    page.keyboard.press("2")
    page.keyboard.press("1")
    expect(page.locator(".label-active")).to_have_count(3)
    assert chosen(page) == ["durable_yes", "well_evidenced_no", "scope_ok_yes"]
    page.keyboard.press("Enter")
    expect(page.locator(".fields")).not_to_contain_text(first)
    assert first not in conversation(page).locator("mark").inner_text()
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
    page.keyboard.press("w")
    folded = talk.locator(".folded").count()
    page.keyboard.press("f")
    assert (folded, talk.locator(".folded").count()) == (3, 0)
    page.keyboard.press("f")
    expect(talk.locator("mark")).to_be_in_viewport()
    talk.get_by_role("button", name="Show 8 turns").click()
    expect(talk.locator(".turn:visible")).to_have_count(13)
    page.keyboard.press("w")
    top = talk.locator("#turns").evaluate("list => list.scrollTop")
    page.keyboard.press("PageDown")
    assert talk.locator("#turns").evaluate("list => list.scrollTop") > top


def test_every_control_has_a_name_and_the_page_says_how_far_one_is(
    page: Page,
    services: Services,  # noqa: F811
    study: str,
) -> None:
    write_study(study)
    rounds.push(study)
    open_queue(page, services, study, "annotator_a")
    conversation(page)
    form = page.locator(".questions-form")
    expect(form).to_have_attribute("data-progress", "You: 0 of 3 answered, 3 to go")
    expect(page.locator("iframe")).to_have_attribute("title", "Conversation")
    for question in candidates_task().questions:
        role = "group" if question.options else "textbox"
        expect(form.get_by_role(role, name=question.title, exact=True)).to_have_count(1)
        shown = page.locator(f".title-area[data-help='{question.description}']")
        assert question.description.split()[0] in shown.evaluate(
            "head => getComputedStyle(head, '::after').content"
        )
    page.get_by_text("Guidelines").first.click()  # the keyboard is somewhere else now
    page.keyboard.press("1")
    expect(page.locator(".label-active[for=durable_yes]")).to_be_visible()
    page.reload()
    for left in (2, 1, 0):
        shown_now = statement(page)
        expect(page.locator("#gates-said")).to_have_text(f"Next: {shown_now}")
        press(page, "nny")
        page.keyboard.press("Enter")
        if left:
            expect(page.locator(STATEMENT).first).not_to_have_text(shown_now)
            expect(form).to_have_attribute(
                "data-progress", f"You: {3 - left} of 3 answered, {left} to go"
            )
    done = page.locator(".wrapper--empty")
    expect(done).to_contain_text("You are done, thank you. 3 of 3 here are yours.")
    expect(page.locator("#gates-said")).to_contain_text("You are done")
    expect(form).to_be_hidden()


def test_practice_holds_its_answer_back_until_it_is_asked_for(
    page: Page,
    services: Services,  # noqa: F811
    study: str,
) -> None:
    write_study(study)
    rounds.push(study)
    open_queue(page, services, study, "annotator_a", "practice")
    talk = conversation(page)
    known = talk.locator("#known")
    expect(known).to_be_hidden()
    page.keyboard.press("a")
    shown = statement(page)
    item = next(one for one in practice_items() if one["statement"].startswith(shown))
    expect(known).to_contain_text(item["why"])
    page.keyboard.press("a")
    expect(known).to_be_hidden()


@pytest.mark.parametrize("width", [375, 720])
def test_a_phone_and_a_page_at_200_percent_cut_nothing_off(
    services: Services,  # noqa: F811
    study: str,
    browser: Watched,  # noqa: F811
    width: int,
) -> None:
    write_study(study)
    rounds.push(study)
    page = browser.page(width=width, height=740)
    open_queue(page, services, study, "annotator_b")
    conversation(page)
    wide = "[...document.querySelectorAll('body *')].filter(one => {"
    wide += (
        "const box = one.getBoundingClientRect(); return box.width && box.right > innerWidth + 1"
    )
    assert page.evaluate(f"{wide} }}).map(one => one.className)") == []
    cut = "words => words.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".label-text__text").evaluate_all(cut) == 0


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
