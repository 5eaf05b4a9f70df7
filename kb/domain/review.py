"""Review: states, cadence, verification. "Today" is always a parameter, in UTC."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain import history, requests, scores
from kb.domain.access import locked
from kb.domain.cadence import next_review_date, reschedule
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem


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
        requests.fulfil(viewer, items, now, note)
        scores.rescore([item.pk for item in items], now.date())
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
        scores.rescore([item.pk for item in items], now.date())
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
        moved: list[str] = []
        for item in items:
            item.cadence = kind
            item.review_cadence_days = days if kind == CadenceKind.PERIOD else None
            item.next_review_date = on if kind == CadenceKind.FIXED else None
            moved = reschedule(item, now.date())
            item.updated_at = now
        fields = ["cadence", "review_cadence_days", *moved, "updated_at"]
        history.update(viewer, items, fields, f"Cadence: {kind.label}")
        scores.rescore([item.pk for item in items], now.date())
    return len(items)


_FLAG = """
WITH late AS (
    -- Uses item_due. Locked in order of id, as all writers do.
    SELECT id FROM kb_contentitem
    WHERE next_review_date < %(today)s::date
      AND governance_review_status = %(approved)s AND archived_at IS NULL
    ORDER BY id FOR NO KEY UPDATE
), flagged AS (
    UPDATE kb_contentitem AS item
    SET governance_review_status = %(overdue)s, updated_at = %(now)s
    FROM late WHERE item.id = late.id
    RETURNING item.*
)
INSERT INTO {history} ({columns}, history_date, history_type, history_change_reason)
SELECT {columns}, %(now)s, '~', %(reason)s FROM flagged
"""


def flag_overdue(now: datetime) -> int:
    """Approved items whose review date has passed become overdue, with their history;
    how many. A review brings them back. Scores stay: an overdue item counts as approved
    and its lateness is in the penalty already."""
    values: dict[str, Any] = {
        "today": now.astimezone(UTC).date(),
        "now": now,
        "approved": ReviewStatus.APPROVED.value,
        "overdue": ReviewStatus.REVIEW_OVERDUE.value,
        "reason": "Review date passed",
    }
    with connection.cursor() as cursor:
        cursor.execute(history.recording(_FLAG, ContentItem), values)
        return int(cursor.rowcount)
