"""A real browser against a real server. Skips, with the reason, without Chromium."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from accounts.models import User

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module: its loop runs in this thread, where others start theirs."""
    if CHROMIUM is None:
        pytest.skip("There is no Chromium here.")
    # Playwright's loop runs in this thread, so Django would refuse plain queries.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@dataclass
class Visit:
    """One person at one window; what the browser complained of is kept."""

    page: Page
    base: str
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def sign_in(self, user: User, password: str) -> None:
        self.go("/sign-in?next=/browse")
        self.page.get_by_label("User name").fill(user.username)
        self.page.get_by_label("Password", exact=True).fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/browse")

    def path(self) -> str:
        return self.page.url.removeprefix(self.base)

    def note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer, request: Any) -> Iterator[Visit]:
    """Fails the test for any error in the console: scripts, CSP, missing files."""
    options = getattr(request, "param", {})
    size = {"width": 1280, "height": 800}
    context = browser.new_context(
        base_url=live_server.url, **({"viewport": size} | options)
    )
    context.set_default_timeout(10_000)
    visit = Visit(context.new_page(), live_server.url)
    visit.page.on("console", visit.note)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    yield visit
    context.close()
    assert visit.complaints == []
