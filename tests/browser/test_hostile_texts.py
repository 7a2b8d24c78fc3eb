"""Hostile text is text in every field, question and name, on every page, for every reader."""

from uuid import uuid4

import pytest
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import Frame, Page, expect
from published import Published, post, publish
from services_fixture import services, session  # noqa: F401
from signed_in import give, sign_in

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.browser]

HOSTILE = (
    "</script><script>top.pwned = 1</script><img src=x onerror='top.pwned = 2'>"
    "<svg onload='top.pwned = 3'><a xlink:href='javascript:top.pwned=4'>svg</a></svg>"
    "<style>* { display: none }</style><a href='http://evil.test/a'>link</a>"
    "<iframe srcdoc='<script>top.pwned = 5</script>'></iframe><base href='http://evil.test/'>"
    "<meta http-equiv=refresh content='0;url=http://evil.test/m'>"
    "<object data='http://evil.test/o'></object><embed src='http://evil.test/e'>"
    "<form action='http://evil.test/f'><button>send</button></form>"
    "[md](javascript:top.pwned=6) [out](http://evil.test/l) ![image](http://evil.test/i.png) "
    "http://evil.test/auto {{constructor.constructor('top.pwned = 7')()}} ${top.pwned = 8} "
    "$' $& $$ #TEMPLATE# #RECORD_OBJECT# <b>bold</b> \u202eeverrides\u202c \u2066isolate \u200b"
)
SHORT = "<img src=x onerror='top.pwned=9'><b>n</b>{{7*7}}\u202edne"
PASSWORD = "right-and-long"
LONG = ("a word <b>" * 50 + "🙂") * 2000
"""A turn of a megabyte."""


@pytest.fixture
def hostile(services: Services) -> Published:  # noqa: F811
    options = [{"value": f"v{n}", "text": f"{n} {SHORT}"} for n in range(3)]
    said = {"title": f"asked {SHORT}", "description": HOSTILE[:900]}
    conversation = [{"role": "user", "content": HOSTILE}, {"role": SHORT[:20], "content": HOSTILE}]
    fields = {
        "text": {"type": "text", "use_markdown": False, "title": f"text {SHORT}"},
        "markdown": {"type": "text", "use_markdown": True},
        "spans": {"type": "text", "use_markdown": False},
        "chat": {"type": "chat", "use_markdown": False},
        "chatmd": {"type": "chat", "use_markdown": True},
        "image": {"type": "image"},
    }
    questions = {
        "label": {"type": "label_selection", "options": options} | said,
        "labels": {"type": "multi_label_selection", "options": options, "visible_options": 3}
        | said,
        "ranking": {"type": "ranking", "options": options} | said,
        "rating": {"type": "rating", "options": [{"value": n} for n in range(3)]} | said,
        "words": {"type": "text", "use_markdown": True} | said,
        "marked": {"type": "span", "field": "spans", "options": options} | said,
    }
    record = {
        "fields": dict.fromkeys(("text", "markdown", "spans"), HOSTILE)
        | {"chat": conversation, "chatmd": conversation, "image": "http://blocked.test/i.png"},
        "metadata": {"place": HOSTILE[:100]},
    }
    return publish(
        services,
        fields=fields,
        questions=questions,
        records=[record],
        properties={"place": {"type": "terms", "title": f"place {SHORT}"}},
        name=f"name {SHORT}",
        guidelines=HOSTILE,
    )


class Watch:
    """What ran, failed or was asked of this server that the page itself would not ask."""

    def __init__(self, page: Page) -> None:
        self.page, self.faults = page, list[str]()
        page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        if url.endswith("/x"):
            self.faults.append(url)

    def nothing(self) -> None:
        """Assert that nothing of it happened, and that nothing leads away."""
        assert self.page.evaluate("window.pwned") is None
        assert self.faults == []
        for frame in self.page.frames:
            assert away(frame) == [], frame.url


def away(frame: Frame) -> list[str]:
    """Elements of a frame that run something, lead or load from elsewhere, or restyle the page."""
    found: list[str] = frame.evaluate(
        """() => {
            const hostile = ({ name, value }) =>
                name.startsWith("on") || (/href|src|srcdoc|data|action|content/.test(name)
                && /evil|pwned/.test(value) && !name.startsWith("data-"));
            const all = [...document.querySelectorAll("*")];
            const styles = all.filter((one) => one.localName === "style")
                .filter((one) => one.textContent.includes("* { display"));
            return all.filter((one) => [...one.attributes].some(hostile)).concat(styles)
                .map((one) => one.outerHTML.slice(0, 300));
        }"""
    )
    return found


