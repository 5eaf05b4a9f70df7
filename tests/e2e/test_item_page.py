"""The item page: review, write, decide, ask."""

from typing import Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from accounts.viewer import Viewer
from browse.models import Question
from kb.domain.lifecycle import edit_item
from kb.enums import ReviewStatus
from kb.models import ContentItem, Workspace
from tests.browser import Visit
from tests.e2e.test_accessible import serious
from tests.factories.library import NOW, domain, item


@pytest.fixture
def policy(transactional_db: None) -> ContentItem:
    return item(
        "Backup policy",
        "Kept for 35 days.",
        governance_review_status=ReviewStatus.IN_REVIEW,
        primary_domain=domain("Hosting", cadence_days=90),
    )


def test_an_item_is_reviewed_in_a_dialog_by_keyboard(
    visit: Visit, policy: ContentItem, bob: User
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/items/{policy.pk}")
    opener = page.locator("#side-review")
    opener.focus()
    page.keyboard.press("Enter")
    note = page.get_by_role("dialog").get_by_label("Note")
    expect(note).to_be_visible()
    assert serious(visit) == []
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    note.fill("Read it all.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Reviewed. Next on")).to_be_visible()
    expect(page.locator(".item-head .badge")).to_have_text("Approved")
    expect(page.locator("#history li").first).to_contain_text("Bob · Reviewed")
    assert visit.path() == f"/items/{policy.pk}"


def test_writing_with_a_preview_a_kept_draft_and_a_conflict(
    visit: Visit, policy: ContentItem, bob: User, governor: Viewer
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/items/{policy.pk}/edit")
    text = page.get_by_role("textbox", name="Text")
    page.get_by_role("button", name="Preview").click()
    text.fill("Kept for **90** days.")
    expect(page.locator("#e-look strong")).to_have_text("90")
    expect(page.get_by_text("Draft kept on this device.")).to_be_visible()
    page.reload()
    expect(text).to_have_value("Kept for 35 days.")
    page.get_by_role("button", name="Restore it").click()
    expect(text).to_have_value("Kept for **90** days.")
    assert serious(visit) == []

    edit_item(governor, policy.pk, {"content": "Kept for 60 days."}, NOW)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Somebody else changed content")).to_be_visible()
    expect(text).to_have_value("Kept for **90** days.")
    assert serious(visit) == []
    page.get_by_role("button", name="Save over it").click()
    expect(page.locator("#text strong")).to_have_text("90")
    visit.go(f"/items/{policy.pk}/edit")
    expect(page.get_by_text("There is a draft on this device")).to_be_hidden()
    visit.complaints.clear()  # the browser names the 409


def test_a_kept_draft_still_clashes_with_what_was_saved_since(
    visit: Visit, policy: ContentItem, bob: User, governor: Viewer
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/items/{policy.pk}/edit")
    text = page.get_by_role("textbox", name="Text")
    text.fill("Kept for 90 days.")
    expect(page.get_by_text("Draft kept on this device.")).to_be_visible()
    edit_item(governor, policy.pk, {"content": "Kept for 60 days."}, NOW)
    page.reload()
    expect(text).to_have_value("Kept for 60 days.")
    page.get_by_role("button", name="Restore it").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Somebody else changed content")).to_be_visible()
    expect(text).to_have_value("Kept for 90 days.")
    visit.complaints.clear()  # the browser names the 409


def test_a_title_much_alike_is_named_while_it_is_typed(
    visit: Visit, policy: ContentItem, bob: User
) -> None:
    visit.sign_in(bob, "bob-pass")
    visit.go("/items/new")
    visit.page.get_by_label("Title").press_sequentially("Backup policy.")
    expect(visit.page.locator("#near")).to_contain_text("Backup policy")


def test_a_question_is_asked_answered_and_told(
    visit: Visit, policy: ContentItem, bob: User, charlie: User
) -> None:
    page = visit.page
    visit.sign_in(charlie, "charlie-pass")
    visit.go("/browse?q=zebra&mode=keyword")
    page.get_by_role("link", name="Ask the owners").click()
    page.get_by_role("dialog").get_by_label("Question").fill("Do you keep zebras?")
    assert serious(visit) == []
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("Asked.")).to_be_visible()
    page.context.clear_cookies()

    visit.sign_in(bob, "bob-pass")
    visit.go("/questions")
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text("Bob is on it")).to_be_visible()
    page.get_by_role("link", name="Answer with an item").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Find the item").fill("backup policy")
    dialog.get_by_role("button", name="Find").click()
    dialog.get_by_role("radio", name="Backup policy").check()
    assert serious(visit) == []
    dialog.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("Answered. Charlie is told.")).to_be_visible()
    page.context.clear_cookies()

    visit.sign_in(charlie, "charlie-pass")
    visit.go("/")
    expect(page.get_by_text("Your question is answered")).to_be_visible()
    page.get_by_role("button", name="Read the answer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Backup policy")
    assert Question.objects.get().seen_at


def test_from_sign_in_to_citing_by_keyboard_alone(
    visit: Visit, policy: ContentItem, bob: User
) -> None:
    page = visit.page
    bid = Workspace.objects.create(name="Managed IT")
    visit.go(f"/sign-in?next=/browse?from_bid={bid.pk}")
    page.keyboard.type("bob")
    page.keyboard.press("Tab")
    page.keyboard.type("bob-pass")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Answering for Managed IT")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("/")
    page.keyboard.type("backup pol")
    row = page.locator("#q-list [role=option]").first
    expect(row).to_contain_text("Backup policy")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    cite = page.get_by_role("button", name="Cite in Managed IT")
    expect(cite).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        if cite.evaluate("el => el === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_text("Cited in Managed IT.")).to_be_visible()
    assert bid.citations.count() == 1


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_one_can_review_write_and_ask(
    visit: Visit, policy: ContentItem, bob: User
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/items/{policy.pk}")
    page.get_by_role("link", name="Verify").click()
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("Verified in your name.")).to_be_visible()
    visit.go("/items/new")
    page.get_by_label("Title").fill("Exit plan")
    page.get_by_label("Text").fill("**We** hand over.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#e-look strong")).to_have_text("We")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Exit plan")


def test_a_token_is_made_copied_and_revoked(
    visit: Visit, transactional_db: Any, charlie: User
) -> None:
    page = visit.page
    visit.sign_in(charlie, "charlie-pass")
    visit.go("/settings")
    page.get_by_label("New token for").fill("My laptop")
    page.get_by_role("button", name="New token").click()
    expect(page.locator("#token-secret")).to_contain_text("kh_")
    assert serious(visit) == []
    page.get_by_role("button", name="Revoke My laptop").click()
    expect(page.get_by_text("Token “My laptop” revoked.")).to_be_visible()
    page.get_by_role("switch", name="Single-key shortcuts").uncheck()
    expect(page.get_by_text("Appearance saved.")).to_be_visible()
    visit.go("/browse")
    page.keyboard.press("/")
    expect(page.locator("#q")).not_to_be_focused()
