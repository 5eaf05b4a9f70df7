"""What the HTTP API takes and gives, for its OpenAPI description.

Requests are read by `SearchQuery.of`, `SectionQuery.of` and `ItemFilters.from_params`;
a test keeps these fields equal to theirs.
"""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers

from kb.enums import ContentType, Freshness, ReviewStatus
from kb.facets import COLUMNS
from kb.filters import MAX_LENGTH, MAX_VALUES
from search import sections
from search.preview import MAX_LIMIT as MAX_PREVIEW
from search.types import DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, MAX_QUERY, Mode

Serializer = serializers.Serializer[Any]


class ErrorSerializer(Serializer):
    error = serializers.CharField(help_text="What happened and what to do")
    code = serializers.CharField(help_text="Stable, for programs")
    field = serializers.CharField(required=False, help_text="What cannot be read")


_ERRORS = {
    400: ("BAD_INPUT", "Something cannot be read; `field` names it."),
    401: ("NOT_AUTHENTICATED", "No access token, no session, or not a valid one."),
    403: ("PERMISSION_DENIED", "A session without its CSRF token."),
    429: ("RATE_LIMITED", "Too many within a minute; `Retry-After` tells the wait."),
    500: ("DATABASE_UNAVAILABLE", "The database does not answer."),
    503: (
        "EMBEDDING_FAILED",
        "Not embedded (`EMBEDDING_FAILED`: keyword mode works) or `SEARCH_TIMEOUT`.",
    ),
}


def responses(
    answer: type[Serializer] | Serializer, *statuses: int
) -> dict[int, type[Serializer] | Serializer | OpenApiResponse]:
    """The answer, and the errors with these statuses."""
    refused = {
        status: OpenApiResponse(
            ErrorSerializer,
            _ERRORS[status][1],
            [
                OpenApiExample(
                    _ERRORS[status][0],
                    {"error": _ERRORS[status][1], "code": _ERRORS[status][0]},
                )
            ],
        )
        for status in statuses
    }
    return {200: answer, **refused}


def _texts(help_text: str) -> Any:
    return serializers.ListField(
        child=serializers.CharField(max_length=MAX_LENGTH),
        max_length=MAX_VALUES,
        required=False,
        help_text=help_text,
    )


def _choices(values: Sequence[tuple[str, str]], help_text: str) -> Any:
    return serializers.ListField(
        child=serializers.ChoiceField(list(values)),
        max_length=MAX_VALUES,
        required=False,
        help_text=help_text,
    )


def _number(low: int, high: int, help_text: str, default: Any = None) -> Any:
    values: dict[str, Any] = {"required": False} if default is None else {}
    if default is not None:
        values["default"] = default
    return serializers.IntegerField(
        min_value=low, max_value=high, help_text=help_text, **values
    )


class FiltersSerializer(Serializer):
    """Values of one filter are alternatives; different filters all hold. A single
    value need not be a list."""

    domain = _texts("Names of domains, any case")
    subtopic = _texts("Any case")
    content_type = _choices(ContentType.choices, "Types")
    platform = _texts("Any case")
    author = _texts("Names of authors, any case")
    source = _texts("Where items come from, any case")
    layer = _texts("Any case")
    freshness = _choices(Freshness.choices, "By the last change or review")
    review = _choices(ReviewStatus.choices, "States of review")
    date_from = serializers.DateField(required=False, help_text="Changed on or after")
    date_to = serializers.DateField(required=False, help_text="Changed on or before")
    changed_within = _number(1, 3650, "Changed within so many days")
    due_within = _number(0, 3650, "Review due within so many days, or overdue")
    quality_min = _number(0, 100, "Least quality score")
    verified = serializers.BooleanField(required=False)
    won = serializers.BooleanField(required=False, help_text="Cited in a bid won")
    unread = serializers.BooleanField(default=False, help_text="Not opened by you")
    include_qa = serializers.BooleanField(default=True)
    include_superseded = serializers.BooleanField(default=False)


class SearchRequestSerializer(FiltersSerializer):
    query = serializers.CharField(
        max_length=MAX_QUERY,
        required=False,
        help_text="What is looked for; required unless `similar_to` is given",
    )
    similar_to = serializers.UUIDField(
        required=False, help_text="Items like this one, by its own vector"
    )
    threshold = serializers.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="Least cosine; the default belongs to the embedding model (0.35)",
    )
    limit = _number(1, MAX_LIMIT, "Clamped", DEFAULT_LIMIT)
    offset = _number(0, MAX_OFFSET, "Clamped", 0)
    mode = serializers.ChoiceField(
        [each.value for each in Mode],
        default=Mode.HYBRID.value,
        help_text="`keyword` needs no embedding",
    )
    facets = serializers.BooleanField(
        default=False, help_text="Count the matches, each filter under the others"
    )


