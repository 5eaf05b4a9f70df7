"""Searches of the page leave a line in the log, and a click on a result is told."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from browse.page import RESULTS
from kb.models import Workspace
from search.models import SearchLog
from tests.browse.pages import HTMX, links
from tests.factories.library import domain, item

pytestmark = pytest.mark.django_db


def opened() -> list[tuple[Any, Any]]:
    return list(SearchLog.objects.values_list("clicked_item", "clicked_position"))


def test_a_search_is_kept_once_as_one_of_the_page(
    as_reader: Client, charlie: User
) -> None:
    made = item("Backup policy", primary_domain=domain("Hosting"))
    as_reader.get("/browse?q=backup&domain=Hosting")
    kept = SearchLog.objects.get()
    assert (kept.source, kept.user, kept.query) == ("page", charlie, "backup")
    assert (kept.filters, kept.shown) == ({"domain": ["Hosting"]}, [made.pk])


def test_further_pages_and_coming_back_to_them_leave_no_line(
    as_reader: Client,
) -> None:
    for number in range(RESULTS + 1):
        item(f"Backup {number:02}")
    for path in (f"/browse?q=backup&offset={RESULTS}", "/browse?q=backup&pages=2"):
        page = as_reader.get(path)
        assert page.status_code == 200
        assert "from_search" not in page.content.decode()
    as_reader.get(f"/browse?q=backup&offset={RESULTS}", headers=HTMX)
    assert not SearchLog.objects.exists()


def test_a_list_without_words_leaves_no_line(as_reader: Client) -> None:
    item("Backup policy")
    assert "from_search" not in as_reader.get("/browse").content.decode()
    assert not SearchLog.objects.exists()


def test_only_the_results_say_the_search_they_came_from(as_editor: Client) -> None:
    made = item("Backup policy", primary_domain=domain("Hosting"))
    bid = Workspace.objects.create(name="Managed IT")
    page = as_editor.get(f"/browse?q=backup&domain=Hosting&from_bid={bid.pk}")
    number = SearchLog.objects.get().pk
    assert links(page, "Backup policy") == [
        f"/items/{made.pk}?from_bid={bid.pk}&from_search={number}"
    ]
    assert page.content.decode().count("from_search") == 1


def test_a_click_is_told_and_the_address_forgets_the_search(
    as_editor: Client,
) -> None:
    made = item("Backup policy")
    bid = Workspace.objects.create(name="Managed IT")
    page = as_editor.get(f"/browse?q=backup&from_bid={bid.pk}")
    [link] = links(page, "Backup policy")
    answer = as_editor.get(link)
    assert answer["Location"] == f"/items/{made.pk}?from_bid={bid.pk}"
    assert opened() == [(made.pk, 1)]
    shown = as_editor.get(answer["Location"])
    assert shown.status_code == 200
    assert "from_search" not in shown.content.decode()


def test_what_is_only_loaded_ahead_is_no_click(as_reader: Client) -> None:
    item("Backup policy")
    [link] = links(as_reader.get("/browse?q=backup"), "Backup policy")
    as_reader.get(link, headers={"Sec-Purpose": "prefetch"})
    as_reader.head(link)
    assert opened() == [(None, None)]


@pytest.mark.parametrize("number", ["", "x", "-1", "0", "9" * 40, "%00"])
def test_a_number_that_is_none_is_passed_over(number: str, as_reader: Client) -> None:
    made = item("Backup policy")
    answer = as_reader.get(f"/items/{made.pk}?from_search={number}")
    assert answer["Location"] == f"/items/{made.pk}"


def test_nobody_clicks_for_another(as_reader: Client, as_editor: Client) -> None:
    made = item("Backup policy")
    [link] = links(as_reader.get("/browse?q=backup"), "Backup policy")
    assert as_editor.get(link)["Location"] == f"/items/{made.pk}"
    assert opened() == [(None, None)]
