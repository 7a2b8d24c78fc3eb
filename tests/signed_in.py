"""Argilla's page in a browser, signed in by its form."""

from playwright.sync_api import Page
from services_fixture import password

from labelling.services import Services


def sign_in(page: Page, services: Services, name: str) -> None:
    """Fill in the form and wait for the list of datasets."""
    page.goto(services.argilla_url)
    page.locator("input[type=text]").fill(name)
    page.locator("input[type=password]").fill(password(services, name))
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
