"""Search among sections: the passage that answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain.lifecycle import archive, supersede
from kb.enums import ReviewStatus
from kb.filters import ItemFilters
from search.sections import SectionQuery, search_sections
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

HANDBOOK = """# Backups
General words about nothing in particular.

## Restore
We restore a backup each quarter.

## Encryption
Tapes travel encrypted with a key.
"""


@pytest.fixture
def api(charlie: User) -> Client:
    _, secret = tokens.create(charlie, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


def ask(text: str, viewer: Viewer, **body: Any) -> list[tuple[str, str]]:
    query = SectionQuery.of({"query": text, "threshold": 0.01, **body})
    hits = search_sections(query, viewer, NOW)
    return [(hit.item.title, hit.heading_path) for hit in hits]


def titles(text: str, viewer: Viewer, **body: Any) -> set[str]:
    return {title for title, _ in ask(text, viewer, **body)}


def test_the_section_that_answers_comes_first(reader: Viewer) -> None:
    item("Handbook", HANDBOOK)
    assert ask("restore a backup", reader)[0] == ("Handbook", "Backups › Restore")
    assert ask("encrypted tapes", reader)[0] == ("Handbook", "Backups › Encryption")


def test_sections_below_the_threshold_are_left_out(reader: Viewer) -> None:
    item("Handbook", HANDBOOK)
    query = SectionQuery.of({"query": "restore a backup each quarter"})
    hits = search_sections(query, reader, NOW)
    assert query.threshold == 0.3
    assert hits
    assert all(hit.similarity >= 0.3 for hit in hits)
    assert [h.similarity for h in hits] == sorted(
        (h.similarity for h in hits), reverse=True
    )
    assert ask("restore a backup", reader, threshold=1) == []


def test_limit_is_10_and_at_most_30(reader: Viewer) -> None:
    text = "\n\n".join(f"## Part {n}\nWe restore a backup." for n in range(40))
    item("Long", text)
    assert len(ask("restore a backup", reader)) == 10
    assert len(ask("restore a backup", reader, limit=500)) == 30
    assert len(ask("restore a backup", reader, limit=0)) == 1


def test_one_item_alone_can_be_searched(reader: Viewer) -> None:
    item("Other", "We restore a backup.")
    made = item("Handbook", HANDBOOK)
    found = titles("restore a backup", reader, content_item_id=str(made.pk))
    assert found == {"Handbook"}


def test_an_item_that_is_not_there_or_not_visible_is_refused(
    reader: Viewer, editor: Viewer
) -> None:
    draft = item("Merger", governance_review_status=ReviewStatus.DRAFT)
    for unknown in ("00000000-0000-4000-8000-000000000000", str(draft.pk)):
        with pytest.raises(BadInput, match="No item has this id"):
            ask("merger", reader, content_item_id=unknown)
    assert ask("merger", editor, content_item_id=str(draft.pk)) == []


def test_review_filters_combine(reader: Viewer) -> None:
    overdue = ReviewStatus.REVIEW_OVERDUE
    day = NOW.date()
    late, soon = day - timedelta(days=3), day + timedelta(days=20)
    item("Late", governance_review_status=overdue, next_review_date=late)
    item("Later", governance_review_status=overdue, next_review_date=soon)
    item("Soon", next_review_date=soon)
    item("Edge", next_review_date=day + timedelta(days=30))
    item("Far", next_review_date=day + timedelta(days=31))
    item("Never", cadence="evergreen")
    text = "about late later soon edge far never"
    assert titles(text, reader, overdue_review=True) == {"Late", "Later"}
    assert titles(text, reader, overdue_review=False) == {
        "Soon", "Edge", "Far", "Never"
    }  # fmt: skip
    assert titles(text, reader, review_due_within_days=30) == {
        "Late", "Later", "Soon", "Edge"
    }  # fmt: skip
    both = {"overdue_review": False, "review_due_within_days": 30}
    assert titles(text, reader, **both) == {"Soon", "Edge"}


def test_the_filters_of_search_hold_here_too(reader: Viewer) -> None:
    item("One", "We restore a backup.", primary_domain=domain("Hosting"))
    item("Two", "We restore a backup.", primary_domain=domain("People"))
    assert titles("restore a backup", reader, domain="hosting") == {"One"}
    with pytest.raises(BadInput, match="Did you mean hosting"):
        ask("restore a backup", reader, domain="hostin")


def test_what_search_hides_sections_hide(editor: Viewer) -> None:
    item("Draft", "We restore a backup.", governance_review_status=ReviewStatus.DRAFT)
    archive(editor, [item("Gone", "We restore a backup.").pk], NOW)
    old = item("Old", "We restore a backup.")
    new = item("New", "We restore a backup.")
    supersede(editor, old.pk, new.pk, NOW, "Newer")
    assert titles("restore a backup", editor) == {"New"}
    assert titles("restore a backup", editor, include_superseded=True) == {
        "New", "Old"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x", "threshold": 2}, "threshold"),
        ({"query": "x", "limit": "many"}, "limit"),
        ({"query": "x", "content_item_id": "7"}, "content_item_id"),
        ({"query": "x", "content_item_id": [1]}, "content_item_id"),
        ({"query": "x", "overdue_review": "yes"}, "overdue_review"),
        ({"query": "x", "review_due_within_days": 0}, "review_due_within_days"),
        ({"query": "x", "review_due_within_days": 366}, "review_due_within_days"),
        ({"query": "x", "offset": 1}, "filter"),
    ],
)
def test_bad_input_is_a_400_that_names_the_field(
    body: dict[str, Any], field: str, api: Client
) -> None:
    response = api.post("/api/search/sections", body, content_type="application/json")
    assert (response.status_code, response.json()["field"]) == (400, field)


def test_the_api_answers_item_heading_text_and_similarity(api: Client) -> None:
    made = item("Handbook", HANDBOOK)
    body = {"query": "restore a backup each quarter", "limit": 1}
    response = api.post("/api/search/sections", body, content_type="application/json")
    assert response.status_code == 200
    [found] = response.json()["results"]
    assert (found["item"]["id"], found["heading_path"]) == (
        str(made.pk),
        "Backups › Restore",
    )
    assert "restore a backup" in found["text"]
    assert 0.3 <= found["similarity"] <= 1
    assert response.json()["count"] == 1


def test_sections_share_the_budget_of_searches(
    api: Client, settings: Any, still_clock: None
) -> None:
    settings.SEARCHES_PER_MINUTE = 1
    ask_json = {"query": "backup"}
    statuses = [
        api.post(path, ask_json, content_type="application/json").status_code
        for path in ("/api/search", "/api/search/sections")
    ]
    assert statuses == [200, 429]


def test_a_failed_embedding_is_503(api: Client, broken_embedder: None) -> None:
    response = api.post(
        "/api/search/sections", {"query": "x"}, content_type="application/json"
    )
    assert (response.status_code, response.json()["code"]) == (503, "EMBEDDING_FAILED")


def test_queries_are_constant_in_results(
    reader: Viewer, django_assert_num_queries: Any
) -> None:
    for count in (1, 3):
        item(f"Backup {count}", HANDBOOK, primary_domain=domain(f"D{count}"))
        query = SectionQuery(text="backup", filters=ItemFilters())
        # two transactions of three statements, and the search
        with django_assert_num_queries(7):
            search_sections(query, reader, timezone.now())
