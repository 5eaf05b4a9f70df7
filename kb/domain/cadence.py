"""How often an item is reviewed, by its own cadence or its domain's."""

from datetime import date, timedelta

from kb.enums import CadenceKind
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
