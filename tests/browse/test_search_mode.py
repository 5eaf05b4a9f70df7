"""`/browse?q=`: the one search, with the same filters."""

import re
from typing import Any

import pytest
from django.test import Client

from browse.page import RESULTS
from kb.enums import ReviewStatus
from kb.models import Workspace
from tests.browse.outage import MESSAGE
from tests.browse.pages import HTMX, facet, hidden, links, text, titles
from tests.factories.library import domain, item

pytestmark = pytest.mark.django_db


@pytest.fixture
def unreachable(settings: Any) -> None:
    settings.EMBEDDER = "tests.browse.outage.Unreachable"


def test_what_was_asked_is_found_counted_and_marked(as_reader: Client) -> None:
    item("Backup policy", "We restore a backup each quarter.")
    item("Travel expenses", "Trains before planes.")
    response = as_reader.get("/browse?q=backup")
    assert titles(response) == ["Backup policy"]
    assert "1 match for backup" in text(response)
    assert "<mark>backup</mark>" in response.content.decode()


def test_a_result_says_how_well_it_matches_and_why(as_reader: Client) -> None:
    item("Backup policy", "We restore a backup each quarter.")
    said = text(as_reader.get("/browse?q=backup"))
    assert "% match : why here?" in said
    assert "Place 1 of 1, score 0." in said
    assert "Title and keywords" in said


def test_an_exact_title_says_that_it_is_pinned(as_reader: Client) -> None:
    item("Backup policy")
    response = as_reader.get("/browse?q=backup+policy")
    assert "100 % match" in text(response)
    assert 'class="tag"' in response.content.decode()


def test_filters_are_part_of_the_search(as_reader: Client) -> None:
    item("Backup policy", primary_domain=domain("Security"))
    item("Backup product", primary_domain=domain("Hosting"))
    response = as_reader.get("/browse?q=backup&domain=Hosting")
    assert titles(response) == ["Backup product"]
    assert links(response, "Leave search") == ["/browse?domain=Hosting"]
    assert links(response, "Clear filters") == ["/browse?q=backup"]
    assert ("q", "backup") in hidden(response, 'id="filters"')


def test_drafts_are_never_found_not_even_by_editors(as_editor: Client) -> None:
    item("Backup merger", governance_review_status=ReviewStatus.DRAFT)
    assert titles(as_editor.get("/browse?q=backup+merger")) == []


def test_results_go_on_by_offset_and_come_back(as_reader: Client) -> None:
    for number in range(RESULTS + 5):
        item(f"Backup {number:02}", embedded=number == RESULTS + 4)
    first = as_reader.get("/browse?q=backup")
    more = links(first, "Load more")
    assert more == [f"/browse?q=backup&offset={RESULTS}"]
    part = as_reader.get(more[0], headers=HTMX)
    assert 'hx-swap-oob="beforeend:#hits"' in part.content.decode()
    assert f"Place {RESULTS + 1} of {RESULTS + 5}" in text(part)
    assert part["HX-Replace-Url"] == "/browse?q=backup&pages=2"
    again = as_reader.get("/browse?q=backup&pages=2")
    assert titles(again) == titles(first) + titles(part)


def test_rows_show_the_match_too(as_reader: Client) -> None:
    item("Backup policy")
    as_reader.cookies["kb-view-mode"] = "rows"
    response = as_reader.get("/browse?q=backup")
    assert titles(response) == ["Backup policy"]
    assert 'data-label="Match"' in response.content.decode()


def test_nothing_found_says_what_to_do(as_reader: Client) -> None:
    item("Backup policy", primary_domain=domain("Security"))
    item("Trains", "Planes.", primary_domain=domain("Travel"))
    response = as_reader.get("/browse?q=backup&domain=Travel")
    assert "No item matches “backup”" in text(response)
    assert links(response, "Search without filters") == ["/browse?q=backup"]


@pytest.mark.usefixtures("unreachable")
def test_a_search_that_cannot_look_says_so_and_offers_words(
    as_reader: Client,
) -> None:
    item("Backup policy", primary_domain=domain("Security"), embedded=False)
    response = as_reader.get("/browse?q=backup&domain=Security")
    assert response.status_code == 503
    assert MESSAGE in text(response)
    assert 'value="backup"' in response.content.decode()
    way_on = links(response, "Search by words only")
    assert way_on == ["/browse?q=backup&domain=Security&mode=keyword"]
    by_words = as_reader.get(way_on[0])
    assert by_words.status_code == 200
    assert titles(by_words) == ["Backup policy"]
    assert MESSAGE in text(by_words)
    assert "1 keyword match for backup" in text(by_words)
    # The next search looks by meaning again.
    assert hidden(by_words, "searchbar--inline") == [("domain", "Security")]


@pytest.mark.usefixtures("unreachable")
def test_htmx_is_told_to_show_that_a_search_cannot_look(as_reader: Client) -> None:
    part = as_reader.get("/browse?q=backup", headers=HTMX)
    assert part.status_code == 503
    assert part["HX-Reswap"] == "outerHTML"
    assert 'id="results"' in part.content.decode()


