"""Argilla's page in a browser as an annotator uses it: sign in, read, answer by keyboard."""

from playwright.sync_api import FrameLocator, Page, expect
from services_fixture import password

from labelling import client
from labelling.services import Services


def open_queue(
    page: Page, services: Services, study: str, name: str, dataset: str = "candidates-r1"
) -> None:
    """Sign in as an annotator and open a dataset of the study, its first round if none is named."""
    page.goto(services.argilla_url)
    page.locator("input[type=text]").fill(name)
    page.locator("input[type=password]").fill(password(services, name))
    page.keyboard.press("Enter")
    page.get_by_text("candidates-r1").first.wait_for()
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, study)
        assert workspace
        queue = client.server_datasets(argilla, workspace)[dataset]["id"]
    page.goto(f"{services.argilla_url}/dataset/{queue}/annotation-mode")
    expect(page.locator("iframe")).to_be_visible()


def conversation(page: Page) -> FrameLocator:
    """The transcript's frame, once the evidence is drawn in it."""
    found = page.frame_locator("iframe")
    found.locator("mark").first.wait_for()
    return found


def chosen(page: Page) -> list[str]:
    """The ids of the chosen answers, `<question>_<answer>`."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.label-active')].map(label => label.htmlFor)"
    )
    return found


STATEMENT = ".fields .content-area > div"
KEYS = {"durable": {"y": "1", "n": "3"}, "well_evidenced": {"y": "1", "n": "2"}}
KEYS["scope_ok"] = KEYS["well_evidenced"]


def statement(page: Page) -> str:
    """The statement on show, once its conversation is drawn."""
    conversation(page)
    return page.locator(STATEMENT).first.inner_text().strip()


def press(page: Page, answers: str) -> None:
    """Give the three required answers (y or n each) by keyboard."""
    for question, answer in zip(KEYS, answers, strict=True):
        key = KEYS[question][answer]
        page.keyboard.press(key)
        label = {"y": "yes", "n": "no"}[answer]
        expect(page.locator(f".label-active[for={question}_{label}]")).to_be_visible()
