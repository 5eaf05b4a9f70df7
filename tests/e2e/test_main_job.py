"""The main job: find an answer, open it, come back, go on."""

import re
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.lifecycle import create_items
from kb.embedding import embed_missing
from kb.models import ContentItem
from tests.browse.outage import MESSAGE
from tests.browser import Visit
from tests.factories.library import NOW, domain, item, unsaved


@pytest.fixture
def library(transactional_db: None) -> None:
    made = [
        unsaved(f"Policy {n:02}", primary_domain=domain("People")) for n in range(60)
    ]
    create_items(Viewer.system(), made, NOW)
    item("Backup and restore", "We restore a backup each quarter.")
    item("Backup tiers", "Three tiers of backup.", primary_domain=domain("Hosting"))
    embed_missing()


@pytest.fixture
def signed_in(visit: Visit, library: None, charlie: User) -> Visit:
    visit.sign_in(charlie, "charlie-pass")
    return visit


def cards(visit: Visit) -> Any:
    return visit.page.locator(".card")


def test_type_see_a_preview_search_open_and_come_back(signed_in: Visit) -> None:
    page = signed_in.page
    field = page.get_by_role("combobox", name="Search the library")
    field.press_sequentially("bac")
    rows = page.get_by_role("option")
    expect(rows.filter(has_text="Backup tiers")).to_be_visible()
    field.fill("backup")
    field.press("Enter")
    expect(page.locator("#count")).to_have_text("2 matches for backup")
    first = page.locator(".result__title a").first
    title = first.inner_text()
    first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.go_back()
    expect(page.locator("#count")).to_have_text("2 matches for backup")
    assert signed_in.path() == "/browse?q=backup"
    expect(page.get_by_role("combobox")).to_have_value("backup")


def test_a_suggestion_is_opened_by_keyboard(signed_in: Visit) -> None:
    page = signed_in.page
    page.keyboard.press("/")
    page.keyboard.type("tiers")
    expect(page.get_by_role("option").first).to_contain_text("Backup tiers")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Backup tiers")


def test_nothing_is_asked_while_an_input_method_composes(signed_in: Visit) -> None:
    page = signed_in.page
    page.clock.install()
    signed_in.go("/browse")
    field = page.get_by_role("combobox", name="Search the library")
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url.partition("/preview?q=")[2]))
    field.press_sequentially("bac")
    keys = page.context.new_cdp_session(page)
    composed = {"text": "k", "selectionStart": 1, "selectionEnd": 1}
    keys.send("Input.imeSetComposition", composed)
    page.clock.run_for(1000)
    keys.send("Input.insertText", {"text": "kup"})
    page.clock.run_for(1000)
    expect(page.get_by_role("option").first).to_contain_text("Backup")
    assert [words for words in asked if words] == ["backup"]


def test_filter_by_domain_without_a_new_page_and_back(signed_in: Visit) -> None:
    page = signed_in.page
    page.evaluate("window.same = true")
    page.get_by_role("checkbox", name="Hosting").check()
    expect(page.locator("#count")).to_have_text("1 of 62 items")
    expect(cards(signed_in)).to_have_count(1)
    assert signed_in.path() == "/browse?domain=Hosting"
    assert page.evaluate("window.same")
    expect(page.get_by_role("checkbox", name="Hosting")).to_be_focused()
    page.go_back()
    expect(page.locator("#count")).to_have_text("62 items")
    expect(page.get_by_role("checkbox", name="Hosting")).not_to_be_checked()


def test_a_search_keeps_the_filters_set_since_the_page_was_loaded(
    signed_in: Visit,
) -> None:
    page = signed_in.page
    page.get_by_role("checkbox", name="Hosting").check()
    expect(page.locator("#count")).to_have_text("1 of 62 items")
    field = page.get_by_role("combobox", name="Search the library")
    field.fill("backup")
    field.press("Enter")
    expect(page.locator("#count")).to_have_text("1 match for backup")
    assert signed_in.path() == "/browse?domain=Hosting&q=backup"


