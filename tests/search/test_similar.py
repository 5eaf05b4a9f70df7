"""Items like another, and what the matches are by filter."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.lifecycle import supersede
from kb.domain.terms import refresh_statistics
from kb.enums import ReviewStatus
from kb.filters import ItemFilters
from kb.models import ContentItem, ItemIndex
from search.service import search
from search.types import SearchQuery, SearchResults
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def like(
    made: ContentItem, viewer: Viewer, text: object = None, **values: Any
) -> SearchResults:
    refresh_statistics(NOW)
    return search(SearchQuery.of(text, similar_to=made.pk, **values), viewer, NOW)


def titles(results: SearchResults) -> list[str]:
    return [hit.item.title for hit in results.hits]


@pytest.fixture
def api(charlie: User) -> Client:
    _, secret = tokens.create(charlie, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_the_nearest_by_the_items_own_vector_come_first(reader: Viewer) -> None:
    made = item("Backup policy", "We restore a backup each quarter.")
    item("Backup tiers", "A backup each hour, restore in four hours.")
    item("Travel", "Trains before planes.")
    found = like(made, reader, threshold=0)
    assert titles(found) == ["Backup tiers", "Travel"]
    assert found.hits[0].parts.cosine > found.hits[1].parts.cosine
    assert (found.total, found.hits[0].pinned) == (2, None)


def test_neither_itself_nor_what_it_replaced_is_like_it(editor: Viewer) -> None:
    oldest, older, made = (item(f"Backup policy {n}") for n in range(3))
    item("Backup policy of others")
    supersede(editor, oldest.pk, older.pk, NOW, "2")
    supersede(editor, older.pk, made.pk, NOW, "3")
    both = ItemFilters(include_superseded=True)
    assert titles(like(made, editor, filters=both)) == ["Backup policy of others"]
    assert set(titles(like(oldest, editor, filters=both))) == {
        "Backup policy 1", "Backup policy 2", "Backup policy of others"
    }  # fmt: skip


def test_filters_hold_and_words_may_be_added(reader: Viewer) -> None:
    made = item("Backup policy", primary_domain=domain("Hosting"))
    item("Backup tiers", primary_domain=domain("Hosting"))
    item("Backup training", primary_domain=domain("People"))
    hosting = ItemFilters(domain=("hosting",))
    assert titles(like(made, reader, filters=hosting)) == ["Backup tiers"]
    assert titles(like(made, reader, text="training"))[0] == "Backup training"


def test_an_item_that_is_not_there_or_not_visible_is_refused(reader: Viewer) -> None:
    draft = item("Merger", governance_review_status=ReviewStatus.DRAFT)
    for unknown in (draft, ContentItem(pk=uuid.uuid4())):
        with pytest.raises(BadInput, match="No item has this id"):
            like(unknown, reader)


def test_an_item_without_vector_is_told(reader: Viewer) -> None:
    made = item("New")
    ItemIndex.objects.update(recipe="", embedding=None)
    with pytest.raises(BadInput, match="not embedded yet"):
        like(made, reader)


def test_the_api_takes_similar_to_without_a_query(api: Client) -> None:
    made, other = item("Backup policy"), item("Backup tiers")
    body = {"similar_to": str(made.pk)}
    response = api.post("/api/search", body, content_type="application/json")
    assert [each["id"] for each in response.json()["results"]] == [str(other.pk)]
    wrong: list[Any] = ["7", [str(made.pk)], {}]
    for bad in wrong:
        refused = api.post(
            "/api/search", {"similar_to": bad}, content_type="application/json"
        )
        assert (refused.status_code, refused.json()["field"]) == (400, "similar_to")
    words = body | {"mode": "keyword"}
    refused = api.post("/api/search", words, content_type="application/json")
    assert (refused.status_code, refused.json()["field"]) == (400, "mode")


def test_facets_count_the_matches_under_the_other_filters(
    reader: Viewer, editor: Viewer
) -> None:
    hosting, people = domain("Hosting"), domain("People")
    for number in range(3):
        item(f"Backup {number}", primary_domain=hosting, content_type="policy")
    item("Backup training", primary_domain=people, content_type="article")
    item("Trains", "Planes.", primary_domain=people)
    item(
        "Backup merger",
        primary_domain=domain("Secret"),
        governance_review_status=ReviewStatus.DRAFT,
    )
    refresh_statistics(NOW)
    filters = ItemFilters(domain=("hosting",))
    for viewer in (reader, editor):
        query = SearchQuery.of("backup", filters=filters, facets=True, limit=1)
        found = search(query, viewer, NOW)
        assert found.facets is not None
        assert found.facets["domain"] == (("Hosting", 3), ("People", 1))
        assert found.facets["content_type"] == (("policy", 3),)
        assert found.facets["review"] == (("approved", 3),)
        assert found.total == 3


def test_facets_come_through_the_api_when_asked_for(api: Client) -> None:
    item("Backup", primary_domain=domain("Hosting"))
    refresh_statistics(timezone.now())
    body = {"query": "backup", "facets": True, "mode": "keyword", "offset": 50}
    found = api.post("/api/search", body, content_type="application/json").json()
    assert found["facets"]["domain"] == [{"value": "Hosting", "count": 1}]
    plain = api.post(
        "/api/search", {"query": "backup"}, content_type="application/json"
    )
    assert "facets" not in plain.json()
    bad = {"query": "backup", "facets": "yes"}
    refused = api.post("/api/search", bad, content_type="application/json")
    assert (refused.status_code, refused.json()["field"]) == (400, "facets")
