"""Reviews asked for once: of a person or a group, by a day, done by any review."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.domain.lifecycle import archive
from kb.domain.requests import (
    asked_of,
    open_requests,
    request_review,
    withdraw_request,
)
from kb.domain.review import mark_reviewed, verify
from kb.enums import RequestStatus
from kb.models import ContentItem, ReviewRequest
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db

TODAY = NOW.date()


def ask(viewer: Viewer, made: ContentItem, **values: Any) -> ReviewRequest:
    return request_review(viewer, [made.pk], NOW, **values)[0]


@pytest.mark.parametrize("review", [mark_reviewed, verify])
def test_a_review_fulfils_what_was_asked(
    review: Any, governor: Viewer, bob: User
) -> None:
    made, other = item(embedded=False), item(embedded=False)
    request = ask(governor, made, person=bob, due_on=TODAY, instructions="Numbers?")
    ask(governor, other, person=bob)
    assert list(asked_of(bob.viewer())) == [request, open_requests([other]).get()]

    review(bob.viewer(), [made.pk], NOW, "They hold")
    request.refresh_from_db()
    assert (
        request.status,
        request.closed_at,
        request.closed_by,
        request.closing_note,
    ) == (RequestStatus.DONE, NOW, bob, "They hold")
    assert [each.item for each in asked_of(bob.viewer())] == [other]
    reasons = request.history.values_list("history_change_reason", flat=True)
    assert list(reasons) == ["Done", ""]


def test_a_group_is_asked_and_any_member_answers(governor: Viewer, bob: User) -> None:
    team = Group.objects.create(name="Security team")
    made = item(embedded=False)
    request = ask(governor, made, group=team)
    assert request.asked == "Security team"
    assert not asked_of(bob.viewer()).exists()
    bob.groups.add(team)
    assert list(asked_of(bob.viewer())) == [request]


def test_what_is_archived_is_asked_of_nobody(governor: Viewer, bob: User) -> None:
    made = item(embedded=False)
    ask(governor, made, person=bob)
    archive(governor, [made.pk], NOW)
    assert not asked_of(bob.viewer()).exists()
    assert not asked_of(Viewer.system()).exists()


def test_a_request_names_one_person_or_group_that_can_answer(
    editor: Viewer, bob: User, charlie: User
) -> None:
    made = item(embedded=False)
    team = Group.objects.create(name="Team")
    yesterday = TODAY - timedelta(days=1)
    wrong: list[dict[str, Any]] = [
        {},
        {"person": bob, "group": team},
        {"person": charlie},
        {"person": bob, "due_on": yesterday},
        {"person": bob, "instructions": "x" * 2001},
    ]
    for values in wrong:
        with pytest.raises(BadInput):
            ask(editor, made, **values)
    assert not ReviewRequest.objects.exists()


def test_nobody_is_asked_twice_at_a_time(editor: Viewer, bob: User) -> None:
    made = item(embedded=False)
    ask(editor, made, person=bob)
    with pytest.raises(Conflict, match="Bob is asked to review 'Backup policy'"):
        ask(editor, made, person=bob)
    mark_reviewed(editor, [made.pk], NOW)
    assert ask(editor, made, person=bob).status == RequestStatus.OPEN


def test_who_asked_or_an_admin_withdraws(
    editor: Viewer, governor: Viewer, reader: Viewer, bob: User, alice: User
) -> None:
    made = item(embedded=False)
    theirs = ask(governor, made, person=bob)
    with pytest.raises(NotAllowed):
        withdraw_request(editor, theirs.pk, NOW)
    mine = ask(editor, made, person=alice)
    assert withdraw_request(editor, mine.pk, NOW).status == RequestStatus.WITHDRAWN
    withdraw_request(governor, theirs.pk, NOW)
    with pytest.raises(Conflict):
        withdraw_request(governor, theirs.pk, NOW)
    with pytest.raises(NotFound):
        withdraw_request(governor, 0, NOW)
    with pytest.raises(NotAllowed):
        ask(reader, made, person=bob)


def test_the_most_urgent_comes_first(governor: Viewer, bob: User) -> None:
    days = [None, TODAY + timedelta(days=2), TODAY]
    for due_on in days:
        ask(governor, item(embedded=False), person=bob, due_on=due_on)
    due = [each.due_on for each in asked_of(bob.viewer())]
    assert due == [TODAY, TODAY + timedelta(days=2), None]
