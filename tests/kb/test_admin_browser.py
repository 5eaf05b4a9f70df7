"""Admin under the product's content security policy, in a real browser."""

import pytest
from playwright.sync_api import Page

from accounts.enums import Role
from accounts.models import User
from kb.domain.lifecycle import edit_item
from kb.models import ContentItem, Workspace
from tests.browser import Visit
from tests.factories.library import NOW, item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(visit: Visit) -> Page:
    """An admin's window; anything in its console fails the test."""
    alice = User.objects.create_user("alice", password="alice-pass", role=Role.ADMIN)
    visit.sign_in(alice, "alice-pass")
    return visit.page


def test_an_item_is_listed_changed_and_traced_without_a_violation(page: Page) -> None:
    made = item("Backup policy", "# Restore\n\nEvery quarter.")
    edit_item(User.objects.get().viewer(), made.pk, {"content": "Each month."}, NOW)

    listing = page.goto("/admin/kb/contentitem/")
    assert listing is not None
    assert "script-src 'self'" in listing.headers["content-security-policy"]
    page.click("text=Backup policy")
    page.fill("#id_content", "Each week.")
    page.click(".field-primary_domain .select2-selection")
    page.wait_for_selector(".select2-results__option")
    page.keyboard.press("Escape")
    page.click("input[name=_save]")
    page.wait_for_selector(".messagelist .success")
    page.goto(f"/admin/kb/contentitem/{made.pk}/history/")
    assert page.locator("#change-history tbody tr").count() == 3
    page.locator("#change-history a").last.click()
    page.wait_for_selector("input[value=Revert]")

    assert ContentItem.objects.get().content == "Each week."


def test_an_action_is_confirmed_without_a_violation(page: Page) -> None:
    item("Old policy", embedded=False)
    item("New policy", embedded=False)
    page.goto("/admin/kb/contentitem/?q=old")
    page.check("#action-toggle")
    page.select_option("select[name=action]", "supersede")
    page.click("button[name=index]")
    page.click(".select2-selection")
    page.fill(".select2-search__field", "new")
    page.click(".select2-results__option:has-text('New policy')")
    page.fill("#id_bulk-reason", "Merged")
    page.click("input[value='Supersede by another item']")
    page.wait_for_selector(".messagelist .success:has-text('1 superseded.')")
    assert ContentItem.objects.get(title="Old policy").superseded_by is not None


def test_the_item_page_offers_the_actions(page: Page) -> None:
    made = item("Old policy", embedded=False)
    page.goto(f"/admin/kb/contentitem/{made.pk}/change/")
    page.select_option("select[name=action]", "archive")
    page.click("text=Go")
    page.click("input[value=Archive]")
    page.wait_for_selector(".messagelist .success:has-text('1 archived.')")


def test_a_bid_gets_another_question_in_its_form(page: Page) -> None:
    bid = Workspace.objects.create(name="Harbour")
    page.goto(f"/admin/kb/workspace/{bid.pk}/change/")
    page.fill("#id_questions-0-text", "Who are you?")
    page.fill("#id_questions-0-answer", "Us.")
    page.click("text=Add another Form question")
    page.fill("#id_questions-1-text", "How fast?")
    page.click("input[name=_save]")
    page.wait_for_selector(".messagelist .success")
    assert list(bid.questions.values_list("position", "text")) == [
        (1, "Who are you?"),
        (2, "How fast?"),
    ]


PATHS = (
    "",
    "kb/contentitem/add/",
    "kb/domain/add/",
    "kb/citation/add/",
    "kb/itemindex/",
    "accounts/user/",
    "accounts/user/add/",
    "auth/group/add/",
    "django_celery_beat/periodictask/",
    "django_celery_beat/periodictask/add/",
    "django_celery_beat/crontabschedule/add/",
)


def test_no_page_of_admin_violates_the_policy(page: Page, visit: Visit) -> None:
    for path in PATHS:
        answer = page.goto(f"/admin/{path}")
        assert answer is not None
        assert answer.status == 200
        page.wait_for_load_state("networkidle")
        assert (path, visit.complaints) == (path, [])