@pytest.mark.parametrize("name", ["annotator_a", "owner"])
def test_it_is_text_where_records_are_read(
    services: Services,  # noqa: F811
    hostile: Published,
    browser: Watched,  # noqa: F811
    name: str,
) -> None:
    page = browser.page()
    sign_in(page, services, name)
    watch = Watch(page)
    page.goto(hostile.address)
    for words in ("<script>top.pwned = 1", "<style>* {", "{{constructor", "#RECORD_OBJECT#"):
        expect(page.locator(".fields").get_by_text(words)).to_have_count(FIELDS)
    expect(page.locator(".fields").get_by_text("[U+202E]everrides[U+202C]")).to_have_count(6)
    expect(page.get_by_text(SHORT[:20]).first).to_be_visible()
    watch.nothing()
    page.get_by_text("Guidelines").first.click()
    expect(page.locator(".markdown-render").get_by_text("out (http://evil.test/l)")).to_have_count(
        4
    )
    page.get_by_text("Filters").first.click()
    page.get_by_text("Metadata").first.click()
    page.locator(".icon-info").first.click()
    expect(page.get_by_text("<object data").last).to_be_visible()
    watch.nothing()
    page.get_by_label("Switch to Bulk Mode").click()
    expect(page.locator(".fields").get_by_text("{{constructor")).to_have_count(FIELDS)
    watch.nothing()


FIELDS = 7
"""Three texts, and two turns in each of two conversations."""


@pytest.mark.parametrize("name", ["annotator_a", "owner"])
def test_it_is_text_on_every_other_page(
    services: Services,  # noqa: F811
    hostile: Published,
    browser: Watched,  # noqa: F811
    name: str,
) -> None:
    page = browser.page()
    sign_in(page, services, name)
    watch = Watch(page)
    page.goto(services.argilla_url)
    expect(page.get_by_text(f"name {SHORT[:20]}").first).to_be_visible()
    watch.nothing()
    page.goto(f"{services.argilla_url}/dataset/{hostile.dataset}/settings")
    expect(page.get_by_text(f"name {SHORT[:20]}").first).to_be_visible()
    for tab in ("Fields", "Questions", "Metadata", "Danger zone") if name == "owner" else ():
        page.get_by_text(tab, exact=True).first.click()
        watch.nothing()
    if name == "owner":
        page.get_by_role("button", name="Delete").first.click()
        expect(page.get_by_text("You are about to delete: name <img")).to_be_visible()
        watch.nothing()


def test_an_accounts_name_is_text(services: Services, browser: Watched) -> None:  # noqa: F811
    owner, name = session(services, "owner"), f"{uuid4().hex[:6]}{SHORT}"
    body = {"username": name, "first_name": SHORT, "last_name": SHORT, "password": PASSWORD}
    made = post(owner, "/users", body | {"role": "owner"})
    page = browser.page()
    watch = Watch(page)
    page.goto(services.argilla_url)
    give(page, name, PASSWORD)
    page.wait_for_url(lambda url: "sign-in" not in url)
    page.goto(f"{services.argilla_url}/user-settings")
    expect(page.get_by_text(SHORT[:20]).first).to_be_visible()
    watch.nothing()
    owner.delete(f"/users/{made['id']}").raise_for_status()


@pytest.mark.parametrize("kind", ["text", "markdown", "spans"])
def test_a_turn_of_a_megabyte_can_be_labelled(
    services: Services,  # noqa: F811
    browser: Watched,  # noqa: F811
    kind: str,
) -> None:
    field = {"type": "text", "use_markdown": kind == "markdown"}
    options = [{"value": value, "text": value} for value in ("yes", "no")]
    questions = {"durable": {"type": "label_selection", "options": options}}
    if kind == "spans":
        questions["marked"] = {"type": "span", "field": "turn", "options": options}
    published = publish(
        services,
        fields={"turn": field},
        questions=questions,
        records=[{"fields": {"turn": LONG}}],
    )
    page = browser.page()
    sign_in(page, services, "annotator_a")
    page.goto(published.address)
    expect(page.locator(".fields")).to_contain_text("a word <b>a word <b>")
    page.keyboard.press("1")
    expect(page.locator(".label-active")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".fields")).to_have_count(0)
