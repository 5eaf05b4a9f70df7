"""`/browse` without words: filters, orders, pages, and who sees what."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.viewer import Viewer
from browse.listing import PAGE
from kb.domain.lifecycle import archive, create_items
from kb.domain.reading import mark_read
from kb.enums import ReviewStatus
from kb.models import ContentItem, Workspace
from tests.browse.pages import HTMX, facet, hidden, links, text, titles
from tests.factories.library import NOW, domain, item, unsaved

pytestmark = pytest.mark.django_db


def many(count: int, **values: Any) -> list[ContentItem]:
    """Items that all changed at the same moment: only the id tells them apart."""
    made = [unsaved(f"Item {n:03}", **values) for n in range(count)]
    return create_items(Viewer.system(), made, NOW)


def test_the_library_lists_what_changed_last_first(as_reader: Client) -> None:
    item("Older", now=NOW - timedelta(days=2))
    item("Newer", now=NOW)
    response = as_reader.get("/browse")
    assert titles(response) == ["Newer", "Older"]
    assert "2 items" in text(response)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("title", ["alpha", "Beta", "Gamma"]),
        ("title&order=desc", ["Gamma", "Beta", "alpha"]),
        ("title-desc", ["Gamma", "Beta", "alpha"]),
        ("quality_score", ["Gamma", "alpha", "Beta"]),
        ("newest", ["Gamma", "alpha", "Beta"]),
        ("next_review", ["alpha", "Beta", "Gamma"]),
    ],
)
def test_every_order_can_be_asked_for(
    sort: str, expected: list[str], as_reader: Client
) -> None:
    day = NOW.date()
    item("Beta", next_review_date=day + timedelta(days=50))
    item("alpha", next_review_date=day + timedelta(days=40))
    item("Gamma")
    for title, score in (("Beta", 10), ("alpha", 50), ("Gamma", 90)):
        ContentItem.objects.filter(title=title).update(quality_score=score)
    assert titles(as_reader.get(f"/browse?sort={sort}")) == expected


def test_filters_narrow_list_count_and_panel(as_reader: Client) -> None:
    item("Vetting", primary_domain=domain("Security"), content_type="qa_pair")
    item("Access", primary_domain=domain("Security"), content_type="policy")
    item("Training", primary_domain=domain("People"), content_type="policy")
    response = as_reader.get("/browse?domain=Security&content_type=policy")
    assert titles(response) == ["Access"]
    assert "1 of 3 items" in text(response)
    assert facet(response, "domain") == {"Security": 1, "People": 1}
    assert facet(response, "content_type")["qa_pair"] == 1
    assert "Domain: Security" in text(response)


def test_a_chip_leads_to_the_page_without_its_filter(as_reader: Client) -> None:
    item(primary_domain=domain("Security"))
    response = as_reader.get("/browse?domain=Security&quality_min=0&from_bid=")
    assert "/browse?quality_min=0" in response.content.decode()
    assert links(response, "Clear filters") == ["/browse"]


def test_unread_items_are_marked_until_read(as_reader: Client, reader: Viewer) -> None:
    made = item("Policy")
    assert 'class="unread"' in as_reader.get("/browse").content.decode()
    mark_read(reader, made.pk, NOW)
    assert 'class="unread"' not in as_reader.get("/browse").content.decode()
    assert titles(as_reader.get("/browse?unread=true")) == []


def test_drafts_are_for_editors_in_list_count_and_panel(
    as_reader: Client, as_editor: Client
) -> None:
    item("Open")
    item("Secret merger", governance_review_status=ReviewStatus.DRAFT)
    hidden_from = as_reader.get("/browse")
    assert titles(hidden_from) == ["Open"]
    assert "merger" not in hidden_from.content.decode()
    assert facet(hidden_from, "review")["draft"] == 0
    shown_to = as_editor.get("/browse?review=draft")
    assert titles(shown_to) == ["Secret merger"]
    assert facet(shown_to, "review")["draft"] == 1


def test_archived_and_replaced_items_are_left_out(
    as_editor: Client, editor: Viewer
) -> None:
    old, new = item("Old"), item("New")
    ContentItem.objects.filter(pk=old.pk).update(superseded_by=new)
    archive(editor, [item("Gone").pk], NOW)
    assert titles(as_editor.get("/browse")) == ["New"]
    both = as_editor.get("/browse?include_superseded=true&sort=title")
    assert titles(both) == ["New", "Old"]
    assert "Replaced" in text(both)


@pytest.mark.parametrize("sort", ["updated", "title", "quality_score", "next_review"])
def test_pages_follow_each_other_without_gap_or_repeat(
    sort: str, as_reader: Client
) -> None:
    many(PAGE * 2 + 3)
    seen: list[str] = []
    url = f"/browse?sort={sort}"
    while url:
        response = as_reader.get(url)
        seen += titles(response)
        url = next(iter(links(response, "Load more")), "")
    assert len(seen) == PAGE * 2 + 3
    assert sorted(seen) == [f"Item {n:03}" for n in range(PAGE * 2 + 3)]


def test_a_further_page_is_items_and_the_next_place_only(as_reader: Client) -> None:
    many(PAGE * 3)
    url = links(as_reader.get("/browse"), "Load more")[0]
    part = as_reader.get(url, headers=HTMX)
    body = part.content.decode()
    assert len(titles(part)) == PAGE
    assert 'hx-swap-oob="beforeend:#cards"' in body
    assert "<html" not in body
    assert f"{PAGE * 2} of {PAGE * 3} shown" in text(part)
    assert part["Cache-Control"] == "no-store"


def test_the_address_after_scrolling_brings_back_all_that_was_shown(
    as_reader: Client,
) -> None:
    many(PAGE * 3)
    first = as_reader.get("/browse")
    part = as_reader.get(links(first, "Load more")[0], headers=HTMX)
    assert part["HX-Replace-Url"] == "/browse?pages=2"
    again = as_reader.get(part["HX-Replace-Url"])
    assert titles(again) == titles(first) + titles(part)


def test_a_part_carries_list_panel_and_canonical_address(as_reader: Client) -> None:
    item(primary_domain=domain("People"))
    part = as_reader.get(
        "/browse?include_qa=false&include_qa=true&domain=people&sort=updated",
        headers=HTMX,
    )
    body = part.content.decode()
    assert body.count('id="results"') == 1
    assert 'hx-swap-oob="innerHTML:#filters"' in body
    assert "<html" not in body
    assert part["HX-Push-Url"] == "/browse?domain=people"
    assert "HX-Request" in part["Vary"]


def test_restoring_history_gets_the_whole_page(as_reader: Client) -> None:
    restore = {"HX-History-Restore-Request": "true"}
    assert "<html" in as_reader.get("/browse", headers=HTMX | restore).content.decode()


def test_the_search_bar_carries_filters_and_bid_along(as_reader: Client) -> None:
    item(primary_domain=domain("People"))
    bid = Workspace.objects.create(name="Managed IT")
    response = as_reader.get(f"/browse?domain=People&sort=title&from_bid={bid.pk}")
    assert hidden(response, "searchbar--inline") == [
        ("domain", "People"),
        ("sort", "title"),
        ("from_bid", str(bid.pk)),
    ]
    assert ("from_bid", str(bid.pk)) in hidden(response, 'id="filters"')


def test_the_panel_carries_filters_it_has_no_field_for(as_reader: Client) -> None:
    carried = [("changed_within", "30"), ("due_within", "9"), ("won", "true")]
    query = "&".join(f"{name}={value}" for name, value in carried)
    response = as_reader.get(f"/browse?{query}&quality_min=60")
    assert [
        pair for pair in hidden(response, 'id="filters"') if pair[0] != "include_qa"
    ] == carried
    assert 'value="60" checked' in response.content.decode()


def test_in_a_bid_each_card_can_be_cited_and_links_keep_the_bid(
    as_editor: Client, as_reader: Client
) -> None:
    made = item()
    bid = Workspace.objects.create(name="Managed IT", client="Brackenshaw")
    page = as_editor.get(f"/browse?from_bid={bid.pk}")
    assert "Answering for Brackenshaw: Managed IT" in text(page)
    assert "Cite in Brackenshaw" in text(page)
    assert links(page, made.title) == [f"/items/{made.pk}?from_bid={bid.pk}"]
    assert "Cite in" not in text(as_reader.get(f"/browse?from_bid={bid.pk}"))


def test_rows_are_asked_for_once_and_remembered_by_the_browser(
    as_reader: Client,
) -> None:
    item("Policy")
    moved = as_reader.get("/browse?sort=title&view=rows")
    assert (moved.status_code, moved["Location"]) == (302, "/browse?sort=title")
    page = as_reader.get("/browse?sort=title")
    assert titles(page) == ["Policy"]
    assert 'aria-sort="ascending"' in page.content.decode()


def test_hidden_thumbnails_stay_hidden(as_reader: Client) -> None:
    item()
    as_reader.cookies["kb-hide-thumbnails"] = "true"
    assert 'data-thumbs="off"' in as_reader.get("/browse").content.decode()


@pytest.mark.parametrize(
    ("query", "message", "way_on"),
    [
        ("domain=Peple", "Did you mean people?", "Clear domain"),
        ("review=aproved&sort=title", "Did you mean approved?", "Clear review state"),
        ("cursor=x", "This place in the list is not known", "Clear place in the list"),
        ("from_bid=99", "This bid does not exist.", "Clear bid"),
        ("order=up", "Unknown order: 'up'", "Clear order"),
        ("date_from=x", "First date must be a date such as", "Clear first date"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_a_way_on(
    query: str, message: str, way_on: str, as_reader: Client
) -> None:
    item(primary_domain=domain("People"))
    response = as_reader.get(f"/browse?{query}")
    assert response.status_code == 400
    assert message in text(response)
    left = "?sort=title" if "sort" in query else ""
    assert links(response, way_on) == [f"/browse{left}"]


def test_nothing_found_says_what_to_do(as_reader: Client) -> None:
    item(quality_score=10)
    page = as_reader.get("/browse?quality_min=85")
    assert "No item matches these filters" in text(page)
    assert "The library is empty" not in text(page)


def test_an_empty_library_says_so(as_reader: Client) -> None:
    assert "The library is empty" in text(as_reader.get("/browse"))


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_takes_the_same_queries_however_long(
    count: int, as_reader: Client, django_assert_num_queries: Any
) -> None:
    many(count, primary_domain=domain("People"))
    # session, user; panel, totals, items, read marks, citations, openings, presets,
    # largest domains; the limit's three: a savepoint, the limit, the release
    with django_assert_num_queries(13):
        as_reader.get("/browse")
