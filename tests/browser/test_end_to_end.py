"""The whole flow as people do it: two annotators in the page, a researcher in JupyterLab.

Two people sign in and answer 24 candidates each by keyboard, by a plan written from the transcripts
(`golden/end_to_end`): agreement, disagreement, a discard, a draft, an edited answer, and two facts
that no gate proposed. What comes out is exactly what the plan says.
"""

import json
from pathlib import Path

import polars as pl
import pytest
from annotator_page import KEYS, STATEMENT, open_queue, press, statement
from browser_tools import Watched, browser  # noqa: F401
from jupyter_page import jupyterlab, run_all
from playwright.sync_api import Page, expect
from services_fixture import services  # noqa: F401

from analysis.cli import main
from labelling.services import Services
from labelling.tables import alias, read
from labelling.tables.decisions import decisions
from labelling.tasks.wording import one_form

pytestmark = [pytest.mark.server, pytest.mark.browser, pytest.mark.timeout(600)]

FILES = Path(__file__).parents[1] / "golden" / "end_to_end"
GOLDEN = json.loads((FILES / "plan.json").read_text(encoding="utf-8"))
STUDY = "end-to-end"


def gates(*words: str) -> None:
    assert main([*words, "--study", STUDY]) == 0


def answer_all(page: Page, plan: dict[str, str]) -> None:
    """Work through the queue of pending candidates."""
    for left in range(len(plan), 0, -1):
        shown = statement(page)
        action = plan[shown]
        if action == "discard":
            page.keyboard.press("Backspace")
        elif action == "draft":
            press(page, "yyy")
            page.keyboard.press("Control+s")
            expect(page.get_by_text("draft", exact=True)).to_be_visible()
            page.keyboard.press("ArrowRight")
        else:
            press(page, "nyy" if action == "edited" else action)
            page.keyboard.press("Enter")
        if left > 1:
            expect(page.locator(STATEMENT).first).not_to_have_text(shown)
    expect(page.locator("iframe")).to_have_count(0)


def make_durable(page: Page, wanted: str) -> None:
    """Find a submitted answer again and change it to durable."""
    page.goto(page.url.split("?")[0] + "?page=1&status=submitted")
    while (shown := statement(page)) != wanted:
        page.keyboard.press("ArrowRight")
        expect(page.locator(STATEMENT).first).not_to_have_text(shown)
    page.keyboard.press(KEYS["durable"]["y"])
    expect(page.locator(".label-active[for=durable_yes]")).to_be_visible()
    with page.expect_response(lambda answer: "/responses/" in answer.url) as changed:
        page.keyboard.press("Enter")
    assert changed.value.ok


def test_two_annotators_and_a_researcher(
    services: Services,  # noqa: F811
    browser: Watched,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("GATES_DATA", str(services.accounts_file.parent.parent))
    gates("ingest", str(FILES / "transcripts.jsonl"))
    gates("replay")
    gates("replay", "--from", str(FILES / "live.jsonl"), "--gate", "live")
    gates("pool", "--sample", "6")
    gates("push")
    for name in ("annotator_a", "annotator_b"):
        plan = {one_form(said): answers[name] for said, answers in GOLDEN["plan"].items()}
        page = browser.page()
        open_queue(page, services, STUDY, name)
        answer_all(page, plan)
        for said in (said for said, action in plan.items() if action == "edited"):
            make_durable(page, said)
        page.context.close()
    for command in ("pull", "reference", "score"):
        gates(command)
    check_decisions()
    check_points()
    monkeypatch.setenv("GATES_STUDY", STUDY)
    page = browser.page()
    with jupyterlab(tmp_path) as address:
        run_all(page, address)
        for shown in GOLDEN["notebook_shows"]:
            assert page.locator(".jp-OutputArea-output", has_text=shown).count(), shown


def check_decisions() -> None:
    labels, candidates = read(STUDY, "labels"), read(STUDY, "candidates")
    assert set(candidates["statement"]) == set(GOLDEN["plan"])
    decided = decisions(labels, candidates).group_by("decision").len()
    assert dict(decided.iter_rows()) == GOLDEN["decisions"]
    assert labels.filter(pl.col("status") == "discarded")["question"].to_list() == ["task"]
    assert set(labels.filter(pl.col("status") == "draft")["annotator"]) == {alias("annotator_b")}


def check_points() -> None:
    written = read(STUDY, "operating_points").filter(variant="headline")
    points = {row["gate"]: row for row in written.to_dicts()}
    for gate, expected in GOLDEN["operating_points"].items():
        found = {column: points[gate][column] for column in expected}
        assert found == pytest.approx(expected), gate
