"""HTTP API of search: translates to and from `search.service`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import ItemFilters
from search import limits
from search.preview import PreviewQuery, preview
from search.service import search
from search.types import Hit, SearchQuery, SearchResults

# Fields of the body that are not filters.
_SEARCH_FIELDS = ("query", "threshold", "limit", "offset", "mode")


def viewer_of(request: Request) -> Viewer:
    assert isinstance(request.user, User)  # noqa: S101 - IsAuthenticated saw to it
    return request.user.viewer()


class ErrorSerializer(serializers.Serializer[Any]):
    error = serializers.CharField()
    code = serializers.CharField()
    field = serializers.CharField(required=False)


class HitSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField()
    content_type = serializers.CharField()
    primary_domain = serializers.CharField(allow_null=True)
    url = serializers.CharField()
    snippet = serializers.CharField(help_text="HTML, only <mark> in it")
    score = serializers.FloatField()
    relevance = serializers.FloatField()


class AnswerSerializer(serializers.Serializer[Any]):
    results = HitSerializer(many=True)
    count = serializers.IntegerField(help_text="results in this answer")
    total = serializers.IntegerField()
    total_is_exact = serializers.BooleanField()
    mode = serializers.CharField()
    weak = serializers.BooleanField(help_text="weak matches only")
    degraded = serializers.ListField(child=serializers.CharField())


class SearchView(APIView):
    @extend_schema(responses={200: AnswerSerializer, 400: ErrorSerializer})
    def post(self, request: Request) -> Response:
        """Hybrid search. Filters stand beside `query` in the body."""
        body = request.data
        if not isinstance(body, dict):
            raise BadInput("The body must be a JSON object.")
        viewer = viewer_of(request)
        query = read_query(body)
        limits.spend_search(query, viewer)
        return Response(answer(search(query, viewer)))


def read_query(body: dict[str, Any]) -> SearchQuery:
    fields = {name: body.get(name) for name in _SEARCH_FIELDS}
    filters = {k: v for k, v in body.items() if k not in _SEARCH_FIELDS}
    return SearchQuery.of(
        fields.pop("query"), filters=ItemFilters.from_params(filters), **fields
    )


def answer(results: SearchResults) -> dict[str, Any]:
    return {
        "results": [hit_json(hit) for hit in results.hits],
        "count": len(results.hits),
        "total": results.total,
        "total_is_exact": results.total_is_exact,
        "offset": results.query.offset,
        "limit": results.query.limit,
        "mode": results.mode.value,
        "weak": results.weak,
        "degraded": list(results.degraded),
        "took_ms": round(sum(results.timings_ms.values()), 1),
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    item = hit.item
    return {
        "id": str(hit.id),
        "title": item.title,
        "content_type": item.content_type,
        "primary_domain": item.primary_domain.name if item.primary_domain else None,
        "subtopic": item.subtopic,
        "layer": item.layer,
        "url": item.get_absolute_url(),
        "summary": item.summary,
        "snippet": hit.snippet,
        "section": hit.section,
        "score": round(hit.score, 6),
        "relevance": round(hit.relevance, 4),
        "similarity": round(hit.parts.cosine, 6),
        "pinned": hit.pinned,
        "why": why(hit),
        "review_status": item.governance_review_status,
        "next_review_date": item.next_review_date,
        "verified_at": item.verified_at,
        "verified_by": item.verified_by.display_name() if item.verified_by else None,
        "quality_score": item.quality_score,
        "superseded_by": str(item.superseded_by_id) if item.superseded_by_id else None,
        "content_changed_at": item.content_changed_at,
    }


def why(hit: Hit) -> dict[str, float]:
    """Each part's share of the score, as weighted; their sum times the win factor is
    the score."""
    parts, weights = hit.parts, hit.parts.weights
    return {
        "cosine": round(parts.cosine * weights.cosine, 6),
        "title": round(parts.title * weights.title, 6),
        "body": round(parts.body * weights.body, 6),
        "author": round(parts.author * weights.author, 6),
        "recency": round(parts.recency * weights.recency, 6),
        "win_factor": round(parts.win_factor, 6),
    }


class PreviewView(APIView):
    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, required=True),
            OpenApiParameter("limit", int),
        ],
        responses={400: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """Live preview: literal matches, titles first."""
        viewer = viewer_of(request)
        query = PreviewQuery.of(
            request.query_params.get("q"), request.query_params.get("limit")
        )
        limits.spend_preview(viewer)
        rows = preview(query, viewer)
        results = [
            {
                "id": str(row.id),
                "title": row.title,
                "content_type": row.content_type,
                "primary_domain": row.primary_domain,
            }
            for row in rows
        ]
        return Response({"results": results, "count": len(results)})
