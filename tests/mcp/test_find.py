"""`find`: what SPEC 5 says of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.lifecycle import supersede
from kb.enums import ContentType, ReviewStatus
from search.enums import Source
from search.models import SearchLog
from search.service import search
from search.types import SearchQuery
from tests.factories.library import domain, item
from tests.mcp.calls import answer, ids, refusal
from tests.search.conftest import broken_embedder, still_clock

__all__ = ["broken_embedder", "still_clock"]

pytestmark = pytest.mark.django_db

OVERDUE = ReviewStatus.REVIEW_OVERDUE


def test_a_hit_says_in_text_and_structure_whether_to_trust_it(
    reader: Viewer, alice: User
) -> None:
    now = timezone.now()
    made = item(
        "Backup policy",
        "We restore a backup each quarter.",
        now=now,
        primary_domain=domain("Hosting"),
        subtopic="Backups",
        next_review_date=(now + timedelta(days=40)).date(),
        verified_at=now,
        verified_by=alice,
        content_changed_at=now,
    )
    found = answer(reader, "find", query="restore a backup")
    hit = found.data["results"][0]
    assert found.data | {"results": []} == {
        "query": "restore a backup",
        "count": 1,
        "content_item_id": None,
        "overdue_review_filter": None,
        "review_due_within_days_filter": None,
        "results": [],
    }
    assert hit["url"] == f"https://hub.example.org/items/{made.pk}"
    for told in (
        f"[Backup policy](https://hub.example.org/items/{made.pk})",
        "Article · Hosting › Backups",
        f"Approved · verified {now.date()} by Alice",
        f"next review {hit['next_review_date']}",
        f"quality {hit['quality_score']} of 100",
        f"Why here: {hit['reason']}",
        "> We restore a backup each quarter.",
    ):
        assert told in found.text
    assert "meaning" in hit["reason"]
    assert "<" not in hit["text"]


def test_ids_and_order_are_those_of_the_one_search(reader: Viewer) -> None:
    for number in range(15):
        item(f"Backup {number}", f"We restore a backup, case {number}.")
    whole = search(SearchQuery.of("restore a backup", limit=15), reader)
    expected = [str(hit.id) for hit in whole.hits]
    first = answer(reader, "find", query="restore a backup")
    second = answer(reader, "find", query="restore a backup", offset=10)
    assert ids(first) + ids(second) == expected
    assert "Results 1 to 10 of 15" in first.text
    assert "call find with offset 10" in first.text
    assert "offset" not in second.text
    connector = answer(reader, "search", query="restore a backup")
    assert ids(connector) == expected[:10]


def test_type_and_scope_narrow_and_qa_is_short_for_qa_pair(reader: Viewer) -> None:
    item("One", "We restore a backup.", primary_domain=domain("Hosting"), layer="core")
    item("Two", "We restore a backup.", content_type=ContentType.QA_PAIR, source="wiki")
    asked: dict[str, Any] = {"query": "restore a backup"}

    def titles(**more: Any) -> set[str]:
        found = answer(reader, "find", **asked, **more)
        return {each["title"] for each in found.data["results"]}

    assert titles(type="all") == {"One", "Two"}
    assert titles(type="qa") == titles(type="qa_pair") == {"Two"}
    assert titles(scope={"domain": "hosting", "layer": "core"}) == {"One"}
    assert titles(scope={"source": "wiki"}) == {"Two"}
    assert titles(scope={"source": "wiki"}, type="policy") == set()


def test_review_filters_apply_to_items_and_sections(reader: Viewer) -> None:
    today = timezone.now().date()
    soon, far = today + timedelta(days=9), today + timedelta(days=40)
    item("Late", "Restore.", governance_review_status=OVERDUE, next_review_date=today)
    item("Soon", "Restore.", next_review_date=soon)
    item("Far", "Restore.", next_review_date=far)
    item("Never", "Restore.")
    for granularity in ("item", "chunk"):
        asked = {"query": "restore", "granularity": granularity}

        def titles(asked: Any = asked, **more: Any) -> set[str]:
            found = answer(reader, "find", **asked, **more)
            assert found.data["overdue_review_filter"] == more.get("overdue_review")
            return {each["title"] for each in found.data["results"]}

        assert titles(overdue_review=True) == {"Late"}
        assert titles(overdue_review=False) == {"Soon", "Far", "Never"}
        assert titles(review_due_within_days=9) == {"Late", "Soon"}
        assert titles(overdue_review=False, review_due_within_days=9) == {"Soon"}


def test_chunks_are_the_sections_that_answer_and_can_be_of_one_item(
    reader: Viewer,
) -> None:
    text = "\n\n".join(f"## Part {n}\nWe restore a backup." for n in range(12))
    made = item("Handbook", text)
    item("Other", "We restore a backup.")
    asked = {"query": "restore a backup", "content_item_id": str(made.pk)}
    first = answer(reader, "find", **asked)
    second = answer(reader, "find", **asked, offset=10)
    assert (first.data["count"], second.data["count"]) == (10, 2)
    assert set(ids(first) + ids(second)) == {str(made.pk)}
    headings = [x["heading"] for x in first.data["results"] + second.data["results"]]
    assert sorted(headings) == sorted(f"Part {n}" for n in range(12))
    assert "call find with offset 10" in first.text
    whole = answer(reader, "find", query="restore a backup", granularity="chunk")
    assert {each["title"] for each in whole.data["results"]} >= {"Other"}


@pytest.mark.usefixtures("still_clock")
def test_further_sections_cost_no_search(reader: Viewer, settings: Any) -> None:
    item("Handbook", "\n\n".join(f"## Part {n}\nWe restore." for n in range(9)))
    settings.SEARCHES_PER_MINUTE = 1
    asked = {"query": "restore", "granularity": "chunk", "limit": 3}
    pages = [answer(reader, "find", **asked, offset=each) for each in (0, 3, 6)]
    assert [page.data["count"] for page in pages] == [3, 3, 3]
    assert "Too many requests" in refusal(reader, "find", **asked)
    assert SearchLog.objects.count() == 1


def test_similar_to_needs_no_query(reader: Viewer) -> None:
    made = item("Backup", "We restore a backup each quarter.")
    like = item("Restores", "Each quarter we restore a backup.")
    found = answer(reader, "find", similar_to=str(made.pk))
    assert ids(found) == [str(like.pk)]
    assert found.data["query"] is None


def test_the_text_is_cut_between_results_and_says_how_to_get_the_rest(
    reader: Viewer,
) -> None:
    for number in range(20):
        item(f"Case {number}", "We restore a backup. " * 40)
    found = answer(reader, "find", query="restore", granularity="chunk", limit=20)
    shown = found.text.count("### ")
    assert len(found.text) <= 10_000
    assert 0 < shown < found.data["count"] == 20
    assert found.text.endswith(f"For the rest call find with offset {shown}.")
    rest = answer(
        reader, "find", query="restore", granularity="chunk", limit=20, offset=shown
    )
    assert f"### {shown + 1}. " in rest.text


def test_nothing_found_is_an_answer(reader: Viewer) -> None:
    item("Backup policy")
    found = answer(reader, "find", query="zebrafish", type="policy")
    assert found.data["results"] == []
    assert "Nothing found for “zebrafish”" in found.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "x", "limit": 31}, "limit: 31 is greater than the maximum of 30"),
        ({"query": "x", "limit": 0}, "limit: 0 is less than the minimum of 1"),
        ({"query": "x", "offset": -1}, "offset: -1 is less than the minimum of 0"),
        ({"query": "x", "review_due_within_days": 366}, "maximum of 365"),
        ({"query": "x", "type": "poem"}, "type: 'poem' is not one of"),
        ({"query": "x", "granularity": "page"}, "granularity: 'page' is not one of"),
        ({"query": "x", "scope": {"colour": "red"}}, "'colour' was unexpected"),
        ({"query": "x", "scope": {"domain": "Hostin"}}, "Did you mean hosting?"),
        ({"query": "x", "colour": "red"}, "'colour' was unexpected"),
        ({"query": "x" * 2001}, "query: does not fit maxLength 2000"),
        ({"query": ["x"]}, "query: ['x'] is not of type 'string'"),
        ({}, "Give a query"),
        ({"query": "  "}, "query must not be empty"),
        ({"similar_to": "7"}, "similar_to must be an item's id"),
        ({"similar_to": "00000000-0000-4000-8000-000000000000"}, "No item has this id"),
        ({"query": "x", "content_item_id": "7"}, "must be an item's id"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(
    arguments: dict[str, Any], said: str, reader: Viewer
) -> None:
    item("Backup policy", primary_domain=domain("Hosting"))
    assert said in refusal(reader, "find", **arguments)


def test_a_whole_number_may_be_written_with_a_point(reader: Viewer) -> None:
    item("Backup policy")
    for granularity in ("item", "chunk"):
        asked = {"query": "backup policy", "granularity": granularity}
        found = answer(reader, "find", **asked, review_due_within_days=9.0, limit=5.0)
        assert found.data["review_due_within_days_filter"] == 9
        later = answer(reader, "find", **asked, offset=1.0)
        assert "there are none from 1 on" in later.text


def test_null_is_an_argument_left_out(reader: Viewer) -> None:
    item("Backup policy")
    found = answer(reader, "find", query="backup", scope=None, similar_to=None)
    assert found.data["count"] == 1


@pytest.mark.usefixtures("broken_embedder")
def test_a_stopped_provider_is_a_failure_in_the_agreed_sentence(reader: Viewer) -> None:
    item("Backup policy", embedded=False)
    for granularity in ("item", "chunk"):
        assert refusal(reader, "find", query="backup", granularity=granularity) == (
            "Chunk search failed: Search is temporarily unavailable. Please try again "
            "shortly. Try simplifying your query."
        )


def test_a_failing_database_tells_nothing_of_itself(
    reader: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OperationalError("password of hub is hunter2")

    monkeypatch.setattr("search.mcp.find.search", fail)
    assert refusal(reader, "find", query="backup") == (
        "Chunk search failed: The library cannot be reached. "
        "Try simplifying your query."
    )


def test_no_role_finds_a_draft_or_what_was_replaced(
    reader: Viewer, editor: Viewer
) -> None:
    item("Merger", "We merge.", governance_review_status=ReviewStatus.DRAFT)
    old, new = item("Old", "We merge."), item("New", "We merge.")
    supersede(editor, old.pk, new.pk, timezone.now(), "Newer")
    for viewer in (reader, editor):
        for name, more in (
            ("find", {}),
            ("find", {"granularity": "chunk"}),
            ("search", {}),
        ):
            found = answer(viewer, name, query="we merge", **more)
            assert [each["title"] for each in found.data["results"]] == ["New"]


@pytest.mark.usefixtures("still_clock")
def test_calls_are_logged_and_draw_on_the_budget_of_searches(
    reader: Viewer, settings: Any
) -> None:
    item("Backup policy")
    settings.SEARCHES_PER_MINUTE = 4
    for number in range(4):
        answer(reader, ("find", "search")[number % 2], query=f"backup {number}")
    for name in ("find", "search"):
        assert "Too many requests" in refusal(reader, name, query="backup")
    assert answer(reader, "find", query="backup 0", offset=1)
    logged = SearchLog.objects.filter(source=Source.MCP, user=reader.user_id)
    assert logged.count() == 4
