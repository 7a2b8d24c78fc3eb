"""The page for signing in: what it says after failures, and that one gets in afterwards."""

from uuid import uuid4

import pytest
from browser_tools import Watched, browser  # noqa: F401
from playwright.sync_api import expect
from services_fixture import services, session  # noqa: F401
from signed_in import give

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.browser]
PASSWORD = "right-and-long"


def test_the_page_says_how_long_to_wait(services: Services, browser: Watched) -> None:  # noqa: F811
    owner, name = session(services, "owner"), f"g{uuid4().hex[:8]}"
    body = {"username": name, "first_name": name, "role": "admin", "password": PASSWORD}
    made = owner.post("/users", json=body).raise_for_status().json()
    page = browser.page()
    page.goto(services.argilla_url)
    for _ in range(7):
        with page.expect_response("**/token"):
            give(page, name, "wrong-and-long")
    said = "Signing in failed too often; wait"
    expect(page.get_by_text(said).first).to_be_visible()
    expect(page.get_by_text("Axios")).to_have_count(0)
    page.wait_for_timeout(2_000)
    give(page, name, PASSWORD)
    page.wait_for_url(lambda url: "sign-in" not in url)
    owner.delete(f"/users/{made['id']}").raise_for_status()
