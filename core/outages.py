"""Failures outside a view's own care are answered in plain words, never a trace."""

import logging
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from core.errors import HubError, RateLimited
from core.http import wants_json

log = logging.getLogger("hub.outage")

DATABASE_MESSAGE = "The database is not reachable. Nothing was lost. Try again shortly."
_PAGES = frozenset({400, 403, 404, 429, 500, 503})
_SAYS = {
    400: "The request cannot be understood.",
    403: "You may not do this.",
    404: "Nothing is here.",
    500: "Something went wrong. It has been logged.",
}


class OutageMiddleware:
    """Answers what views raise: `HubError`s with their own status, database failures
    as 500 with a safe message, the details only in the log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        if isinstance(exception, HubError):
            response = error_response(
                request, exception.status, exception.code, exception.message
            )
            if isinstance(exception, RateLimited):
                response["Retry-After"] = str(exception.retry_after)
            return response
        if isinstance(exception, DatabaseError | InterfaceError):
            log.error("database failure", exc_info=exception)
            return error_response(
                request, 500, "DATABASE_UNAVAILABLE", DATABASE_MESSAGE
            )
        return None


def error_response(
    request: HttpRequest, status: int, code: str, message: str
) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": message, "code": code}, status=status)
    template = f"errors/{status if status in _PAGES else 500}.html"
    body = render_to_string(template, {"message": message, "code": code})
    return HttpResponse(body, status=status)


# Handlers of config.urls: what Django itself refuses, and failures in middleware.


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 400, "BAD_REQUEST", _SAYS[400])


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 403, "FORBIDDEN", _SAYS[403])


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 404, "NOT_FOUND", _SAYS[404])


def server_error(request: HttpRequest) -> HttpResponse:
    return error_response(request, 500, "INTERNAL", _SAYS[500])


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    message = "This form is out of date. Go back, reload the page and try again."
    return error_response(request, 403, "CSRF", message)
