"""Recent searches and popular topics: what the bar shows before one types."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.viewer import Viewer
from browse.models import RecentSearch
from browse.popular import top_domains, topics
from browse.recents import KEPT, recents, remember
from tests.browse.pages import HTMX, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def listed(client: Client, q: str = "") -> Any:
    body = client.get("/browse/preview", {"q": q}).content.decode()
    found = re.search('data-recents="([^"]*)"', body)
    assert found
    return json.loads(unescape(found[1]))


def test_a_search_is_remembered_once_and_newest_first(
    as_reader: Client, reader: Viewer
) -> None:
    for words in ("backup", "exit plan", "  Backup "):
        as_reader.get("/browse", {"q": words})
    assert recents(reader) == ["Backup", "exit plan"]
    assert listed(as_reader) == ["Backup", "exit plan"]


def test_coming_back_to_a_longer_list_and_further_pages_are_no_searches(
    as_reader: Client, reader: Viewer
) -> None:
    item("Backup")
    as_reader.get("/browse?q=backup&offset=1", headers=HTMX)
    as_reader.get("/browse?q=backup&pages=2")
    assert recents(reader) == []


def test_the_oldest_is_forgotten(reader: Viewer) -> None:
    for number in range(KEPT + 2):
        remember(reader, f"words {number}", NOW.replace(minute=number))
    assert recents(reader) == [f"words {n}" for n in range(KEPT + 1, 1, -1)]
    assert RecentSearch.objects.count() == KEPT


def test_they_are_ones_own(as_editor: Client, reader: Viewer) -> None:
    remember(reader, "secret plans", NOW)
    assert listed(as_editor) == []


def test_typed_words_pick_and_mark_them(as_reader: Client, reader: Viewer) -> None:
    for words in ("backup tiers", "100% backup", "exit plan"):
        remember(reader, words, NOW)
    page = as_reader.get("/browse/preview?q=ckup").content.decode()
    assert page.count("ba<mark>ckup</mark>") == 2
    assert "exit plan" not in page
    assert listed(as_reader, "0%") is None  # typed words never replace the copy
    assert "100%" in text(as_reader.get("/browse/preview?q=100%25"))


def test_cleared_on_one_device_they_are_gone_on_all(
    as_reader: Client, reader: Viewer
) -> None:
    remember(reader, "backup", NOW)
    asked = {"X-Requested-With": "fetch"}
    assert as_reader.post("/recents/clear", headers=asked).status_code == 204
    assert listed(as_reader) == []
    assert as_reader.post("/recents/clear")["Location"] == "/settings#recent"


@pytest.mark.parametrize("words", ["\x00a", "a" * 2000, "测" * 2000, "'\"<b>"])
def test_any_words_are_remembered(words: str, as_reader: Client) -> None:
    as_reader.get("/browse", {"q": words})
    assert listed(as_reader) == [words.replace("\x00", "")]


def test_topics_are_of_visible_items_alone(
    as_reader: Client, editor: Viewer, reader: Viewer
) -> None:
    for subtopic, state in (("Leave", "approved"), ("Merger", "draft")):
        item(subtopic=subtopic, governance_review_status=state)
    assert topics(reader) == ["Leave"]
    assert topics(editor) == ["Leave", "Merger"]
    page = text(as_reader.get("/browse/preview?q="))
    assert "Popular topics Leave" in page
    assert "Merger" not in page


def test_keywords_fill_in_where_subtopics_are_few(reader: Viewer) -> None:
    item(subtopic="Leave", ai_keywords=["leave", "sabbatical"])
    assert topics(reader) == ["Leave", "sabbatical"]


def test_topics_hide_beside_matches(as_reader: Client) -> None:
    item("Backup", subtopic="Leave")
    assert "Popular topics" not in text(as_reader.get("/browse/preview?q=back"))


def test_the_largest_domains_are_counted_once_a_day(
    reader: Viewer, django_assert_num_queries: Any
) -> None:
    for name, count in (("A", 1), ("B", 3), ("C", 2), ("D", 1)):
        for number in range(count):
            item(f"{name} {number}", primary_domain=domain(name))
    item("None")
    assert top_domains(reader) == [("B", 3), ("C", 2), ("A", 1)]
    with django_assert_num_queries(0):
        top_domains(reader)
    cache.clear()
    with django_assert_num_queries(1):
        top_domains(reader)
