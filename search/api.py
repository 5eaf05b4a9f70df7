"""HTTP API of search: translates to and from `search.service`."""

import time
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import ItemFilters
from search import limits, log, present, schema
from search.enums import Source
from search.navigation_api import IndexView
from search.preview import PreviewQuery, preview
from search.sections import SectionQuery, search_sections
from search.service import search
from search.types import SearchQuery

# Fields of the body that are not filters.
SEARCH_FIELDS = (
    "query",
    "similar_to",
    "threshold",
    "limit",
    "offset",
    "mode",
    "facets",
)


def viewer_of(request: Request) -> Viewer:
    assert isinstance(request.user, User)  # noqa: S101 - IsAuthenticated saw to it
    return request.user.viewer()


def body_of(request: Request) -> dict[str, Any]:
    body = request.data
    if not isinstance(body, dict):
        raise BadInput("The body must be a JSON object.")
    return body


class SearchView(IndexView):
    @extend_schema(
        operation_id="search",
        tags=["Search"],
        request=schema.SearchRequestSerializer,
        responses=schema.responses(
            schema.SearchAnswerSerializer, 400, 401, 403, 429, 500, 503
        ),
    )
    def post(self, request: Request) -> Response:
        """Hybrid search: by meaning and by words, with why each hit ranks there.

        At most 30 a minute, together with the page, assistants and sections; further
        pages of a query are free.
        """
        viewer = viewer_of(request)
        query = read_query(body_of(request))
        limits.spend_search(query, viewer)
        results = search(query, viewer)
        search_id = log.record(log.Entry.of(results), Source.API, viewer)
        return Response(present.answer(results) | {"search_id": search_id})


def read_query(body: dict[str, Any]) -> SearchQuery:
    fields = {name: body.get(name) for name in SEARCH_FIELDS}
    filters = {k: v for k, v in body.items() if k not in SEARCH_FIELDS}
    return SearchQuery.of(
        fields.pop("query"), filters=ItemFilters.from_params(filters), **fields
    )


class SectionsView(APIView):
    @extend_schema(
        operation_id="search_sections",
        tags=["Search"],
        request=schema.SectionsRequestSerializer,
        responses=schema.responses(
            schema.SectionsAnswerSerializer, 400, 401, 403, 429, 500, 503
        ),
    )
    def post(self, request: Request) -> Response:
        """Search among sections: the passages nearest in meaning."""
        viewer = viewer_of(request)
        query = SectionQuery.of(body_of(request))
        limits.spend_sections(viewer)
        started = time.perf_counter()
        hits = search_sections(query, viewer)
        took = (time.perf_counter() - started) * 1000
        log.record(log.Entry.of_sections(query, hits, took), Source.API, viewer)
        return Response(present.sections_answer(hits))


class PreviewView(APIView):
    @extend_schema(
        operation_id="search_preview",
        tags=["Search"],
        parameters=[schema.PreviewRequestSerializer],
        responses=schema.responses(
            schema.PreviewAnswerSerializer, 400, 401, 429, 500, 503
        ),
    )
    def get(self, request: Request) -> Response:
        """Live preview: literal matches, titles first. At most 60 a minute."""
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
