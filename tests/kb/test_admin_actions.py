"""Bulk actions: confirmed, allowed, one call of the domain, one message, many items."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.viewer import Viewer
from core.bulk import MAX_SELECTED, fingerprint
from kb.admin.actions import BULK_ACTIONS
from kb.domain.lifecycle import archive, create_items
from kb.embedding import embed_missing, missing, recipe
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem, ItemIndex
from tests.factories.library import NOW, domain, item, unsaved

LIST = reverse("admin:kb_contentitem_changelist")


@pytest.fixture
def desk(client: Client, bob: User) -> Client:
    """An editor's browser."""
    client.force_login(bob)
    return client


def ask(
    desk: Client, name: str, items: list[ContentItem], q: str = "", **values: Any
) -> Any:
    """Choose an action for `items`: the page that asks back."""
    selected = [str(each.pk) for each in items]
    data = {"action": name, "index": "0", "_selected_action": selected, **values}
    return desk.post(f"{LIST}?archived=all&q={q}", data)


def confirm(page: Any, desk: Client, name: str, **values: Any) -> Any:
    """Fill in and send what the confirmation page carries."""
    data = {
        "action": name,
        "_selected_action": [str(each) for each in page.context["carried"]],
        "select_across": "1" if page.context["across"] else "0",
        "selection": page.context["selection"],
        **{f"bulk-{field}": value for field, value in values.items()},
    }
    return desk.post(page.wsgi_request.get_full_path(), data)


def said(answer: Any) -> list[str]:
    return [str(each) for each in get_messages(answer.wsgi_request)]


def perform(desk: Client, name: str, items: list[ContentItem], **values: Any) -> Any:
    return confirm(ask(desk, name, items), desk, name, **values)


def test_an_action_first_shows_what_it_will_touch(desk: Client) -> None:
    items = [item(f"Policy {n:02}", embedded=False) for n in range(12)]

    page = ask(desk, "approve", items)

    assert page.status_code == 200
    assert page.context["count"] == 12
    assert len(page.context["first"]) == 10
    assert "and 2 more" in page.text
    assert ContentItem.history.count() == 12


def test_approving_and_sending_to_review(desk: Client, bob: User) -> None:
    items = [
        item(f"P{n}", governance_review_status=ReviewStatus.DRAFT) for n in range(2)
    ]

    assert said(perform(desk, "approve", items, reason="Checked")) == ["2 approved."]
    states = ContentItem.objects.values_list("governance_review_status", flat=True)
    assert set(states) == {ReviewStatus.APPROVED}
    versions = [each.history.latest() for each in ContentItem.objects.all()]
    assert [(v.history_user, v.history_change_reason) for v in versions] == [
        (bob, "Checked")
    ] * 2

    answer = perform(desk, "send_to_review", items[:1], reason="")
    assert said(answer) == ["1 sent to review."]
    items[0].refresh_from_db()
    assert items[0].governance_review_status == ReviewStatus.IN_REVIEW


def test_marking_reviewed_sets_the_next_date_from_the_domain(
    desk: Client, bob: User
) -> None:
    made = item(primary_domain=domain(cadence_days=30))
    answer = perform(desk, "mark_reviewed", [made], note="Still right")

    assert said(answer) == ["1 marked reviewed."]
    made.refresh_from_db()
    assert made.reviewed_by == bob
    assert made.review_note == "Still right"
    assert made.reviewed_at is not None
    assert made.next_review_date == made.reviewed_at.date() + timedelta(days=30)
    assert made.verified_at is None


def test_verifying_carries_the_name(desk: Client, bob: User) -> None:
    made = item()
    assert said(perform(desk, "verify", [made], note="Seen")) == ["1 verified."]
    made.refresh_from_db()
    assert (made.verified_by, made.verification_note) == (bob, "Seen")


def test_cadences_are_checked_before_they_are_set(desk: Client) -> None:
    made = item()
    page = perform(desk, "set_cadence", [made], kind="period", days="")
    assert page.context["form"].errors == {"days": ["A period needs a number of days."]}

    answer = confirm(page, desk, "set_cadence", kind="fixed", on="2030-01-31")
    assert said(answer) == ["1 given the new cadence."]
    made.refresh_from_db()
    assert (made.cadence, made.next_review_date) == (
        CadenceKind.FIXED,
        date(2030, 1, 31),
    )


def test_superseding_points_all_to_one_successor(desk: Client) -> None:
    old = [item("A"), item("B")]
    new = item("C")

    answer = perform(desk, "supersede", old, by=str(new.pk), reason="Merged")

    assert said(answer) == ["2 superseded."]
    assert {each.title for each in new.supersedes.all()} == {"A", "B"}


def test_a_circle_of_successors_is_refused_on_the_page(desk: Client) -> None:
    first, second = item("A"), item("B")
    perform(desk, "supersede", [first], by=str(second.pk), reason="Merged")

    page = perform(desk, "supersede", [second], by=str(first.pk), reason="Back")
    assert page.context["form"].non_field_errors() == [
        "These would replace each other."
    ]
    page = perform(desk, "supersede", [first], by=str(first.pk), reason="Self")
    assert page.context["form"].non_field_errors() == ["An item cannot replace itself."]
    second.refresh_from_db()
    assert second.superseded_by is None


