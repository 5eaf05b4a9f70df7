"""`/browse/preview?q=`: the rows under the search bar."""

import re
from typing import Any

import pytest
from django.test import Client

from browse.views.preview import marked
from kb.enums import ReviewStatus
from kb.models import Workspace
from tests.browse.pages import links, text
from tests.factories.library import item

pytestmark = pytest.mark.django_db


def rows(client: Client, **params: str) -> list[str]:
    response = client.get("/browse/preview", params)
    assert response.status_code == 200
    found = re.findall(
        r'data-type="[^"]*">.*?option__title">(.*?)</span>', response.content.decode()
    )
    return [re.sub(r"</?mark>", "", each) for each in found]


def test_titles_come_before_texts_and_the_typed_words_are_marked(
    as_reader: Client,
) -> None:
    item("Restore tests", "How a backup is proved.")
    item("Backup policy")
    assert rows(as_reader, q="backup") == ["Backup policy", "Restore tests"]
    page = as_reader.get("/browse/preview?q=back")
    assert "<mark>Back</mark>up policy" in page.content.decode()


@pytest.mark.parametrize("typed", ["50%", "a_b", "\\d"])
def test_signs_are_literal(typed: str, as_reader: Client) -> None:
    item(f"Uses {typed} here")
    item("Uses 50 percent, axb, and d here")
    assert rows(as_reader, q=typed) == [f"Uses {typed} here"]


def test_drafts_are_not_suggested(as_reader: Client, as_editor: Client) -> None:
    item("Secret merger", governance_review_status=ReviewStatus.DRAFT)
    assert rows(as_reader, q="merger") == []
    assert rows(as_editor, q="merger") == []


def test_nothing_found_offers_the_search_by_meaning(as_reader: Client) -> None:
    page = as_reader.get("/browse/preview?q=zebra")
    assert "No title or text contains “zebra”" in text(page)
    assert links(page, "Search by meaning for “ zebra ”") == ["/browse?q=zebra"]


def test_an_empty_field_has_no_rows_and_costs_nothing(
    as_reader: Client, settings: Any
) -> None:
    settings.PREVIEWS_PER_MINUTE = 1
    for _ in range(3):
        page = as_reader.get("/browse/preview?q=")
        assert page.status_code == 200
        assert 'role="listbox"' in page.content.decode()


def test_too_many_previews_are_refused_with_a_time(
    as_reader: Client, settings: Any
) -> None:
    settings.PREVIEWS_PER_MINUTE = 1
    assert as_reader.get("/browse/preview?q=backup").status_code == 200
    refused = as_reader.get("/browse/preview?q=restore")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60


def test_rows_keep_the_bid(as_reader: Client) -> None:
    made = item("Backup policy")
    bid = Workspace.objects.create(name="Managed IT")
    page = as_reader.get(f"/browse/preview?q=backup&from_bid={bid.pk}")
    assert f'href="/items/{made.pk}?from_bid={bid.pk}"' in page.content.decode()


@pytest.mark.parametrize(
    ("title", "typed", "html"),
    [
        ("Backup & restore", "& re", "Backup <mark>&amp; re</mark>store"),
        ("<b>Bold</b>", "bold", "&lt;b&gt;<mark>Bold</mark>&lt;/b&gt;"),
        ("C++ and C", "c++", "<mark>C++</mark> and C"),
        ("Étude", "etude", "Étude"),
    ],
)
def test_marks_are_literal_and_safe(title: str, typed: str, html: str) -> None:
    assert marked(title, typed) == html


@pytest.mark.parametrize("count", [1, 3])
def test_a_preview_takes_the_same_queries_however_much_it_finds(
    count: int, as_reader: Client, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        item(f"Backup {number}")
    # session, user, the three of a bounded transaction, and one for each step of merit
    # that still has room; recent searches
    with django_assert_num_queries(12):
        as_reader.get("/browse/preview?q=backup")


def test_it_takes_no_filters_rather_than_pass_over_them(as_reader: Client) -> None:
    for filters in ("domain=Nowhere", "review=x", "quality_min=70"):
        assert as_reader.get(f"/browse/preview?q=back&{filters}").status_code == 400
