"""HTTP API of operational search: translates to and from `operational.service`."""

import json
from datetime import date
from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.viewer import Viewer
from core import caching
from core.errors import BadInput
from core.ratelimit import payer
from operational import limits
from operational.domain import versions
from operational.schema import ANSWER
from operational.service import operational_search
from operational.types import CONTEXTS, TYPES, OperationalQuery, to_json

FIELDS = ("q", "type", "context")
# How long a browser or proxy may use an answer without asking again.
FRESH_SECONDS = 60
# Raised when the same graph may answer otherwise.
ALGORITHM = 1

_BODY = {
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "type": {"enum": list(TYPES)},
        "context": {"enum": list(CONTEXTS)},
    },
    "required": ["q"],
    "additionalProperties": False,
}


class OperationalSearchView(APIView):
    def get_permissions(self) -> list[BasePermission]:
        return [AllowAny() if settings.OPERATIONAL_PUBLIC else IsAuthenticated()]

    @extend_schema(
        operation_id="operational_search",
        parameters=[
            OpenApiParameter("q", str, required=True),
            OpenApiParameter("type", str, enum=TYPES),
            OpenApiParameter("context", str, enum=CONTEXTS),
        ],
        responses={200: ANSWER, (400, "application/json"): dict},
    )
    def get(self, request: Request) -> Response:
        """What failed, how sure that is, the fix and how to prevent it."""
        viewer = _viewer(request)
        query = _query({name: request.query_params.get(name) for name in FIELDS})
        limits.spend_search(payer(request.META, viewer))
        today = timezone.now().date()
        tag = etag(query, viewer, versions.current(), today)
        if caching.is_known(request.headers.get("If-None-Match", ""), tag):
            return _kept(Response(status=304), viewer, tag)
        answer = operational_search(query, viewer, today)
        tag = etag(query, viewer, answer.version, today)
        return _kept(Response(to_json(answer)), viewer, tag)

    @extend_schema(
        operation_id="operational_search_paste",
        request={"application/json": _BODY},
        responses={200: ANSWER},
    )
    def post(self, request: Request) -> Response:
        """The same, for pastes that no address can hold."""
        viewer = _viewer(request)
        body = request.data
        if not isinstance(body, dict):
            raise BadInput("The body must be a JSON object.")
        for name in body:
            if name not in FIELDS:
                raise BadInput.unknown("field", str(name), FIELDS)
        query = _query(body)
        limits.spend_search(payer(request.META, viewer))
        response = Response(to_json(operational_search(query, viewer)))
        response["Cache-Control"] = "private, no-store"
        return response


class OperationalSchemaView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="operational_search_schema", responses={200: dict})
    def get(self, request: Request) -> Response:
        """The JSON Schema of the answer."""
        response = Response(ANSWER, content_type="application/schema+json")
        response["Cache-Control"] = "public, max-age=3600"
        return response


def etag(
    query: OperationalQuery, viewer: Viewer | None, version: int, today: date
) -> str:
    """Weak: the time an answer took is in it and not in this."""
    parts = (
        ALGORITHM,
        version,
        query.text,
        query.type,
        query.context,
        viewer is not None,
        today.isoformat(),
    )
    stated = json.dumps(parts).encode()
    return caching.weak_tag(stated)


def _kept(response: Response, viewer: Viewer | None, tag: str) -> Response:
    fresh = f"max-age={FRESH_SECONDS}"
    caching.keep(response, tag, public=viewer is None, how=fresh)
    return response


def _query(given: dict[str, Any]) -> OperationalQuery:
    return OperationalQuery.of(given.get("q"), given.get("type"), given.get("context"))


def _viewer(request: Request) -> Viewer | None:
    return request.user.viewer() if isinstance(request.user, User) else None
