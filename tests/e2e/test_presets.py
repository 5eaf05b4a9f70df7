"""Presets and recent searches, in the browsers of one person."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.lifecycle import create_items
from tests.browser import Visit
from tests.e2e.test_accessible import serious
from tests.factories.library import NOW, domain, unsaved


@pytest.fixture
def library(transactional_db: None) -> None:
    made = [
        unsaved(f"{name} policy", primary_domain=domain(name), subtopic="Leave")
        for name in ("People", "Hosting")
    ]
    create_items(Viewer.system(), made, NOW)


def test_save_change_update_delete_and_undo(
    visit: Visit, library: None, charlie: User
) -> None:
    page = visit.page
    visit.sign_in(charlie, "charlie-pass")
    bar = page.get_by_role("navigation", name="Presets")
    page.get_by_role("checkbox", name="People").check()
    bar.get_by_role("link", name="Save these filters").click()
    dialog = page.get_by_role("dialog")
    name = dialog.get_by_label("Name")
    expect(name).to_be_focused()
    expect(name).to_have_value("People")
    assert serious(visit) == []
    name.fill("Bid-ready")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("A built-in preset has this name.")).to_be_visible()
    name.fill("Of people")
    dialog.get_by_role("button", name="Save preset").click()
    expect(dialog).to_be_hidden()
    mine = bar.get_by_role("link", name="Of people")
    expect(mine).to_have_attribute("aria-current", "true")
    expect(page.get_by_text("Preset “Of people” saved.")).to_be_visible()

    page.get_by_role("checkbox", name="Hosting").check()
    expect(bar.get_by_text("Of people changed")).to_be_visible()
    bar.get_by_role("button", name="Update Of people").click()
    expect(mine).to_have_attribute("aria-current", "true")
    expect(page.locator("#count")).to_have_text("2 of 2 items")
    mine.click()  # once more: off
    expect(page.locator("#count")).to_have_text("2 items")
    assert visit.path() == "/browse"

    bar.get_by_role("link", name="Manage").click()
    expect(dialog.get_by_text("Manage presets")).to_be_visible()
    assert serious(visit) == []
    dialog.get_by_role("button", name="Delete Of people").click()
    expect(mine).to_have_count(0)
    expect(dialog.get_by_role("button", name="Undo")).to_be_focused()
    expect(page.locator(".htmx-added")).to_have_count(0)  # htmx has it in hand
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("deleted.")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(mine).to_be_visible()
    visit.complaints.clear()  # the browser names the 422


def test_back_and_forward_find_the_preset_as_it_was(
    visit: Visit, library: None, charlie: User
) -> None:
    page = visit.page
    visit.sign_in(charlie, "charlie-pass")
    preset = page.get_by_role("link", name="Questions and answers")
    preset.click()
    expect(page.locator("#count")).to_have_text("0 of 2 items")
    page.go_back()
    expect(page.locator("#count")).to_have_text("2 items")
    expect(page.get_by_text("Good places to start")).to_be_visible()
    page.go_forward()
    expect(page.locator("#count")).to_have_text("0 of 2 items")
    expect(preset).to_have_attribute("aria-current", "true")


def test_presets_and_searches_follow_to_another_browser_and_the_view_does_not(
    visit: Visit, browser: Browser, live_server: LiveServer, library: None, bob: User
) -> None:
    visit.sign_in(bob, "bob-pass")
    visit.go("/presets/new?domain=People")
    visit.page.get_by_label("Name").fill("Of people")
    visit.page.get_by_role("button", name="Save preset").click()
    visit.go("/browse?q=policy")
    visit.go("/browse")
    visit.page.get_by_role("link", name="Rows", exact=True).click()
    expect(visit.page.locator("#rows")).to_be_visible()

    context = browser.new_context()
    other = Visit(context.new_page(), live_server.url)
    other.sign_in(bob, "bob-pass")
    expect(other.page.get_by_role("link", name="Of people")).to_be_visible()
    expect(other.page.locator("#cards")).to_be_visible()
    other.page.keyboard.press("/")
    recent = other.page.get_by_role("option", name="policy")
    expect(recent).to_be_visible()
    other.page.get_by_role("button", name="Clear recent searches").click()
    expect(recent).to_have_count(0)
    context.close()
    visit.go("/browse")
    visit.page.keyboard.press("/")
    expect(visit.page.get_by_role("option", name="Leave")).to_be_visible()  # a topic
    expect(visit.page.get_by_role("option", name="policy")).to_have_count(0)


def test_rows_stay_when_a_newer_preview_cannot_be_had(
    visit: Visit, library: None, charlie: User, settings: Any
) -> None:
    visit.sign_in(charlie, "charlie-pass")
    field = visit.page.get_by_role("combobox", name="Search the library")
    field.press_sequentially("policy")
    heading = visit.page.get_by_text("Matches for “policy”")
    expect(heading).to_be_visible()
    settings.PREVIEWS_PER_MINUTE = 0
    with visit.page.expect_response("**/browse/preview?*"):
        field.press_sequentially(" people")
    expect(heading).to_be_visible()
    expect(visit.page.get_by_role("option", name="See all results")).to_contain_text(
        "policy people"
    )
    expect(visit.page.get_by_text("Too many")).to_have_count(0)
    visit.complaints.clear()  # the browser names the 429


def test_a_newer_keystroke_cancels_the_older_preview(
    visit: Visit, library: None, charlie: User
) -> None:
    visit.sign_in(charlie, "charlie-pass")
    page = visit.page
    page.route("**/browse/preview?*q=peo", lambda route: None)  # never answered
    field = page.get_by_role("combobox", name="Search the library")
    with page.expect_request("**/browse/preview?*q=peo") as older:
        field.press_sequentially("peo")
    with page.expect_event("requestfailed", lambda each: each == older.value):
        field.fill("host")
    expect(page.get_by_role("option", name="Hosting policy")).to_be_visible()
    expect(page.get_by_role("option", name="People policy")).to_have_count(0)


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_presets_are_links_and_forms(
    visit: Visit, library: None, charlie: User
) -> None:
    page = visit.page
    visit.sign_in(charlie, "charlie-pass")
    visit.go("/browse?domain=People")
    page.get_by_role("link", name="Save these filters").click()
    page.get_by_label("Name").fill("Of people")
    page.get_by_role("button", name="Save preset").click()
    expect(page.locator("#count")).to_have_text("1 of 2 items")
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("link", name="Rename Of people").click()
    page.get_by_label("New name for Of people").fill("Ours")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Delete Ours").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Ours", exact=True)).to_be_visible()