def test_a_chip_takes_its_filter_away(signed_in: Visit) -> None:
    page = signed_in.page
    signed_in.go("/browse?domain=Hosting")
    page.get_by_role("link", name="Remove Domain: Hosting").click()
    expect(page.locator("#count")).to_have_text("62 items")
    expect(page.get_by_role("checkbox", name="Hosting")).not_to_be_checked()
    assert signed_in.path() == "/browse"


def test_scrolling_goes_on_and_back_finds_the_place(signed_in: Visit) -> None:
    page = signed_in.page
    for shown in (48, 62):
        page.locator("#more").scroll_into_view_if_needed()
        expect(cards(signed_in)).to_have_count(shown)
    assert signed_in.path() == "/browse?pages=3"
    last = page.locator(".card__title a").nth(55)
    last.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    last.click()
    expect(page.locator("h1")).to_have_text(re.compile("Policy"))
    page.go_back()
    expect(cards(signed_in)).to_have_count(62)
    page.wait_for_function("place => Math.abs(scrollY - place) < 300", arg=place)


def test_load_more_works_when_it_is_pressed(signed_in: Visit) -> None:
    page = signed_in.page
    page.evaluate("window.same = true")
    page.get_by_role("link", name="Load more").click()
    expect(cards(signed_in)).not_to_have_count(24)
    assert page.evaluate("window.same")


def test_order_and_view_change_in_place(signed_in: Visit) -> None:
    page = signed_in.page
    page.get_by_label("Sort by").select_option("Title, A to Z")
    expect(page.locator(".card__title").first).to_have_text("Backup and restore")
    page.get_by_role("link", name="Rows").click()
    expect(page.locator("#rows tr")).to_have_count(24)
    assert signed_in.path() == "/browse?sort=title"
    page.get_by_role("link", name="Title").first.click()
    expect(page.locator("#rows tr").first).to_contain_text("Policy 59")
    page.reload()
    expect(page.locator("#rows tr").first).to_contain_text("Policy 59")


def test_the_panel_is_a_sheet_on_a_small_screen(signed_in: Visit) -> None:
    page = signed_in.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("checkbox", name="Hosting").check()
    show = page.get_by_role("button", name="Show 1 item")
    expect(show).to_be_visible()
    with page.expect_response("**/browse?*"):
        show.click()
    expect(show).to_be_hidden()
    expect(page.locator("#count")).to_have_text("1 of 62 items")


def test_a_search_that_fails_while_filtering_says_so_in_its_place(
    signed_in: Visit, settings: Any
) -> None:
    page = signed_in.page
    signed_in.go("/browse?q=backup")
    settings.EMBEDDER = "tests.browse.outage.Unreachable"
    cache.clear()
    page.get_by_role("checkbox", name="Hosting").check()
    expect(page.locator("#results")).to_contain_text(MESSAGE)
    page.get_by_role("link", name="Search by words only").click()
    expect(page.locator("#count")).to_have_text("1 keyword match for backup")
    expect(page.locator(".result__title")).to_have_text("Backup tiers")
    assert len(signed_in.complaints) == 2  # the browser and htmx name the 503
    signed_in.complaints.clear()


def test_too_many_searches_keep_what_is_on_the_page(
    signed_in: Visit, settings: Any
) -> None:
    page = signed_in.page
    signed_in.go("/browse?q=backup")
    settings.SEARCHES_PER_MINUTE = 0
    page.get_by_role("checkbox", name="Hosting").check()
    expect(page.get_by_text("Too many requests")).to_be_visible()
    expect(page.locator(".result")).to_have_count(2)
    signed_in.complaints.clear()


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_one_can_search_filter_open_and_go_on(
    signed_in: Visit,
) -> None:
    page = signed_in.page
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("#more")).to_contain_text("48 of 62 shown")
    page.get_by_role("checkbox", name="Hosting").check()
    page.get_by_role("button", name="Apply filters").click()
    expect(page.locator("#count")).to_have_text("1 of 62 items")
    page.get_by_role("textbox", name="Search the library").or_(
        page.get_by_role("combobox", name="Search the library")
    ).fill("tiers")
    page.keyboard.press("Enter")
    expect(page.locator(".result__title")).to_have_text("Backup tiers")
    page.locator(".result__title a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Backup tiers")
    assert ContentItem.objects.get(title="Backup tiers").read_marks.count() == 1
