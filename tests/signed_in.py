"""Argilla's page in a browser, signed in by its form."""

from playwright.sync_api import Page
from services_fixture import password

from labelling.services import Services


def sign_in(page: Page, services: Services, name: str) -> None:
    """Sign in and wait until the form is gone."""
    page.goto(services.argilla_url)
    give(page, name, password(services, name))
    page.wait_for_url(lambda url: "sign-in" not in url)


def give(page: Page, name: str, secret: str) -> None:
    """Fill in the form and send it."""
    page.locator("input[type=text]").fill(name)
    page.locator("input[type=password]").fill(secret)
    page.keyboard.press("Enter")
