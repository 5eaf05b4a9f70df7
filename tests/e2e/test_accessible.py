"""axe-core finds nothing serious, in both themes and on phones; nothing jumps."""

import gzip
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Response, expect

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.citations import cite
from kb.domain.lifecycle import create_items, supersede
from kb.enums import ReviewStatus
from kb.models import ContentItem, Workspace
from tests.browser import Visit
from tests.factories.library import NOW, domain, item, unsaved

THEMES = [{"color_scheme": "light"}, {"color_scheme": "dark"}]
WEIGHT = 150_000


@pytest.fixture
def bid(transactional_db: None, editor: Viewer) -> Workspace:
    """A library in which every state and part of a page shows."""
    text = "## What we keep\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Restore\n\n`code`"
    text += f"\n\nThe backup log is at https://example.org/{'a' * 90}"
    bid = Workspace.objects.create(name="Managed IT", client="Brackenshaw")
    for number, state in enumerate(ReviewStatus.values):
        made = item(
            f"Backup {number}",
            text,
            primary_domain=domain("Hosting"),
            governance_review_status=state,
            quality_score=25 * number,
            next_review_date=NOW.date(),
            ai_keywords=["backup"],
        )
        cite(editor, made.pk, workspace=bid)
    old = item("Backup old", text)
    supersede(editor, old.pk, made.pk, NOW, "Newer figures.")
    return bid


def serious(visit: Visit) -> list[Any]:
    found = Axe().run(visit.page).response["violations"]
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def paths(bid: Workspace) -> list[str]:
    old = ContentItem.objects.get(title="Backup old")
    return [
        f"/browse?from_bid={bid.pk}",
        "/browse?domain=Hosting&quality_min=50",
        "/browse?q=backup&include_superseded=true",
        "/browse?q=zebra&domain=Hosting",
        "/browse?review=nix",
        f"/items/{old.pk}?from_bid={bid.pk}",
        f"/items/{old.pk}/history",
        f"/items/{old.pk}/edit",
        "/",
        "/settings",
        "/questions",
        f"/items/{old.superseded_by_id}",
    ]


@pytest.mark.parametrize("visit", THEMES, indirect=True, ids=["light", "dark"])
def test_no_page_has_a_serious_violation(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    visit.go("/sign-in")
    assert serious(visit) == []
    visit.sign_in(bob, "bob-pass")
    for path in paths(bid):
        visit.go(path)
        assert (path, serious(visit)) == (path, [])
    visit.complaints.clear()  # the refused address is answered 400, on purpose


@pytest.mark.parametrize("width", [390, 768])
def test_small_screens_have_none_either(
    width: int, visit: Visit, bid: Workspace, bob: User
) -> None:
    visit.sign_in(bob, "bob-pass")
    visit.page.set_viewport_size({"width": width, "height": 844})
    for path in ("/browse", "/browse?q=backup", paths(bid)[-1]):
        visit.go(path)
        assert (path, serious(visit)) == (path, [])
        wide = visit.page.evaluate("document.documentElement.scrollWidth")
        assert (path, wide) == (path, width)


def test_open_lists_and_popovers_have_none(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    visit.sign_in(bob, "bob-pass")
    visit.page.get_by_role("combobox", name="Search").press_sequentially("backup")
    expect(visit.page.get_by_role("option").first).to_be_visible()
    assert serious(visit) == []
    visit.page.keyboard.press("Enter")
    visit.page.get_by_role("button", name="why here").first.click()
    expect(visit.page.locator(".why").first).to_be_visible()
    assert serious(visit) == []
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.go("/browse")
    visit.page.get_by_role("button", name="Filters").click()
    assert serious(visit) == []


def test_a_page_weighs_less_than_150_kb(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    create_items(Viewer.system(), [unsaved(f"Item {n}") for n in range(30)], NOW)
    visit.sign_in(bob, "bob-pass")
    sizes: dict[str, int] = {}

    def weigh(response: Response) -> None:
        # As a server sends it: whitenoise and the gzip middleware compress.
        sizes[response.url] = len(gzip.compress(response.body()))

    visit.page.on("response", weigh)
    visit.go(f"/browse?from_bid={bid.pk}")
    visit.page.wait_for_load_state("networkidle")
    assert len(sizes) > 20
    assert sum(sizes.values()) < WEIGHT


def test_nothing_shifts_while_a_page_loads(
    visit: Visit, bid: Workspace, bob: User
) -> None:
    visit.sign_in(bob, "bob-pass")
    slow = visit.page.context.new_cdp_session(visit.page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})  # paints while it parses
    for path in paths(bid)[:4]:
        visit.go(path)
        visit.page.wait_for_load_state("networkidle")
        shift = visit.page.evaluate(
            """() => new Promise(done => new PerformanceObserver(list => done(
                 list.getEntries().reduce((sum, each) => sum + each.value, 0)
               )).observe({type: "layout-shift", buffered: true})
               || setTimeout(() => done(0), 300))"""
        )
        assert (path, shift) == (path, 0)
