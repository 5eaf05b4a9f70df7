"""What to mend first, and why: reasons as conditions, their weights in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Q,
    Value,
    When,
)

from core.errors import BadInput
from kb.domain.due import overdue
from kb.domain.governance import LOW, NOBODY, answered_for
from kb.enums import ReviewStatus
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet, start_of

SHOWN = 20
# A draft or an item that nobody uses counts as left alone after so many days.
OLD_DRAFT = 90
UNCHANGED = 365


@dataclass(frozen=True)
class Reason:
    """`weight` orders the table: the heavier, the sooner somebody should look."""

    name: str
    label: str
    weight: int
    why: str


REASONS = {
    each.name: each
    for each in (
        # Wrong answers that people use weigh most, then what nobody answers for.
        Reason("overdue", "Overdue", 40, "Its review is overdue"),
        Reason("cited", "Overdue and cited", 30, "Bids cite it, and it is overdue"),
        Reason("ownerless", "Nobody’s", 30, "Nobody answers for it"),
        Reason("low", "Low quality", 25, f"Quality under {LOW}"),
        Reason("draft", "Old drafts", 15, f"A draft for over {OLD_DRAFT} days"),
        Reason(
            "inactive",
            "Inactive",
            10,
            f"Not cited or read lately, not changed for {UNCHANGED} days",
        ),
    )
}


@dataclass(frozen=True)
class ToMend:
    item: ContentItem
    reasons: tuple[Reason, ...]


def _conditions(today: date) -> Mapping[str, Q]:
    unchanged = Q(content_changed_at__lt=start_of(today - timedelta(days=UNCHANGED)))
    return {
        "overdue": overdue(today),
        "cited": overdue(today) & Q(bids_decided__gt=0),
        "ownerless": answered_for(NOBODY.key),
        "low": Q(quality_score__lt=LOW),
        "draft": Q(
            governance_review_status=ReviewStatus.DRAFT,
            updated_at__lt=start_of(today - timedelta(days=OLD_DRAFT)),
        ),
        # What the nightly run found: no citations, no reads in 180 days.
        "inactive": unchanged & Q(quality_parts__use=0),
    }


def counts(items: ContentItemQuerySet, today: date) -> dict[str, int]:
    """How many items each reason holds for."""
    found = items.filter(superseded_by=None).aggregate(
        **{
            name: Count("pk", filter=condition)
            for name, condition in _conditions(today).items()
        }
    )
    return dict(found)


def first(items: ContentItemQuerySet, today: date, reason: str = "") -> list[ToMend]:
    """The heaviest first; with `reason`, only those it holds for."""
    conditions = _conditions(today)
    if reason and reason not in conditions:
        raise BadInput.unknown("fix", reason, conditions)
    items = items.filter(superseded_by=None)
    if reason:
        items = items.filter(conditions[reason])
    flags = {
        f"is_{name}": Case(
            When(condition, then=Value(REASONS[name].weight)),
            default=Value(0),
            output_field=IntegerField(),
        )
        for name, condition in conditions.items()
    }
    weight = sum((F(flag) for flag in flags), start=Value(0))
    keys = (
        items.annotate(**flags)
        .annotate(weight=weight)
        .filter(weight__gt=0)
        .order_by("-weight", "quality_score", "pk")
        .values("pk", *flags)[:SHOWN]
    )
    rows = list(keys)
    found = (
        ContentItem.objects.select_related("primary_domain", "owner", "owner_group")
        .defer("content", "summary_data")
        .in_bulk([row["pk"] for row in rows])
    )
    return [
        ToMend(
            found[row["pk"]],
            tuple(REASONS[name] for name in conditions if row[f"is_{name}"]),
        )
        for row in rows
        if row["pk"] in found
    ]
