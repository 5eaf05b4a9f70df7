"""What is overdue and what falls due, as conditions on items: mails, the dashboard and
admin count alike. Drafts and what waits for approval are not in force, so not due."""

from datetime import date, timedelta

from django.db.models import Q

from kb.enums import ReviewStatus

IN_FORCE = (ReviewStatus.APPROVED, ReviewStatus.REVIEW_OVERDUE)


def overdue(today: date) -> Q:
    """Flagged, or about to be by the next nightly run."""
    late = Q(governance_review_status=ReviewStatus.APPROVED, next_review_date__lt=today)
    return late | Q(governance_review_status=ReviewStatus.REVIEW_OVERDUE)


def due_within(today: date, last: int, first: int = 0) -> Q:
    """In `first` to `last` days, today being 0."""
    days = (today + timedelta(days=first), today + timedelta(days=last))
    return Q(governance_review_status__in=IN_FORCE, next_review_date__range=days)
