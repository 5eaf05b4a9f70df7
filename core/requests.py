"""The outermost middleware: every request has an id, in its logs and its answer."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from core.logs import request_id

log = logging.getLogger("hub.request")

_SAFE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})


def id_of(given: str) -> str:
    """A proxy's X-Request-ID when it is well formed, else a new one."""
    return given if _SAFE_ID.fullmatch(given) else uuid.uuid4().hex


def note(method: str, path: str, status: int, started: float) -> None:
    """The access line. It holds the path and never the query string: pastes and
    searches are people's words."""
    if path not in _QUIET:
        log.info(
            "request",
            extra={
                "method": method,
                "path": path[:200],
                "status": status,
                "ms": round((time.perf_counter() - started) * 1000, 1),
            },
        )


class RequestIdMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        rid = id_of(request.headers.get("X-Request-ID", ""))
        token = request_id.set(rid)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            note(str(request.method), request.path, response.status_code, started)
        finally:
            request_id.reset(token)
        response["X-Request-ID"] = rid
        return response
