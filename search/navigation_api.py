"""HTTP API of the navigation index: everything a caller may see, and the jump list."""

import json

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.viewer import Viewer
from core import caching, navigation
from core.errors import BadInput
from core.ratelimit import payer
from search import limits, schema


class _OpenWherePublic(APIView):
    """For people who have signed in and, where a room is public, for anybody."""

    def get_permissions(self) -> list[BasePermission]:
        is_open = self.request.method == "GET" and navigation.is_public()
        return [AllowAny() if is_open else IsAuthenticated()]


class IndexView(_OpenWherePublic):
    @extend_schema(
        operation_id="navigation_index",
        tags=["Navigation"],
        parameters=[OpenApiParameter("page", int, description="From 1 on")],
        responses=schema.responses(
            schema.EntrySerializer(many=True), 400, 401, 429, 500
        ),
    )
    def get(self, request: Request) -> Response:
        """Everything you may see, as a flat index of 1,000 entries a page.

        Items of the library and entities of operational memory, the newest first within
        each; never drafts. `Link` names the next page, `X-Total-Count` counts all.
        Searching is `POST` to the same address.
        """
        for name in request.query_params:
            if name != "page":
                raise BadInput(
                    "This lists everything and takes page alone. To search, POST "
                    '{"query": "…"} to the same address.',
                    field=name[:80],
                )
        number = navigation.read_page(request.query_params.get("page"))
        viewer = viewer_of(request)
        limits.spend_navigation(payer(request.META, viewer))
        page = navigation.page(viewer, number)
        rows = [entry.to_json() for entry in page.entries]
        tag = caching.weak_tag(json.dumps([rows, page.total]).encode())
        known = caching.is_known(request.headers.get("If-None-Match", ""), tag)
        response = Response(status=304) if known else Response(rows)
        response["X-Total-Count"] = str(page.total)
        response["Link"] = ", ".join(_links(page))
        caching.keep(response, tag, public=viewer is None, how="no-cache")
        return response


class JumpView(_OpenWherePublic):
    @extend_schema(
        operation_id="navigation_jump",
        tags=["Navigation"],
        parameters=[OpenApiParameter("q", str, description="Words of a title")],
        responses=schema.responses(schema.JumpAnswerSerializer, 400, 401, 429, 500),
    )
    def get(self, request: Request) -> Response:
        """The few entries of the index that fit words best; without any, the newest."""
        viewer = viewer_of(request)
        limits.spend_navigation(payer(request.META, viewer))
        found = navigation.find(viewer, request.query_params.get("q", ""))
        rows = [entry.to_json() for entry in found]
        response = Response({"results": rows, "count": len(rows)})
        response["Cache-Control"] = "private, no-store"
        return response


def viewer_of(request: Request) -> Viewer | None:
    return request.user.viewer() if isinstance(request.user, User) else None


def _links(page: navigation.Page) -> list[str]:
    others = {"first": 1, "last": page.pages}
    if page.number > 1:
        others["prev"] = page.number - 1
    if page.number < page.pages:
        others["next"] = page.number + 1
    return [f'</api/search?page={n}>; rel="{name}"' for name, n in others.items()]
