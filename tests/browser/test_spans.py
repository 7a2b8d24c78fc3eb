"""Marked passages: stored in code points, drawn where they were marked, whatever is in the text."""

from typing import Any

import pytest
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import Locator, Page, expect
from published import post, publish
from services_fixture import services, session  # noqa: F401
from signed_in import sign_in

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.browser]

TEXTS = {
    "🙂 we use 𝒫𝓃𝓅𝓂 🙂 and the warehouse is BigQuery": "BigQuery",
    "👩‍👩‍👧‍👦 my family 🏳️‍🌈 lives in Köln 👍🏽": "👍🏽",
    "Ich hei\u0308sse Zoe\u0308 und wohne in Ko\u0308ln": "Ko\u0308ln",
    "first 🙂\r\nsecond\r\n\r\nfourth 🙂 line\r\nlast": "last",
    "🙂 שלום עולם, the warehouse is BigQuery": "BigQuery",
    "<b>bold</b> & <i>it</i> &amp; &#39; 🙂 <!-- the end": "end",
}
"""Text -> what is marked in it, at its end: surrogate pairs, joined emoji, combining marks, line
ends, right-to-left text and markup come before."""


@pytest.fixture
def asked(services: Services) -> tuple[str, dict[str, str]]:  # noqa: F811
    """A dataset with a span question: the address of its page, and text -> record id."""
    labels = [{"value": "fact", "text": "Fact"}, {"value": "junk", "text": "Junk"}]
    made = publish(
        services,
        fields={"text": {"type": "text", "use_markdown": False}},
        questions={"facts": {"type": "span", "field": "text", "options": labels}},
        records=[{"fields": {"text": text}} for text in TEXTS],
    )
    return made.address, dict(zip(TEXTS, made.records, strict=True))


def shown(page: Page) -> Locator:
    """The text to mark passages of."""
    return page.locator("p[class^=span-annotation]")


ENDS = """(text, found) => {
    const at = text.textContent.lastIndexOf(found), range = new Range();
    range.setStart(text.firstChild, at);
    range.setEnd(text.firstChild, at + found.length);
    const box = range.getBoundingClientRect();
    return [box.left + 1, box.right - 1, (box.top + box.bottom) / 2];
}"""
DRAWN = """() => [...CSS.highlights].filter(([name]) => name.startsWith("hl-"))
    .flatMap(([, ranges]) => [...ranges].map(String))"""


def mark(page: Page, words: str, label: str = "1") -> None:
    """Choose a label by its key and draw the mouse over the last occurrence of the words."""
    page.keyboard.press(label)
    left, right, y = shown(page).evaluate(ENDS, words)
    page.mouse.move(left, y)
    page.mouse.down()
    page.mouse.move(right, y, steps=5)
    page.mouse.up()


def expect_marked(page: Page, count: int) -> None:
    expect(page.locator(".span-entity__container")).to_have_count(count)


def span(text: str, words: str, label: str = "fact") -> dict[str, Any]:
    """The last occurrence of the words, in code points."""
    at = text.rindex(words)
    return {"label": label, "start": at, "end": at + len(words)}


def stored(services: Services, record: str) -> Any:  # noqa: F811
    """The value of annotator_a's answer, as the API gives it."""
    (mine,) = session(services, "annotator_a").get(f"/records/{record}").json()["responses"]
    return mine["values"]["facts"]["value"]


def test_a_marked_passage_is_stored_in_code_points_and_drawn_again(
    services: Services,  # noqa: F811
    asked: tuple[str, dict[str, str]],
    browser: Watched,  # noqa: F811
) -> None:
    address, records = asked
    page = browser.page()
    sign_in(page, services, "annotator_a")
    page.goto(address)
    for _ in TEXTS:
        text = shown(page).text_content() or ""
        mark(page, TEXTS[text])
        expect_marked(page, 1)
        page.keyboard.press("Enter")
        expect(shown(page).filter(has_text=text)).to_have_count(0)
    for text, words in TEXTS.items():
        assert stored(services, records[text]) == [span(text, words)]
    for number in range(1, len(TEXTS) + 1):
        page.goto(f"{address}?status=submitted&page={number}")
        text = shown(page).text_content() or ""
        expect_marked(page, 1)
        assert page.evaluate(DRAWN) == [TEXTS[text]]


def test_spans_from_elsewhere_are_drawn_where_they_are_and_stay_there(
    services: Services,  # noqa: F811
    asked: tuple[str, dict[str, str]],
    browser: Watched,  # noqa: F811
) -> None:
    address, records = asked
    text, words = next(iter(TEXTS.items()))
    answer = {"values": {"facts": {"value": [span(text, words)]}}, "status": "draft"}
    post(session(services, "annotator_a"), f"/records/{records[text]}/responses", answer)
    page = browser.page()
    sign_in(page, services, "annotator_a")
    page.goto(f"{address}?status=draft")
    expect_marked(page, 1)
    assert page.evaluate(DRAWN) == [words]
    mark(page, "𝒫𝓃𝓅𝓂", label="2")
    expect_marked(page, 2)
    page.keyboard.press("Enter")
    expect(shown(page)).to_have_count(0)
    assert stored(services, records[text]) == [span(text, words), span(text, "𝒫𝓃𝓅𝓂", "junk")]


def test_a_whole_text_is_marked_by_three_clicks(
    services: Services,  # noqa: F811
    asked: tuple[str, dict[str, str]],
    browser: Watched,  # noqa: F811
) -> None:
    address, records = asked
    text = next(iter(TEXTS))
    empty = {"values": {"facts": {"value": []}}, "status": "draft"}
    post(session(services, "annotator_a"), f"/records/{records[text]}/responses", empty)
    page = browser.page()
    sign_in(page, services, "annotator_a")
    page.goto(f"{address}?status=draft")
    shown(page).wait_for()
    page.keyboard.press("1")
    shown(page).click(click_count=3, position={"x": 100, "y": 10})
    expect_marked(page, 1)
    page.keyboard.press("Enter")
    expect(shown(page)).to_have_count(0)
    assert stored(services, records[text]) == [span(text, text)]
