"""A whole session on Argilla's page: marked by keyboard alone, and home again in its turns."""

from uuid import uuid4

import pytest
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import expect
from round_study import turn, write_study
from services_fixture import services  # noqa: F401
from signed_in import sign_in

from labelling import client, rounds
from labelling.candidates import pool
from labelling.services import Services
from labelling.tables import frame, read, write
from labelling.tables.marks import MARKED

pytestmark = [pytest.mark.server, pytest.mark.browser]

TEXTS = ("🙂 Call me Sam, always.", "■ 3 · USER\nYes.", "שלום BigQuery 🙂 it is.")
DRAWN = """() => [...CSS.highlights].filter(([name]) => name.startsWith("gates-"))
    .map(([name, ranges]) => [name, ...[...ranges].map(String)])"""


def test_a_reader_marks_by_keyboard_alone(
    services: Services,  # noqa: F811
    browser: Watched,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    study = f"s{uuid4().hex[:8]}"
    write_study(study)
    write(study, "turns", frame("turns", [turn(n, text) for n, text in enumerate(TEXTS)]))
    write(study, "candidates", frame("candidates", []))
    write(study, "proposals", frame("proposals", []))
    pool(study, read_sessions=1)
    rounds.push(study)
    with client.connect() as argilla:
        workspace = client.workspace_id(argilla, study)
        assert workspace
        dataset = client.server_datasets(argilla, workspace)["transcripts"]["id"]
    page = browser.page()
    sign_in(page, services, "annotator_a")
    page.goto(f"{services.argilla_url}/dataset/{dataset}/annotation-mode")
    text = page.locator("p[class^=span-annotation__field]")
    expect(text).to_contain_text("Call me Sam")
    headings = [["gates-user", "■ 1 · USER", "■ 3 · USER"], ["gates-other", "■ 2 · ASSISTANT"]]
    assert page.evaluate(DRAWN) == headings  # and not what somebody said in their form
    labels = page.locator(".span-entity__container")
    for words, label in ((3, "2"), (2, "1")):
        page.keyboard.press("m")
        expect(text).to_be_focused()
        page.keyboard.press(label)
        expect(text).to_be_focused()
        for key in ("ArrowDown", *["Shift+ArrowRight"] * words):
            page.keyboard.press(key)
        page.keyboard.press("m")
        expect(labels).not_to_have_count(0)
        page.keyboard.press("Escape")
    made = labels.count()
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    expect(labels).to_have_count(made - 1)
    rounds.pull(study)
    assert read(study, "labels").filter(question=MARKED).is_empty()  # nothing is submitted yet