@pytest.mark.parametrize("by", ["nonsense", "", "\x00", str(NOW)])
def test_an_unknown_successor_is_named(desk: Client, by: str) -> None:
    made = item()
    page = perform(desk, "supersede", [made], by=by, reason="Merged")
    assert list(page.context["form"].errors) == ["by"]


def test_archiving_and_restoring(desk: Client) -> None:
    made = item()
    assert said(perform(desk, "archive", [made], reason="Old")) == ["1 archived."]
    assert not ContentItem.objects.live().exists()

    assert said(perform(desk, "restore", [made], reason="")) == ["1 restored."]
    assert ContentItem.objects.live().get() == made
    assert [each.history_change_reason for each in made.history.all()] == [
        "Restored",
        "Old",
        "",
    ]


def test_reembedding_reads_anew_and_keeps_the_item_findable(desk: Client) -> None:
    made = item()
    other = item("Other")

    answer = perform(desk, "reembed", [made])

    assert said(answer) == ["1 queued for embedding."]
    assert [each.item for each in missing()] == [made]
    assert ItemIndex.objects.get(item=made).embedding is not None
    assert {each.recipe for each in made.chunks.all()} == {""}
    assert {each.recipe for each in other.chunks.all()} == {recipe().name}
    assert made.history.count() == 1
    embed_missing()
    assert not missing().exists()
    assert {each.recipe for each in made.chunks.all()} == {recipe().name}


def test_a_selection_that_changed_is_asked_about_again(desk: Client) -> None:
    item("A", embedded=False)
    page = desk.post(
        LIST,
        {
            "action": "archive",
            "index": "0",
            "select_across": "1",
            "_selected_action": [str(ContentItem.objects.get().pk)],
        },
    )
    item("B", embedded=False)

    again = confirm(page, desk, "archive", reason="")
    assert again.context["form"].non_field_errors() == [
        "The selection has changed meanwhile. Look at it again."
    ]
    assert again.context["count"] == 2
    assert ContentItem.objects.live().count() == 2

    assert said(confirm(again, desk, "archive", reason="")) == ["2 archived."]


def test_an_action_from_the_item_page_reaches_an_archived_item(
    desk: Client, bob: User
) -> None:
    made = item()
    archive(bob.viewer(), [made.pk], NOW)
    page = desk.get(reverse("admin:kb_contentitem_change", args=[made.pk]))
    assert [name for name, _ in page.context["action_choices"]] == [
        bulk.name for bulk in BULK_ACTIONS
    ]
    assert f'action="{LIST}?archived=all"' in page.text
    assert said(perform(desk, "restore", [made], reason="")) == ["1 restored."]


@pytest.mark.parametrize(
    "ids",
    [["nonsense"], ["\x00"], ["0" * 5000], ["00000000-0000-0000-0000-000000000000"]],
)
def test_a_forged_selection_changes_nothing(desk: Client, ids: list[str]) -> None:
    answer = desk.post(
        LIST,
        {
            "action": "archive",
            "_selected_action": ids,
            "selection": fingerprint(ids),
        },
    )
    assert answer.status_code in (302, 404)


def test_viewers_cannot_post_actions(client: Client, charlie: User) -> None:
    made = item()
    client.force_login(charlie)
    answer = perform_raw(client, made)
    assert answer.status_code == 302
    assert answer.url.startswith("/admin/login/")
    made.refresh_from_db()
    assert made.archived_at is None


def perform_raw(client: Client, made: ContentItem) -> Any:
    return client.post(
        LIST,
        {
            "action": "archive",
            "_selected_action": [str(made.pk)],
            "selection": fingerprint([made.pk]),
        },
    )


VALUES: dict[str, dict[str, Any]] = {
    "set_cadence": {"kind": "period", "days": "60"},
    "supersede": {"reason": "Merged"},
}


def test_queries_grow_by_the_batch_and_not_by_the_item(desk: Client, bob: User) -> None:
    size = 600
    where = domain(cadence_days=90)
    made = [
        unsaved(f"Item {n}", f"# Part\n\nText {n}.", primary_domain=where)
        for n in range(size)
    ]
    create_items(Viewer.system(), made, NOW)
    successor = item("Successor", embedded=False)
    queries = {}
    for bulk in BULK_ACTIONS:
        page = ask(desk, bulk.name, made[:1], select_across="1", q="item")
        assert page.context["count"] == size
        values = {"by": str(successor.pk), "person": bob.pk}
        values |= VALUES.get(bulk.name, {})
        with CaptureQueriesContext(connection) as captured:
            answer = confirm(page, desk, bulk.name, **values)
        assert said(answer) == [f"{size} {bulk.done}."]
        queries[bulk.name] = len(captured)

    # One more where the score is worked out at once, one where a review closes what
    # was asked for, and one where a person is chosen.
    batches = dict.fromkeys(queries, 17) | {"archive": 16, "reembed": 13}
    batches |= {"mark_reviewed": 18, "verify": 18, "set_owner": 18}
    batches |= {"request_review": 19, "regenerate_summary": 11}
    assert queries == batches
    assert ContentItem.history.count() == size * 10 + 1


def test_more_than_the_ceiling_is_refused(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.bulk.MAX_SELECTED", 1)
    answer = ask(desk, "archive", [item("A"), item("B")])
    assert said(answer) == ["2 selected. Select 1 to 1; nothing was done."]
    assert MAX_SELECTED == 5_000