def test_too_many_searches_keep_what_was_entered(
    as_reader: Client, settings: Any
) -> None:
    settings.SEARCHES_PER_MINUTE = 1
    item("Backup policy", primary_domain=domain("Security"))
    assert as_reader.get("/browse?q=backup").status_code == 200
    refused = as_reader.get("/browse?q=restore&domain=Security")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert 'value="restore"' in refused.content.decode()
    assert links(refused, "Try again") == ["/browse?q=restore&domain=Security"]
    assert as_reader.get("/browse").status_code == 200


def test_htmx_keeps_the_page_when_there_were_too_many(
    as_reader: Client, settings: Any
) -> None:
    settings.SEARCHES_PER_MINUTE = 0
    part = as_reader.get("/browse?q=backup", headers=HTMX)
    assert (part.status_code, part.content) == (429, b"")
    assert int(part["Retry-After"]) >= 1


def test_further_pages_do_not_count_as_searches(
    as_reader: Client, settings: Any
) -> None:
    settings.SEARCHES_PER_MINUTE = 1
    assert as_reader.get("/browse?q=backup").status_code == 200
    assert as_reader.get("/browse?q=backup&offset=20").status_code == 200


def test_too_long_a_question_is_refused_by_name(as_reader: Client) -> None:
    response = as_reader.get("/browse", {"q": "a" * 2001})
    assert response.status_code == 400
    assert "longer than 2000 characters" in text(response)
    assert f'value="{"a" * 2001}"' in response.content.decode()
    assert links(response, "Clear search") == ["/browse"]


def test_results_keep_the_bid(as_editor: Client) -> None:
    made = item("Backup policy")
    bid = Workspace.objects.create(name="Managed IT")
    response = as_editor.get(f"/browse?q=backup&from_bid={bid.pk}")
    [link] = links(response, "Backup policy")
    assert link.startswith(f"/items/{made.pk}?from_bid={bid.pk}&from_search=")


@pytest.mark.parametrize("count", [1, 3])
def test_a_search_takes_the_same_queries_however_much_it_finds(
    count: int, as_reader: Client, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        item(f"Backup {number}")
    as_reader.get("/browse?q=backup")  # what the search caches is known from here on
    # session, user; the search and its counts, ten; its line in the log's four;
    # panel, totals, read marks, citations, openings, presets; the limit's three; what
    # is remembered of it, two
    with django_assert_num_queries(26):
        as_reader.get("/browse?q=backup")


def test_the_panel_counts_what_the_search_found(as_reader: Client) -> None:
    hosting, people = domain("Hosting"), domain("People")
    item("Backup policy", "Tapes.", primary_domain=hosting, content_type="policy")
    item("Backup product", "Disks.", primary_domain=hosting, content_type="product")
    item("Travel expenses", "Trains.", primary_domain=people, content_type="policy")
    found = as_reader.get("/browse?q=backup&mode=keyword")
    assert facet(found, "domain") == {"Hosting": 2, "People": 0}
    assert re.search(r'value="People"[^>]* disabled', found.content.decode())
    changed = as_reader.get(
        "/browse?q=backup&mode=keyword&content_type=policy", headers=HTMX
    )
    assert facet(changed, "domain") == {"Hosting": 1, "People": 0}
    assert facet(changed, "content_type")["product"] == 1
    browsed = as_reader.get("/browse")
    assert facet(browsed, "domain") == {"Hosting": 2, "People": 1}


@pytest.mark.usefixtures("unreachable")
def test_a_search_that_could_not_look_counts_nothing(as_reader: Client) -> None:
    item("Backup policy", primary_domain=domain("Hosting"), embedded=False)
    page = as_reader.get("/browse?q=backup")
    assert 'value="Hosting"' in page.content.decode()
    assert facet(page, "domain") == {}


def test_past_the_end_of_the_results_the_way_leads_back(as_reader: Client) -> None:
    item("Backup policy")
    page = as_reader.get("/browse?q=backup&offset=40")
    assert "1 match for backup" in text(page)
    assert "The list ends before this page" in text(page)
    assert links(page, "Back to the first page") == ["/browse?q=backup"]


def test_words_found_nowhere_lead_to_the_search_by_meaning(as_reader: Client) -> None:
    item("Backup policy")
    page = as_reader.get("/browse?q=zebra&mode=keyword")
    assert "No item contains “zebra”" in text(page)
    assert links(page, "Search by meaning") == ["/browse?q=zebra"]


def test_items_not_embedded_yet_are_counted_where_nothing_is_found(
    as_reader: Client,
) -> None:
    item("Unread policy", embedded=False)
    item("Unread draft", embedded=False, governance_review_status="draft")
    page = as_reader.get("/browse?q=policy")
    assert "1 item is still being read for search by meaning" in text(page)
    assert links(page, "Search by words only") == ["/browse?q=policy&mode=keyword"]


def test_the_panel_offers_no_drafts_to_a_search(as_editor: Client) -> None:
    item("Backup", governance_review_status="draft")
    assert "draft" in facet(as_editor.get("/browse"), "review")
    assert "draft" not in facet(as_editor.get("/browse?q=backup"), "review")
