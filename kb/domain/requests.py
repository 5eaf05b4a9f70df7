"""Reviews that somebody asks for once, beside the cadence: by a day, of a person or a
group. Any review of the item fulfils them; `closed_by` says whose it was."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.domain import history
from kb.domain.access import locked
from kb.enums import RequestStatus
from kb.models import ContentItem, ReviewRequest

MAX_INSTRUCTIONS = 2_000
_CLOSING = ["status", "closed_at", "closed_by", "closing_note"]


def request_review(
    viewer: Viewer,
    ids: Sequence[UUID],
    now: datetime,
    *,
    person: User | None = None,
    group: Group | None = None,
    due_on: date | None = None,
    instructions: str = "",
) -> list[ReviewRequest]:
    """Ask a person or a group to look at each of `ids`."""
    viewer.require_editor()
    _check(person, group, due_on, instructions, now.date())
    with transaction.atomic():
        items = locked(viewer, ids)
        _refuse_second(items, person, group)
        made = [
            ReviewRequest(
                item=item,
                person=person,
                group=group,
                due_on=due_on,
                instructions=instructions,
                asked_by=_user(viewer),
                asked_at=now,
            )
            for item in items
        ]
        return history.create(viewer, made)


def withdraw_requests(viewer: Viewer, ids: Iterable[int], now: datetime) -> int:
    with transaction.atomic():
        return len([withdraw_request(viewer, each, now) for each in sorted(ids)])


def withdraw_request(viewer: Viewer, request_id: int, now: datetime) -> ReviewRequest:
    """By who asked, or an admin."""
    viewer.require_editor()
    with transaction.atomic():
        found = ReviewRequest.objects.select_for_update().filter(pk=request_id).first()
        if found is None:
            raise NotFound("This review request does not exist.")
        if found.asked_by_id != viewer.user_id and not viewer.can_govern:
            raise NotAllowed("Only who asked, or an admin, can withdraw a request.")
        if found.status != RequestStatus.OPEN:
            raise Conflict("This review request is closed already.")
        _close(viewer, [found], RequestStatus.WITHDRAWN, now, "")
    return found


def fulfil(
    viewer: Viewer, items: Sequence[ContentItem], now: datetime, note: str
) -> None:
    """Close what was asked for `items`; called by the review itself, which locks."""
    found = open_requests(items).select_for_update(of=("self",))
    _close(viewer, list(found), RequestStatus.DONE, now, note)


def open_requests(items: Sequence[ContentItem]) -> QuerySet[ReviewRequest]:
    """Of these items, the most urgent first."""
    return ReviewRequest.objects.filter(
        item__in=items, status=RequestStatus.OPEN
    ).select_related("person", "group", "asked_by")


def asked_of(viewer: Viewer) -> QuerySet[ReviewRequest]:
    """What is asked of `viewer` or a group of theirs, the most urgent first."""
    groups = Group.objects.filter(user=viewer.user_id)
    mine = Q(group__in=groups)
    if viewer.user_id is not None:
        mine |= Q(person=viewer.user_id)
    asked = ReviewRequest.objects.filter(mine, status=RequestStatus.OPEN)
    return asked.filter(item__archived_at=None).select_related(
        "item", "person", "group", "asked_by"
    )


def _check(
    person: User | None,
    group: Group | None,
    due_on: date | None,
    instructions: str,
    today: date,
) -> None:
    if (person is None) == (group is None):
        raise BadInput("Ask one person or one group.", field="person")
    if person is not None and not (person.is_active and person.viewer().can_edit):
        message = "Ask an editor or an admin: others cannot review."
        raise BadInput(message, field="person")
    if due_on is not None and due_on < today:
        raise BadInput("The day has passed. Choose today or later.", field="due_on")
    if len(instructions) > MAX_INSTRUCTIONS:
        raise BadInput(
            f"Instructions are longer than {MAX_INSTRUCTIONS} characters.",
            field="instructions",
        )


def _refuse_second(
    items: Sequence[ContentItem], person: User | None, group: Group | None
) -> None:
    asked = open_requests(items).filter(person=person, group=group)
    first = asked.select_related("item").first()
    if first is not None:
        raise Conflict(
            f"{first.asked} is asked to review {first.item.title!r} already. "
            "Withdraw that request first."
        )


def _close(
    viewer: Viewer,
    requests: Sequence[ReviewRequest],
    status: RequestStatus,
    now: datetime,
    note: str,
) -> None:
    for each in requests:
        each.status, each.closing_note = status, note
        each.closed_at, each.closed_by = now, _user(viewer)
    history.update(viewer, requests, _CLOSING, status.label)


def _user(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None
