"""Edits and review requests in admin: proposed, decided, withdrawn, asked."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from accounts.models import User
from kb.domain.moderation import propose_edit, waiting_revision
from kb.domain.requests import asked_of, request_review
from kb.enums import RequestStatus, RevisionStatus
from kb.models import ContentItem, ReviewRequest, Revision
from tests.factories.library import NOW, domain, item
from tests.kb.test_admin_items import change, filled

EDITS = reverse("admin:kb_revision_changelist")
REQUESTS = reverse("admin:kb_reviewrequest_changelist")
ITEMS = reverse("admin:kb_contentitem_changelist")


@pytest.fixture
def desk(client: Client, alice: User) -> Client:
    """An admin's browser."""
    client.force_login(alice)
    return client


def act(desk: Client, where: str, name: str, rows: list[Any], **values: Any) -> Any:
    """Choose an action and confirm it."""
    chosen = {"action": name, "_selected_action": [str(each.pk) for each in rows]}
    page = desk.post(where, chosen)
    fields = {f"bulk-{field}": value for field, value in values.items()}
    return desk.post(where, chosen | fields | {"selection": page.context["selection"]})


def said(answer: Any) -> list[str]:
    return [str(each) for each in get_messages(answer.wsgi_request)]


def proposed(author: User, content: str = "New.", **values: Any) -> Revision:
    made = item(embedded=False, **values)
    revision = propose_edit(
        author.viewer(), made.pk, {"content": content}, NOW
    ).revision
    assert revision is not None
    return revision


def test_an_editors_save_waits_and_says_so(client: Client, bob: User) -> None:
    client.force_login(bob)
    made = item(content="Old.", embedded=False)
    answer = client.post(change(made.pk), filled(made, content="New."))
    assert said(answer) == ["Your edit waits for approval by an admin."]
    assert ContentItem.objects.get().content == "Old."
    assert waiting_revision(made) is not None


def test_a_second_save_of_the_same_field_comes_back_with_what_was_typed(
    client: Client, alice: User, bob: User
) -> None:
    made = proposed(bob).item
    client.force_login(User.objects.create_user("dora", role="editor"))
    answer = client.post(change(made.pk), filled(made, content="Hers."))
    form = answer.context["adminform"].form
    assert "An edit of content by Bob waits for approval." in answer.text
    assert form["content"].value() == "Hers."


def test_admins_approve_and_reject_several_at_once(desk: Client, bob: User) -> None:
    edits = [proposed(bob), proposed(bob)]
    chosen = {"action": "approve_edit", "_selected_action": [edits[0].pk]}
    assert "Edit of Backup policy" in desk.post(EDITS, chosen).text
    assert said(act(desk, EDITS, "approve_edit", edits)) == ["2 approved."]
    contents = ContentItem.objects.values_list("content", flat=True)
    assert set(contents) == {"New."}

    refused = proposed(bob)
    page = act(desk, EDITS, "reject_edit", [refused], note=" ")
    assert page.context["form"].errors == {"note": ["This field is required."]}
    answer = act(desk, EDITS, "reject_edit", [refused], note="No source")
    assert said(answer) == ["1 rejected."]
    refused.refresh_from_db()
    assert (refused.status, refused.decision_note) == ("rejected", "No source")


def test_an_owner_decides_where_another_editor_may_not(
    client: Client, bob: User
) -> None:
    dora = User.objects.create_user("dora", role="editor", first_name="Dora")
    hers = proposed(bob, primary_domain=domain(owner=dora))
    others = proposed(bob)
    client.force_login(dora)
    page = act(client, EDITS, "approve_edit", [hers, others])
    assert page.context["form"].non_field_errors() == [
        "Admins and the owner of the item or its domain decide on edits."
    ]
    statuses = Revision.objects.values_list("status", flat=True)
    assert set(statuses) == {RevisionStatus.WAITING}
    assert said(act(client, EDITS, "approve_edit", [hers])) == ["1 approved."]


def test_an_edit_shows_each_field_as_it_was_and_would_be(
    desk: Client, bob: User
) -> None:
    made = item(content="Old.", embedded=False)
    values: dict[str, Any] = {"content": "<b>New.</b>", "primary_domain": domain()}
    revision = propose_edit(bob.viewer(), made.pk, values, NOW).revision
    assert revision is not None
    page = desk.get(reverse("admin:kb_revision_change", args=[revision.pk]))
    assert "<del>Old.</del>" in page.text
    assert "<ins>&lt;b&gt;New.&lt;/b&gt;</ins>" in page.text
    assert "<ins>Information security</ins>" in page.text
    assert [name for name, _ in page.context["action_choices"]] == [
        "approve_edit",
        "reject_edit",
    ]


def test_a_review_is_asked_for_several_items_at_once(desk: Client, bob: User) -> None:
    items = [item(embedded=False), item(embedded=False)]
    page = act(desk, ITEMS, "request_review", items)
    assert page.context["form"].errors == {"person": ["Ask one person or one group."]}

    values = {"person": str(bob.pk), "due_on": "2030-01-31", "instructions": "Sums?"}
    answer = act(desk, ITEMS, "request_review", items, **values)
    assert said(answer) == ["2 asked to be reviewed."]
    assert {each.item for each in asked_of(bob.viewer())} == set(items)

    page = act(desk, ITEMS, "request_review", items, **values)
    assert "Bob is asked to review" in page.context["form"].non_field_errors()[0]


def test_requests_are_withdrawn_by_who_asked(
    client: Client, alice: User, bob: User
) -> None:
    made = item(embedded=False)
    request = request_review(alice.viewer(), [made.pk], NOW, person=bob)[0]
    client.force_login(bob)
    page = act(client, REQUESTS, "withdraw", [request])
    assert "Only who asked" in page.context["form"].non_field_errors()[0]
    client.force_login(alice)
    assert said(act(client, REQUESTS, "withdraw", [request])) == ["1 withdrawn."]
    assert ReviewRequest.objects.get().status == RequestStatus.WITHDRAWN
