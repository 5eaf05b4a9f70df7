"""The facts that stand above an item, on any day."""

from datetime import date, timedelta
from typing import Any

import pytest

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.banners import Banner, BannerKind, Situation, banners, situation_of
from kb.domain.lifecycle import archive, supersede
from kb.domain.moderation import propose_edit, reject_revision
from kb.domain.requests import request_review
from kb.domain.review import mark_reviewed, set_state, verify
from kb.enums import CadenceKind, Moderation, ReviewStatus
from kb.models import ContentItem
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

TODAY = NOW.date()


def made(**values: Any) -> ContentItem:
    return item(embedded=False, **values)


def shown(
    one: ContentItem, viewer: Viewer, today: date = TODAY
) -> list[tuple[str, str, str]]:
    one.refresh_from_db()
    found = banners(situation_of(one, viewer), today)
    return [(each.kind.value, each.title, each.text) for each in found]


def days(count: int) -> date:
    return TODAY + timedelta(days=count)


@pytest.mark.parametrize(
    ("left", "title"),
    [
        (31, None),
        (30, "Review is due on 15 July 2026, in 30 days"),
        (1, "Review is due on 16 June 2026, in 1 day"),
        (0, "Review is due on 15 June 2026, today"),
        (-1, "Review was due on 14 June 2026, 1 day ago"),
        (-12, "Review was due on 3 June 2026, 12 days ago"),
    ],
)
def test_what_is_due_and_what_is_late_is_said_in_days(
    left: int, title: str | None
) -> None:
    one = ContentItem(
        next_review_date=days(left), governance_review_status=ReviewStatus.APPROVED
    )
    kind = BannerKind.OVERDUE if left < 0 else BannerKind.DUE
    wanted = [Banner(kind, title, "Never reviewed.")] if title else []
    assert banners(Situation(one), TODAY) == wanted


def test_an_approved_item_without_a_date_has_nothing_to_say(reader: Viewer) -> None:
    assert shown(made(), reader) == []


def test_who_looked_last_is_named(editor: Viewer, bob: User) -> None:
    one = made(cadence=CadenceKind.PERIOD, review_cadence_days=10)
    mark_reviewed(editor, [one.pk], NOW)
    title = "Review is due on 25 June 2026, in 10 days"
    assert shown(one, editor) == [
        ("due", title, "Last reviewed by Bob on 15 June 2026.")
    ]
    verify(editor, [one.pk], NOW)
    assert shown(one, editor)[0][2] == "Last verified by Bob on 15 June 2026."


def test_a_replaced_item_names_the_last_of_its_chain(
    editor: Viewer, reader: Viewer
) -> None:
    first, second, third = made(title="A"), made(title="B"), made(title="C")
    supersede(editor, first.pk, second.pk, NOW, "Shorter")
    supersede(editor, second.pk, third.pk, NOW, "Shorter still")
    assert shown(first, reader) == [("replaced", "Replaced by C", "Shorter")]
    archive(editor, [third.pk], NOW)
    assert shown(first, reader) == [("replaced", "Replaced by B", "Shorter")]


def test_a_successor_that_one_may_not_see_is_not_named(
    editor: Viewer, reader: Viewer
) -> None:
    old = made(title="A")
    secret = made(title="B")
    supersede(editor, old.pk, secret.pk, NOW, "Newer")
    set_state(editor, [secret.pk], ReviewStatus.DRAFT, NOW)
    assert shown(old, reader) == [("replaced", "Replaced", "Newer")]
    assert shown(old, editor) == [("replaced", "Replaced by B", "Newer")]


def test_edits_and_requests_are_told_to_those_who_edit(
    editor: Viewer, governor: Viewer, reader: Viewer, alice: User
) -> None:
    one = made(primary_domain=domain(moderation=Moderation.HIDE, owner=alice))
    revision = propose_edit(editor, one.pk, {"content": "New."}, NOW).revision
    assert revision is not None
    request_review(
        editor, [one.pk], NOW, person=alice, due_on=days(3), instructions="Numbers?"
    )
    assert shown(one, governor) == [
        (
            "hidden",
            "Hidden until an edit is approved",
            "Search leaves it out, and only editors and admins see it.",
        ),
        ("asked", "Bob asked Alice for a review, due in 3 days", "Numbers?"),
        (
            "edit_waiting",
            "An edit by Bob of 15 June 2026 waits for approval",
            "By Alice.",
        ),
    ]
    later = [each[1] for each in shown(one, governor, days(4))]
    assert later[1] == "Bob asked Alice for a review, was due 1 day ago"
    assert [each[0] for each in shown(one, reader)] == ["hidden"]


def test_authors_are_told_what_became_of_their_edit(
    editor: Viewer, governor: Viewer
) -> None:
    one = made()
    revision = propose_edit(editor, one.pk, {"content": "New."}, NOW).revision
    assert revision is not None
    reject_revision(governor, revision.pk, NOW, "Cite the contract.")
    told = "Your edit was rejected by Alice on 15 June 2026"
    assert shown(one, editor) == [("edit_decided", told, "Cite the contract.")]
    assert shown(one, governor) == []
    assert shown(one, editor, days(14)) != []
    assert shown(one, editor, days(15)) == []


def test_states_before_approval_are_named(editor: Viewer) -> None:
    draft = made(governance_review_status=ReviewStatus.DRAFT, next_review_date=TODAY)
    assert [each[0] for each in shown(draft, editor)] == ["draft"]
    waiting = made(governance_review_status=ReviewStatus.IN_REVIEW)
    assert [each[0] for each in shown(waiting, editor)] == ["in_review"]
    archive(editor, [waiting.pk], NOW)
    assert [each[0] for each in shown(waiting, editor)] == ["archived", "in_review"]