class SectionsRequestSerializer(FiltersSerializer):
    query = serializers.CharField(max_length=MAX_QUERY)
    threshold = serializers.FloatField(
        min_value=0, max_value=1, default=sections.DEFAULT_THRESHOLD
    )
    limit = _number(1, sections.MAX_LIMIT, "Clamped", sections.DEFAULT_LIMIT)
    content_item_id = serializers.UUIDField(
        required=False, help_text="Only sections of this item"
    )
    overdue_review = serializers.BooleanField(
        required=False,
        help_text="true: only items whose review is overdue; false: none of them",
    )
    review_due_within_days = _number(
        1, sections.MAX_DUE_DAYS, "Next review at most so many days ahead"
    )


class ItemSerializer(Serializer):
    id = serializers.UUIDField()
    title = serializers.CharField()
    content_type = serializers.ChoiceField(ContentType.choices)
    primary_domain = serializers.CharField(allow_null=True)
    subtopic = serializers.CharField()
    layer = serializers.CharField()
    url = serializers.CharField(help_text="Path of the item's page")
    review_status = serializers.ChoiceField(ReviewStatus.choices)
    next_review_date = serializers.DateField(allow_null=True)
    verified_at = serializers.DateTimeField(allow_null=True)
    verified_by = serializers.CharField(allow_null=True)
    quality_score = serializers.IntegerField(min_value=0, max_value=100)
    superseded_by = serializers.UUIDField(
        allow_null=True, help_text="The item now in use instead of it"
    )
    superseded_reason = serializers.CharField(allow_null=True)
    content_changed_at = serializers.DateTimeField()


class WhySerializer(Serializer):
    """Each part's share of the score; their sum times `win_factor` is the score."""

    cosine = serializers.FloatField()
    title = serializers.FloatField()
    body = serializers.FloatField()
    author = serializers.FloatField()
    recency = serializers.FloatField()
    win_factor = serializers.FloatField()


class HitSerializer(ItemSerializer):
    summary = serializers.CharField()
    snippet = serializers.CharField(help_text="HTML with no other tag than <mark>")
    section = serializers.CharField(help_text="Heading path of the snippet")
    score = serializers.FloatField(help_text="0 to 1, then times the win factor")
    relevance = serializers.FloatField(min_value=0, max_value=1)
    similarity = serializers.FloatField(help_text="Cosine")
    pinned = serializers.CharField(
        allow_null=True, help_text="Why it stands before the score, if it does"
    )
    why = WhySerializer()


class FacetValueSerializer(Serializer):
    value = serializers.CharField()
    count = serializers.IntegerField()


# Named `Facets` in the description; its fields are the filters that are counted.
FacetsSerializer = type(
    "FacetsSerializer",
    (serializers.Serializer,),
    {name: FacetValueSerializer(many=True) for name in COLUMNS},
)


class SearchAnswerSerializer(Serializer):
    results = HitSerializer(many=True)
    count = serializers.IntegerField(help_text="Results in this answer")
    total = serializers.IntegerField(help_text="Matches")
    total_is_exact = serializers.BooleanField(help_text="False: there may be more")
    offset = serializers.IntegerField()
    limit = serializers.IntegerField()
    mode = serializers.ChoiceField([each.value for each in Mode])
    weak = serializers.BooleanField(help_text="Weak matches only")
    degraded = serializers.ListField(
        child=serializers.CharField(), help_text="What was done with less"
    )
    took_ms = serializers.FloatField()
    search_id = serializers.IntegerField(
        allow_null=True, help_text="Of the line in the log, if one was written"
    )
    facets = FacetsSerializer(required=False, help_text="When asked for")


class SectionSerializer(Serializer):
    item = ItemSerializer()
    heading_path = serializers.CharField(help_text="Such as `Backups › Restore`")
    text = serializers.CharField(help_text="Markdown")
    position = serializers.IntegerField()
    similarity = serializers.FloatField(help_text="Cosine")


class SectionsAnswerSerializer(Serializer):
    results = SectionSerializer(many=True)
    count = serializers.IntegerField()


class PreviewRequestSerializer(Serializer):
    q = serializers.CharField(
        max_length=MAX_QUERY, help_text="Literal; 1 or 2 characters match titles only"
    )
    limit = _number(1, MAX_PREVIEW, "Above the maximum: clamped", 8)


class PreviewRowSerializer(Serializer):
    id = serializers.UUIDField()
    title = serializers.CharField()
    content_type = serializers.ChoiceField(ContentType.choices)
    primary_domain = serializers.CharField(allow_null=True)


class EntrySerializer(Serializer):
    """One page of the hub, of whatever kind."""

    id = serializers.CharField(help_text="Of the item, or type:slug")
    title = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    section = serializers.CharField(help_text="library, or the type of an entity")
    sectionLabel = serializers.CharField(help_text="The section, for people")  # noqa: N815
    slug = serializers.CharField(allow_blank=True)
    href = serializers.CharField(help_text="A path")
    tags = serializers.ListField(child=serializers.CharField())
    date = serializers.DateTimeField(help_text="Of the last change")


class JumpAnswerSerializer(Serializer):
    results = EntrySerializer(many=True)
    count = serializers.IntegerField(help_text="Results in this answer")


class PreviewAnswerSerializer(Serializer):
    results = PreviewRowSerializer(many=True)
    count = serializers.IntegerField()
