"""Who sees which items, and which of them search may return: written once, here."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Self

from django.apps import apps
from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)

from accounts.viewer import Viewer
from kb.enums import ContentType, Freshness, ReviewStatus
from kb.filters import OPEN_COLUMNS, ItemFilters

if TYPE_CHECKING:
    # Named in the classes' bases.
    from kb.models import ContentChunk, ContentItem, ItemIndex  # noqa: F401

# Upper bounds in days since the last content change or review.
FRESHNESS_DAYS = (
    (Freshness.FRESH, 90),
    (Freshness.AGING, 180),
    (Freshness.STALE, 365),
)


class ContentItemQuerySet(QuerySet["ContentItem"]):
    def live(self) -> Self:
        return self.filter(archived_at=None)

    def visible_to(self, viewer: Viewer) -> Self:
        """Permission: what `viewer` may open at all."""
        if viewer.sees_drafts:
            return self
        return self.filter(archived_at=None, hidden_for_approval=False).exclude(
            governance_review_status=ReviewStatus.DRAFT
        )

    def findable(self) -> Self:
        """What search, preview and sections may return, to anyone."""
        return self.filter(archived_at=None, hidden_for_approval=False).exclude(
            governance_review_status=ReviewStatus.DRAFT
        )

    def searchable(self, recipe: str) -> Self:
        """Findable, and embedded by the recipe now in force: vectors of two models
        never meet."""
        return self.findable().filter(
            index__recipe=recipe, index__embedding__isnull=False
        )

    def matching(self, filters: ItemFilters, viewer: Viewer, today: date) -> Self:
        """Repeated values are OR, different filters AND."""
        return self.filter(conditions(filters, viewer, today))

    def with_freshness(self, today: date) -> Self:
        cases = [
            When(freshness_condition(name, today), then=Value(name.value))
            for name in Freshness
        ]
        return self.annotate(freshness=Case(*cases, output_field=CharField()))


class ItemIndexQuerySet(QuerySet["ItemIndex"]):
    def missing(self, recipe: str) -> Self:
        """Of live items, those that the model of `recipe` has still to read: never
        embedded, embedded by another, or of an older text."""
        of_this_text = Q(embedded_hash=F("text_hash"))
        embedded = Q(recipe=recipe, embedding__isnull=False) & of_this_text
        refused = Q(recipe=refused_by(recipe), embedding=None) & of_this_text
        return self.filter(item__archived_at=None).exclude(embedded | refused)


class ContentChunkQuerySet(QuerySet["ContentChunk"]):
    def unread(self, recipe: str) -> Self:
        """Not embedded by the model of `recipe`, nor refused by it."""
        return self.exclude(recipe=recipe, embedding__isnull=False).exclude(
            recipe=refused_by(recipe)
        )


def refused_by(recipe: str) -> str:
    """Stands as the recipe where the model will not read a text, so that it is not
    asked again."""
    return f"!{recipe}"[:120]


def freshness_of(changed: date, reviewed: date | None, today: date) -> Freshness:
    """The same rule for one item in hand; a test keeps both equal."""
    age = (today - max(changed, reviewed or changed)).days
    for name, below in FRESHNESS_DAYS:
        if age < below:
            return name
    return Freshness.EXPIRED


def freshness_condition(name: Freshness, today: date) -> Q:
    """As a condition: touched after one bound, and not after the next."""
    names = list(Freshness)
    place = names.index(name)
    condition = Q()
    if place < len(FRESHNESS_DAYS):
        condition &= _touched_within(FRESHNESS_DAYS[place][1], today)
    if place > 0:
        condition &= ~_touched_within(FRESHNESS_DAYS[place - 1][1], today)
    return condition


def _touched_within(days: int, today: date) -> Q:
    """Changed or reviewed less than `days` days ago, in whole UTC days."""
    since = start_of(today - timedelta(days=days - 1))
    # The null test keeps this two-valued in SQL, so that it can be negated.
    return Q(content_changed_at__gte=since) | Q(
        reviewed_at__isnull=False, reviewed_at__gte=since
    )


def conditions(filters: ItemFilters, viewer: Viewer, today: date) -> Q:
    """All of `filters` as one condition on items."""
    condition = Q()
    for name, column in OPEN_COLUMNS.items():
        values = getattr(filters, name)
        if values:
            condition &= any_of(Q(**{f"{column}__iexact": each}) for each in values)
    if filters.content_type:
        condition &= Q(content_type__in=filters.content_type)
    if not filters.include_qa:
        condition &= ~Q(content_type=ContentType.QA_PAIR)
    if filters.review:
        condition &= Q(governance_review_status__in=filters.review)
    if filters.freshness:
        condition &= any_of(
            freshness_condition(Freshness(each), today) for each in filters.freshness
        )
    condition &= _dates(filters, today) & _trust(filters)
    if filters.unread:
        condition &= ~Q(read_by(viewer))
    if not filters.include_superseded:
        condition &= Q(superseded_by=None)
    return condition


def any_of(conditions: Iterable[Q]) -> Q:
    return reduce(or_, conditions)


def read_by(viewer: Viewer) -> Exists:
    """Whether the viewer opened the item. (The model is looked up by name: it stands
    above this module.)"""
    marks = apps.get_model("kb", "ReadMark")._default_manager
    return Exists(marks.filter(item=OuterRef("pk"), user=viewer.user_id))


def _dates(filters: ItemFilters, today: date) -> Q:
    condition = Q()
    if filters.date_from:
        condition &= Q(content_changed_at__gte=start_of(filters.date_from))
    if filters.date_to:
        condition &= Q(content_changed_at__lt=_day_after(filters.date_to))
    if filters.changed_within is not None:
        since = today - timedelta(days=filters.changed_within)
        condition &= Q(content_changed_at__gte=start_of(since))
    if filters.due_within is not None:
        until = today + timedelta(days=filters.due_within)
        condition &= Q(next_review_date__lte=until)
    return condition


def _trust(filters: ItemFilters) -> Q:
    condition = Q()
    if filters.quality_min is not None:
        condition &= Q(quality_score__gte=filters.quality_min)
    if filters.verified is not None:
        condition &= Q(verified_at__isnull=not filters.verified)
    if filters.won is not None:
        condition &= Q(bids_won__gt=0) if filters.won else Q(bids_won=0)
    return condition


def start_of(day: date) -> datetime:
    """Midnight UTC at which `day` begins."""
    return datetime.combine(day, time.min, UTC)


def _day_after(day: date) -> datetime:
    return (
        start_of(day) + timedelta(days=1)
        if day < date.max
        else datetime.max.replace(tzinfo=UTC)
    )
