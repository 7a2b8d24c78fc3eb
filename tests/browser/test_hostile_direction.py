"""Right-to-left text in a conversation leaves our own words where they are."""

from uuid import uuid4

import pytest
from annotator_page import conversation, open_queue
from browser_tools import Watched, browser  # noqa: F401
from round_study import candidate, turn, write_study
from services_fixture import services  # noqa: F401

from labelling import rounds
from labelling.services import Services
from labelling.tables import frame, write

pytestmark = [pytest.mark.server, pytest.mark.browser]

SAID = "שלום, אני גר בתל אביב 12"
HEAD = """(head) => [...head.childNodes].map((part) => {
    const range = new Range();
    range.selectNodeContents(part);
    return Math.round(range.getBoundingClientRect().left);
})"""


def test_who_spoke_stands_before_which_turn_it_is(
    services: Services,  # noqa: F811
    browser: Watched,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    study = f"s{uuid4().hex[:8]}"
    write_study(study)
    turns = [turn(0, SAID, speaker="דוד \u202e 7"), turn(1, "I see.")]
    write(study, "turns", frame("turns", turns))
    write(study, "candidates", frame("candidates", [candidate(0, SAID)]))
    rounds.push(study)
    page = browser.page()
    open_queue(page, services, study, "annotator_a")
    talk = conversation(page)
    head = talk.locator(".turn-head").first
    assert head.text_content() == "user (דוד [U+202E] 7)turn 1"
    speaker, number = head.evaluate(HEAD)
    assert speaker < number
    assert talk.locator("mark").text_content() == SAID
