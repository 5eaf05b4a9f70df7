"""Answering for a bid: find, insert, cite and write without leaving the page."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.bids import add_questions, open_bid
from kb.models import Citation, FormQuestion, FormResponse, Workspace
from tests.browser import Visit
from tests.factories.library import NOW, item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def bid(transactional_db: None, editor: Viewer) -> Workspace:
    item("Backup policy", "We restore a backup each quarter.")
    bid = open_bid(editor, Workspace(name="Managed IT"), NOW.date())
    asked = [
        FormQuestion(text="How do you back up?"),
        FormQuestion(text="Who are you?"),
    ]
    add_questions(editor, bid.pk, asked)
    return bid


def serious(visit: Visit) -> list[str]:
    found = Axe().run(visit.page).response["violations"]
    return [each["id"] for each in found if each["impact"] in ("serious", "critical")]


def test_an_answer_is_found_inserted_edited_and_kept_from_being_lost(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/bids/{bid.pk}")
    answer = page.get_by_label("Answer", exact=True)
    answer.fill("In short:")
    expect(page.locator("#bid-progress")).to_have_text("1 of 2 answered")

    page.get_by_label("What to look for in the library").fill("backup policy")
    page.get_by_role("button", name="Search the library").click()
    page.get_by_role("button", name="Insert and cite").click()
    expect(answer).to_have_value("In short:\n\nWe restore a backup each quarter.")
    expect(page.locator("#answer")).to_contain_text("Cited in this answer")
    assert visit.path() == f"/bids/{bid.pk}"

    # Somebody else saves meanwhile: nothing is written over, nothing typed is lost.
    written = FormResponse.objects.get()
    FormResponse.objects.filter(pk=written.pk).update(text="Theirs", updated_at=NOW)
    answer.fill("Mine")
    expect(page.get_by_role("alert")).to_contain_text("saved another answer")
    expect(answer).to_have_value("Mine")
    visit.complaints.clear()  # the browser and htmx name the 409
    page.get_by_role("button", name="Save mine over it").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert FormResponse.objects.get().text == "Mine"
    assert Citation.objects.get().response == written

    assert serious(visit) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert serious(visit) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    answer.fill("Mine, and more")
    page.get_by_role("link", name="Next question").click()
    expect(page.get_by_role("heading", name="2. Who are you?")).to_be_visible()
    assert FormResponse.objects.get().text == "Mine, and more"


def test_words_typed_after_the_session_ended_are_saved_once_signed_in_again(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    page = visit.page
    visit.sign_in(bob, "bob-pass")
    visit.go(f"/bids/{bid.pk}")
    held = {each["name"]: each["value"] for each in page.context.cookies()}
    page.context.clear_cookies(name="sessionid")
    answer = page.get_by_label("Answer", exact=True)
    answer.fill("Typed meanwhile")
    note = page.locator(".note", has_text="You are signed out")
    expect(note).to_be_visible()
    visit.complaints.clear()  # the browser and htmx name the 401
    # Signing in, in another tab, renews the session and the token of forms.
    renewed = held | {"csrftoken": "a" * 32}
    page.context.add_cookies(
        [
            {"name": name, "value": value, "url": visit.base}
            for name, value in renewed.items()
        ]
    )
    note.get_by_role("button", name="Try again").click()
    expect(page.locator("#bid-progress")).to_have_text("1 of 2 answered")
    expect(note).to_have_count(0)
    assert FormResponse.objects.get().text == "Typed meanwhile"
