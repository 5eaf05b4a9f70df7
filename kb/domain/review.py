"""Review: states, cadence, verification. "Today" is always a parameter, in UTC."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain import history
from kb.domain.access import locked
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem


def cadence_days(item: ContentItem) -> int | None:
    """Days between reviews in force for `item`, its own or its domain's; None where a
    fixed date rules or no review falls due."""
    if item.cadence == CadenceKind.PERIOD:
        return item.review_cadence_days
    if item.cadence == CadenceKind.INHERIT and item.primary_domain:
        return item.primary_domain.cadence_days
    return None


def next_review_date(item: ContentItem, reviewed_on: date) -> date | None:
    """When the next review falls due after one on `reviewed_on`."""
    if item.cadence == CadenceKind.FIXED:
        due = item.next_review_date
        return due if due and due > reviewed_on else None
    days = cadence_days(item)
    return reviewed_on + timedelta(days=days) if days else None


def mark_reviewed(
    viewer: Viewer, ids: Sequence[UUID], now: datetime, note: str = ""
) -> int:
    """A look that found the item right: approved, and due again after its cadence."""
    return _review(viewer, ids, now, note, verify=False)


def verify(viewer: Viewer, ids: Sequence[UUID], now: datetime, note: str = "") -> int:
    """A review by someone who vouches for the content; carries their name."""
    return _review(viewer, ids, now, note, verify=True)


def _review(
    viewer: Viewer, ids: Sequence[UUID], now: datetime, note: str, *, verify: bool
) -> int:
    viewer.require_editor()
    by = User(pk=viewer.user_id) if viewer.user_id else None
    fields = [
        "governance_review_status",
        "reviewed_at",
        "reviewed_by",
        "review_note",
        "next_review_date",
        "updated_at",
    ]
    if verify:
        fields += ["verified_at", "verified_by", "verification_note"]
    with transaction.atomic():
        items = locked(viewer, ids)
        for item in items:
            item.governance_review_status = ReviewStatus.APPROVED
            item.reviewed_at = item.updated_at = now
            item.reviewed_by = by
            item.review_note = note
            item.next_review_date = next_review_date(item, now.date())
            if verify:
                item.verified_at, item.verified_by = now, by
                item.verification_note = note
        history.update(viewer, items, fields, "Verified" if verify else "Reviewed")
    return len(items)


def set_state(
    viewer: Viewer,
    ids: Sequence[UUID],
    state: ReviewStatus,
    now: datetime,
    reason: str = "",
) -> int:
    """Approve, send to review, or make a draft. `review_overdue` is the flagger's."""
    viewer.require_editor()
    if state == ReviewStatus.REVIEW_OVERDUE:
        raise BadInput("Only the nightly check makes an item overdue.", field="review")
    with transaction.atomic():
        items = locked(viewer, ids)
        for item in items:
            item.governance_review_status = state
            item.updated_at = now
        fields = ["governance_review_status", "updated_at"]
        history.update(viewer, items, fields, reason or f"State: {state.label}")
    return len(items)


def set_cadence(
    viewer: Viewer,
    ids: Sequence[UUID],
    kind: CadenceKind,
    now: datetime,
    *,
    days: int | None = None,
    on: date | None = None,
) -> int:
    """Set how often items are reviewed; the next date follows from the last review."""
    viewer.require_editor()
    if kind == CadenceKind.PERIOD and not days:
        raise BadInput("A period needs a number of days.", field="review_cadence_days")
    if kind == CadenceKind.FIXED and on is None:
        raise BadInput("A fixed cadence needs a date.", field="next_review_date")
    with transaction.atomic():
        items = locked(viewer, ids)
        for item in items:
            item.cadence = kind
            item.review_cadence_days = days if kind == CadenceKind.PERIOD else None
            item.next_review_date = on if kind == CadenceKind.FIXED else None
            last = (item.reviewed_at or item.content_changed_at).date()
            if kind != CadenceKind.FIXED:
                item.next_review_date = next_review_date(item, last)
            item.updated_at = now
        fields = ["cadence", "review_cadence_days", "next_review_date", "updated_at"]
        history.update(viewer, items, fields, f"Cadence: {kind.label}")
    return len(items)
