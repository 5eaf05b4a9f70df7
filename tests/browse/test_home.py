"""`/`: what changed, what waits for whoever looks."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.viewer import Viewer
from browse import questions
from kb.domain.lifecycle import archive, edit_item
from kb.domain.moderation import propose_edit
from kb.models import ContentItem, ReadMark
from tests.browse.pages import links, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def section(page: str, head: str) -> str:
    """From one heading on; the sections stand in a fixed order."""
    return page.split(head, 1)[1]


def test_it_greets_with_a_search_and_what_changed(as_reader: Client) -> None:
    item("Old answer", now=NOW - timedelta(days=2))
    item("New answer")
    page = as_reader.get("/")
    assert 'action="/browse"' in page.content.decode()
    changed = section(text(page), "What changed")
    assert changed.index("New answer") < changed.index("Old answer")


def test_nothing_hidden_archived_or_replaced_is_named(
    as_reader: Client, editor: Viewer
) -> None:
    item("Secret merger", governance_review_status="draft")
    archive(editor, [item("Old service").pk], NOW)
    page = text(as_reader.get("/"))
    assert "Secret" not in page
    assert "Old service" not in page
    assert "Waiting for you" not in page


def test_what_is_due_is_that_of_the_owner_or_a_group_of_theirs(
    as_editor: Client, bob: User, alice: User
) -> None:
    today = timezone.now().date()
    team = Group.objects.create(name="Desk")
    team.user_set.add(bob)
    soon: dict[str, Any] = {"next_review_date": today + timedelta(days=5)}
    item("Mine", owner=bob, **soon)
    item("Of my team", owner_group=team, **soon)
    item("By domain", primary_domain=domain("People", owner=bob), **soon)
    item("Of Alice", owner=alice, **soon)
    item("Much later", owner=bob, next_review_date=today + timedelta(days=200))
    due = section(text(as_editor.get("/")), "Waiting for you").split("What changed")[0]
    for title in ("Mine", "Of my team", "By domain"):
        assert title in due
    assert "Of Alice" not in due
    assert "Much later" not in due
    assert due.count("Due in 5 days") == 3


def test_edits_to_decide_and_questions_wait_for_who_may(
    as_editor: Client, alice: User, editor: Viewer, reader: Viewer
) -> None:
    as_admin = Client()
    as_admin.force_login(alice)
    propose_edit(editor, item("Policy").pk, {"title": "New"}, NOW)
    questions.ask(reader, "Do you?", NOW)
    assert "Policy edit by Bob to decide" in text(as_admin.get("/"))
    page = as_editor.get("/")
    assert links(page, "1 question nobody could answer") == ["/questions"]
    assert "to decide" not in text(page)


def test_recent_work_is_ones_own(
    as_editor: Client, as_reader: Client, editor: Viewer, charlie: User
) -> None:
    made = item("Policy")
    edit_item(editor, made.pk, {"layer": "core"}, NOW)
    assert "Your recent work Policy" in text(as_editor.get("/"))
    assert "Your recent work" not in text(as_reader.get("/"))
    ReadMark.objects.create(
        user=charlie, item=made, first_read_at=NOW, last_read_at=NOW
    )
    assert "You read lately Policy" in text(as_reader.get("/"))


def test_an_empty_library_has_a_front_page(as_reader: Client) -> None:
    assert "Nothing yet." in text(as_reader.get("/"))
    assert ContentItem.objects.count() == 0


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_the_same_queries_however_much_there_is(
    count: int, as_editor: Client, bob: User, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        made = item(f"Item {number}", owner=bob, next_review_date=NOW.date())
        ReadMark.objects.create(
            user=bob, item=made, first_read_at=NOW, last_read_at=NOW
        )
        edit_item(bob.viewer(), made.pk, {"layer": "core"}, NOW)
    with django_assert_num_queries(29):
        as_editor.get("/")
