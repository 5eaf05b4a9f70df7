"""What editors do on an item's page, with and without scripts."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.lifecycle import archive, edit_item
from kb.domain.moderation import propose_edit
from kb.enums import ReviewStatus
from kb.models import ContentItem, Revision, Workspace
from tests.browse.pages import HTMX, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_admin(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def test_marking_reviewed_sets_the_next_date_and_keeps_the_note(
    as_editor: Client,
) -> None:
    made = item(primary_domain=domain("People", cadence_days=90))
    asked = as_editor.get(f"/items/{made.pk}/review")
    assert "Next on" in text(asked)
    page = as_editor.post(
        f"/items/{made.pk}/review", {"note": "Read it all."}, follow=True
    )
    made.refresh_from_db()
    assert (made.review_note, made.governance_review_status) == (
        "Read it all.",
        ReviewStatus.APPROVED,
    )
    assert made.reviewed_at
    assert made.next_review_date == made.reviewed_at.date() + timedelta(days=90)
    assert "Reviewed. Next on" in text(page)
    assert "Bob · Reviewed" in text(page)


def test_in_the_dialog_the_item_alone_is_shown_anew(as_editor: Client) -> None:
    made = item()
    form = as_editor.get(f"/items/{made.pk}/verify", headers=HTMX)
    assert "<html" not in form.content.decode()
    answer = as_editor.post(f"/items/{made.pk}/verify", headers=HTMX)
    there = json.loads(answer["HX-Location"])
    assert there["path"] == f"/items/{made.pk}"
    assert (there["target"], there["push"]) == ("#item", "false")
    assert "closeDialog" in answer["HX-Trigger"]
    part = as_editor.get(there["path"], headers=HTMX)
    assert "Verified by Bob" in text(part)
    assert "Verified in your name." in text(part)
    assert "<html" not in part.content.decode()


def test_archive_and_restore(as_editor: Client, as_reader: Client) -> None:
    made = item()
    as_editor.post(f"/items/{made.pk}/archive", {"note": "Old service."})
    assert as_reader.get(f"/items/{made.pk}").status_code == 404
    page = as_editor.get(f"/items/{made.pk}")
    assert "Archived on" in text(page)
    assert "Old service." in text(page)
    as_editor.post(f"/items/{made.pk}/restore")
    assert as_reader.get(f"/items/{made.pk}").status_code == 200


def test_the_item_that_replaces_it_is_found_by_its_words(as_editor: Client) -> None:
    old, new = item("Old answer"), item("New answer about backups")
    form = as_editor.get(f"/items/{old.pk}/replace?find=backups")
    assert "New answer about backups" in text(form)
    as_editor.post(f"/items/{old.pk}/replace", {"by": str(new.pk), "note": "Better."})
    old.refresh_from_db()
    assert (old.superseded_by, old.superseded_reason) == (new, "Better.")


@pytest.mark.parametrize("by", ["", "x", "itself"])
def test_without_another_item_nothing_is_replaced(by: str, as_editor: Client) -> None:
    made = item()
    chosen = str(made.pk) if by == "itself" else by
    answer = as_editor.post(f"/items/{made.pk}/replace", {"by": chosen})
    assert answer.status_code == 422
    made.refresh_from_db()
    assert made.superseded_by is None


@pytest.mark.parametrize("action", ["review", "verify", "archive", "replace"])
def test_readers_do_none_of_it(action: str, as_reader: Client) -> None:
    made = item()
    path = f"/items/{made.pk}/{action}"
    assert as_reader.get(path).status_code == 403
    assert as_reader.post(path).status_code == 403
    assert "Mark reviewed" not in text(as_reader.get(f"/items/{made.pk}"))


def test_an_approver_reads_the_difference_and_decides(
    as_admin: Client, as_editor: Client, editor: Viewer
) -> None:
    made = item("Old title")
    propose_edit(editor, made.pk, {"title": "New title"}, NOW, note="As agreed.")
    revision = Revision.objects.get()
    page = as_admin.get(f"/items/{made.pk}")
    assert "An edit by Bob" in text(page)
    assert "As agreed." in text(page)
    assert "<ins>New</ins>" in page.content.decode()
    path = f"/items/{made.pk}/edits/{revision.pk}"
    assert as_editor.post(f"{path}/approve").status_code == 403
    as_admin.post(f"{path}/approve")
    made.refresh_from_db()
    assert made.title == "New title"


def test_a_rejection_needs_a_reason_and_tells_it(
    as_admin: Client, as_editor: Client, editor: Viewer
) -> None:
    made = item("Old title")
    propose_edit(editor, made.pk, {"title": "New title"}, NOW)
    path = f"/items/{made.pk}/edits/{Revision.objects.get().pk}/reject"
    refused = as_admin.post(path, {"note": " "})
    assert refused.status_code == 422
    assert "Say why" in text(refused)
    as_admin.post(path, {"note": "Wrong figures."})
    assert "Your edit was rejected by Alice" in text(as_editor.get(f"/items/{made.pk}"))
    assert "Wrong figures." in text(as_editor.get(f"/items/{made.pk}"))


def test_an_edit_of_what_changed_since_is_approved_knowingly(
    as_admin: Client, editor: Viewer, governor: Viewer
) -> None:
    made = item("Old title")
    propose_edit(editor, made.pk, {"title": "Proposed"}, NOW)
    edit_item(governor, made.pk, {"title": "Meanwhile"}, NOW)
    path = f"/items/{made.pk}/edits/{Revision.objects.get().pk}/approve"
    refused = as_admin.post(path)
    assert refused.status_code == 422
    assert "Put the edit over the later change" in text(refused)
    as_admin.post(path, {"over": "on"})
    made.refresh_from_db()
    assert made.title == "Proposed"


def test_an_author_takes_an_edit_back(as_editor: Client, editor: Viewer) -> None:
    made = item()
    propose_edit(editor, made.pk, {"title": "New"}, NOW)
    revision = Revision.objects.get()
    as_editor.post(f"/items/{made.pk}/edits/{revision.pk}/withdraw")
    revision.refresh_from_db()
    assert revision.status == "withdrawn"


def test_an_edit_is_decided_under_its_own_item_alone(
    as_admin: Client, editor: Viewer
) -> None:
    made, other = item("A"), item("B")
    propose_edit(editor, made.pk, {"title": "New"}, NOW)
    path = f"/items/{other.pk}/edits/{Revision.objects.get().pk}/approve"
    assert as_admin.post(path).status_code == 404


def test_history_tells_who_did_what(as_reader: Client, governor: Viewer) -> None:
    made = item("Old", "Kept for 35 days.")
    edit_item(governor, made.pk, {"content": "Kept for 90 days."}, NOW)
    page = as_reader.get(f"/items/{made.pk}")
    assert "Alice · Changed text" in text(page)
    assert "<del>35</del>" in page.content.decode()


def test_history_goes_on_page_by_page(as_reader: Client, governor: Viewer) -> None:
    made = item("Item 0")
    for number in range(1, 23):
        edit_item(governor, made.pk, {"title": f"Item {number}"}, NOW)
    assert "All changes" in text(as_reader.get(f"/items/{made.pk}"))
    first = as_reader.get(f"/items/{made.pk}/history")
    assert text(first).count("Alice ·") == 20
    older = as_reader.get(f"/items/{made.pk}/history?skip=20")
    assert text(older).count("Alice ·") == 2
    assert "Older changes" not in text(older)
    for odd in ("x", "999999"):
        page = as_reader.get(f"/items/{made.pk}/history?skip={odd}")
        assert page.status_code == 200


def test_history_of_an_unseen_item_is_not_there(
    as_reader: Client, editor: Viewer
) -> None:
    made = item()
    archive(editor, [made.pk], NOW)
    assert as_reader.get(f"/items/{made.pk}/history").status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_history_takes_the_same_queries_however_long(
    count: int, as_reader: Client, governor: Viewer, django_assert_num_queries: Any
) -> None:
    made = item()
    for number in range(count):
        edit_item(governor, made.pk, {"title": f"T{number}"}, NOW)
    with django_assert_num_queries(7):  # session, user, item, records; the limit's 3
        as_reader.get(f"/items/{made.pk}/history")


def test_similar_items_say_how_alike(as_reader: Client) -> None:
    made = item("Backup policy", "We restore a backup each quarter.")
    item("Backup policy two", "We restore a backup each quarter.")
    hidden = item("Backup policy three", "We restore a backup each quarter.")
    ContentItem.objects.filter(pk=hidden.pk).update(governance_review_status="draft")
    page = text(as_reader.get(f"/items/{made.pk}"))
    assert "Similar items Backup policy two" in page
    assert "Backup policy three" not in page


def test_the_bid_stays_through_every_step(as_editor: Client) -> None:
    made = item(governance_review_status=ReviewStatus.IN_REVIEW)
    bid = Workspace.objects.create(name="Managed IT")
    here = f"/items/{made.pk}?from_bid={bid.pk}"
    page = as_editor.get(here)
    for name in ("edit", "history", "review", "verify", "archive", "replace"):
        path = f"/items/{made.pk}/{name}?from_bid={bid.pk}"
        assert f'href="{path}"' in page.content.decode()
        assert here in as_editor.get(path).content.decode()
    done = as_editor.post(f"/items/{made.pk}/review?from_bid={bid.pk}", headers=HTMX)
    assert json.loads(done["HX-Location"])["path"] == here
    saved = {"title": "New", "content_type": "article"}
    answer = as_editor.post(f"/items/{made.pk}/edit?from_bid={bid.pk}", saved)
    assert answer["Location"] == here


def test_any_version_is_compared_with_now(as_reader: Client, governor: Viewer) -> None:
    made = item("Old", "Kept for 35 days.")
    first = made.history.last()
    for days in (60, 90):
        edit_item(governor, made.pk, {"content": f"Kept for {days} days."}, NOW)
    path = f"/items/{made.pk}/history?since={first.history_id}"
    page = as_reader.get(path).content.decode()
    compared = page[page.index("since-h") : page.index('class="history"')]
    assert "<del>35</del>" in compared
    assert "<ins>90</ins>" in compared
    other = as_reader.get(f"/items/{item('B').pk}/history?since={first.history_id}")
    assert "since-h" not in other.content.decode()
