"""Search among sections: the passage that answers, not the page it stands on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db.models import FloatField, Q, QuerySet, Value
from django.utils import timezone
from pgvector.django import CosineDistance

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.embedding import recipe as recipe_in_force
from kb.enums import ReviewStatus
from kb.filters import ItemFilters
from kb.models import ContentChunk, ContentItem
from search import ranking
from search.query_vectors import query_vector
from search.timeouts import Budget, search_transaction
from search.types import boolean, clamped, fraction, item_id, query_text, whole
from search.vocabulary import check_values

DEFAULT_LIMIT = 10
MAX_LIMIT = 30
DEFAULT_THRESHOLD = 0.3
MAX_DUE_DAYS = 365

# Fields of a request that are not filters.
SECTION_FIELDS = frozenset(
    {
        "query",
        "limit",
        "threshold",
        "content_item_id",
        "overdue_review",
        "review_due_within_days",
    }
)


@dataclass(frozen=True)
class SectionQuery:
    """`overdue_review` True keeps only items in review_overdue, False leaves them out;
    `review_due_within_days` keeps items whose next review is at most that far ahead."""

    text: str
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    threshold: float = DEFAULT_THRESHOLD
    item_id: UUID | None = None
    overdue_review: bool | None = None
    review_due_within_days: int | None = None
    filters: ItemFilters = field(default_factory=ItemFilters)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read a JSON body; `BadInput` names the field."""
        filters = {name: body[name] for name in body if name not in SECTION_FIELDS}
        threshold = fraction("threshold", body.get("threshold"))
        return cls(
            text=query_text(body.get("query")),
            limit=clamped("limit", body.get("limit"), DEFAULT_LIMIT, 1, MAX_LIMIT),
            threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
            item_id=item_id("content_item_id", body.get("content_item_id")),
            overdue_review=boolean("overdue_review", body.get("overdue_review")),
            review_due_within_days=_due_days(body.get("review_due_within_days")),
            filters=ItemFilters.from_params(filters),
        )

    def to_params(self) -> dict[str, list[str]]:
        """What narrows the search, as texts."""
        own = {
            "content_item_id": self.item_id,
            "overdue_review": self.overdue_review,
            "review_due_within_days": self.review_due_within_days,
        }
        return self.filters.to_params() | {
            name: [str(value).lower()]
            for name, value in own.items()
            if value is not None
        }


@dataclass(frozen=True)
class SectionHit:
    item: ContentItem
    heading_path: str
    text: str
    position: int
    similarity: float


def search_sections(
    query: SectionQuery, viewer: Viewer, now: datetime | None = None
) -> list[SectionHit]:
    """The nearest sections at or above the threshold, best first. Raises as
    `search.service.search` does."""
    now = now or timezone.now()
    budget = Budget(settings.SEARCH_STATEMENT_TIMEOUT_MS)
    recipe = recipe_in_force()
    with search_transaction(budget.quick_ms()):
        check_values(query.filters, viewer)
        _check_item(query.item_id, viewer)
    vector = query_vector(query.text)
    items = _items(query, viewer, now.date())
    with search_transaction(budget.left_ms()):
        distance: Any = CosineDistance("embedding", vector)
        if _few(items, query):
            # Adding zero keeps the planner from the approximate index.
            distance = distance + Value(0.0, output_field=FloatField())
        nearest: Any = (
            ContentChunk.objects.filter(recipe=recipe.name, item__in=items)
            .annotate(distance=distance)
            .order_by("distance")
            .select_related("item__primary_domain", "item__verified_by")
            .defer("embedding", "item__content", "item__summary_data")
        )
        return [
            SectionHit(
                item=chunk.item,
                heading_path=chunk.heading_path,
                text=chunk.text,
                position=chunk.position,
                similarity=1 - chunk.distance,
            )
            for chunk in nearest[query.offset : query.offset + query.limit]
            if 1 - chunk.distance >= query.threshold
        ]


def _check_item(item_id: UUID | None, viewer: Viewer) -> None:
    visible = ContentItem.objects.visible_to(viewer)
    if item_id and not visible.filter(pk=item_id).exists():
        raise BadInput("No item has this id.", field="content_item_id")


def _items(query: SectionQuery, viewer: Viewer, today: date) -> QuerySet[ContentItem]:
    visible = ContentItem.objects.visible_to(viewer).findable()
    items = visible.matching(query.filters, viewer, today)
    if query.item_id:
        items = items.filter(pk=query.item_id)
    if query.overdue_review is not None:
        overdue = Q(governance_review_status=ReviewStatus.REVIEW_OVERDUE)
        items = items.filter(overdue if query.overdue_review else ~overdue)
    if query.review_due_within_days is not None:
        until = today + timedelta(days=query.review_due_within_days)
        items = items.filter(next_review_date__lte=until)
    return items


def _few(items: QuerySet[ContentItem], query: SectionQuery) -> bool:
    narrowing = (query.overdue_review, query.review_due_within_days, query.item_id)
    if not query.filters and narrowing == (None, None, None):
        return False
    bounded = items.order_by().values("pk")[: ranking.EXACT_SCAN + 1]
    return bounded.count() <= ranking.EXACT_SCAN


def _due_days(value: object) -> int | None:
    if value is None:
        return None
    days = whole("review_due_within_days", value, 0)
    if not 1 <= days <= MAX_DUE_DAYS:
        raise BadInput(
            f"review_due_within_days must be 1 to {MAX_DUE_DAYS}.",
            field="review_due_within_days",
        )
    return days
