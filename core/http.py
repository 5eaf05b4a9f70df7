"""Helpers of views: whole page or named part of it, and what the client wants."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

# Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


def is_htmx(request: HttpRequest) -> bool:
    """Whether htmx asks for a part; a history restore wants the whole page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.history_restore_request


def wants_json(request: HttpRequest) -> bool:
    return (
        f"{request.path}/".startswith("/api/") or request.accepts("text/html") is False
    )


def render_part(
    request: HttpRequest, template: str, context: dict[str, Any], part: str
) -> HttpResponse:
    """Render `template`, or only its partial named `part` when htmx asks."""
    name = f"{template}#{part}" if is_htmx(request) else template
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
