"""How often an item is reviewed, by its own cadence or its domain's."""

from datetime import UTC, date, timedelta

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


def reschedule(item: ContentItem, today: date) -> list[str]:
    """Set the next review date anew, counted from the last review or change, unless it
    is a fixed one; returns the fields that it set. What is no longer late is no longer
    overdue. (`kb.domain.domain_settings` holds the same as SQL.)"""
    last = (item.reviewed_at or item.content_changed_at).astimezone(UTC).date()
    if item.cadence != CadenceKind.FIXED:
        item.next_review_date = next_review_date(item, last)
    late = item.next_review_date is not None and item.next_review_date < today
    if item.governance_review_status == ReviewStatus.REVIEW_OVERDUE and not late:
        item.governance_review_status = ReviewStatus.APPROVED
    return ["next_review_date", "governance_review_status"]
