"""An incident in a browser: paste, read, tell; jump by keyboard; all accessible."""

import pytest
from playwright.sync_api import expect

from accounts.models import User
from operational.models import Feedback
from operational.sample.load import load
from tests.browser import Visit
from tests.e2e.test_accessible import THEMES, serious

PASTE = "Module not found: Can't resolve 'fs' in '/srv/app/node_modules/x'"
NOTHING = "QuuxLedgerError: the ledger of the quux is sealed"
FAILURE = "/operational/failure/server-module-client-bundle"
PATHS = [
    "/operational",
    "/operational/failure",
    "/operational/record",
    FAILURE,
    "/operational/pattern/runtime-environment-scope-drift",
    "/operational/pathway/split-server-and-client-code",
]


@pytest.fixture
def graph(transactional_db: None) -> None:
    load()


@pytest.fixture
def signed_in(visit: Visit, graph: None, bob: User) -> Visit:
    visit.sign_in(bob, "bob-pass")
    return visit


def look_up(visit: Visit, text: str) -> None:
    visit.go("/operational")
    visit.page.get_by_label("Error, log or symptom").fill(text)
    visit.page.keyboard.press("Control+Enter")


def test_paste_read_and_tell_without_leaving_the_page(signed_in: Visit) -> None:
    page = signed_in.page
    look_up(signed_in, PASTE)
    title = page.locator(".pack__head h2")
    expect(title).to_have_text("A server-only module ends up in the client bundle")
    expect(page.locator("#live")).to_contain_text("we are sure")
    assert signed_in.path() == "/operational"
    page.get_by_role("button", name="This fixed it").click()
    expect(page.locator("#outcome")).to_contain_text("Recorded today: it worked")
    assert [each.worked for each in Feedback.objects.all()] == [True]
    title.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("server-only")


def test_from_no_match_to_a_record_that_matches(signed_in: Visit) -> None:
    page = signed_in.page
    look_up(signed_in, NOTHING)
    expect(
        page.get_by_role("heading", name="We have no record of this")
    ).to_be_visible()
    page.get_by_role("link", name="Record this as a new failure").click()
    expect(page.get_by_label("Title")).to_have_value(NOTHING)
    page.get_by_role("button", name="Record it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NOTHING)
    look_up(signed_in, f"at 10:22: {NOTHING}")
    expect(page.locator(".pack__head h2")).to_have_text(NOTHING)


@pytest.mark.parametrize("limit", [1_000, 10], ids=["small hub", "large hub"])
def test_jump_to_a_page_by_keyboard(
    signed_in: Visit, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.navigation.PER_PAGE", limit)
    page = signed_in.page
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Jump to a page")
    expect(field).to_be_focused()
    expect(page.locator("#jump").get_by_role("option").first).to_be_visible()
    field.press_sequentially("split server")
    option = page.locator("#jump").get_by_role("option").first
    expect(option).to_have_text("Split server and client codePathway")
    expect(option).to_have_attribute("aria-selected", "true")
    assert serious(signed_in) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Split server and client code"
    )
    opener = page.get_by_role("button", name="Jump to a page")
    opener.click()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


@pytest.mark.parametrize("visit", THEMES, indirect=True, ids=["light", "dark"])
def test_no_page_of_memory_has_a_serious_violation(signed_in: Visit) -> None:
    for path in PATHS:
        signed_in.go(path)
        assert (path, serious(signed_in)) == (path, [])
    for text in (PASTE, NOTHING):
        look_up(signed_in, text)
        expect(signed_in.page.locator("#package h2").first).to_be_visible()
        assert (text, serious(signed_in)) == (text, [])
    signed_in.go("/operational/misses")
    assert serious(signed_in) == []


def test_pages_of_memory_fit_a_phone(signed_in: Visit) -> None:
    page = signed_in.page
    page.set_viewport_size({"width": 390, "height": 844})
    for path in PATHS:
        signed_in.go(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert (path, wide) == (path, 390)
        assert serious(signed_in) == []
    look_up(signed_in, PASTE)
    link = page.locator(".graph--narrow a").first
    link.focus()
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
