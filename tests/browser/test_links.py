"""A link of the disagreement queue opens Argilla's page at its candidate."""

from pathlib import Path
from uuid import uuid4

import pytest
from annotator_page import open_queue, statement
from browser_tools import Watched, browser
from round_study import write_study
from services_fixture import services, session

from labelling import rounds
from labelling.services import Services
from tests.labelling.test_rounds import YES, Annotator

__all__ = ["browser", "services"]
pytestmark = [pytest.mark.server, pytest.mark.browser]

SAID = (
    "We use tool one.",
    "Don't use tool_two, it's \"broken\" & slow; ask ops & finance before anything ✓.",
    "We use tool three.",
    "We use tool four.",
)


def test_it_opens_at_the_candidate(
    services: Services,
    browser: Watched,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATES_DATA", str(Path(services.accounts_file).parent.parent))
    study = f"s{uuid4().hex[:8]}"
    ids = write_study(study, SAID)
    rounds.push(study)
    labeller = Annotator(session(services, "annotator_a"), study)
    for one in ids[:3]:
        labeller.answers(one, "submitted", **YES)
    links = rounds.links(study, ids)
    page = browser.page()
    open_queue(page, services, study, "annotator_a")
    for one, words in zip(ids[:3], SAID, strict=False):
        page.goto(links[one])
        assert statement(page).startswith(words[:15])
