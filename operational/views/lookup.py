"""`/operational`: paste, and see the package. A paste is never part of an address."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods

from accounts.viewer import Viewer
from core.errors import BadInput, HubError, RateLimited
from core.http import is_htmx, render_part
from core.ratelimit import payer
from operational import limits
from operational.access import anybody
from operational.domain import misses
from operational.pages.lists import start
from operational.pages.package import Memory, nothing, package
from operational.service import OperationalQuery, operational_search

TEMPLATE = "operational/memory.html"


@require_http_methods(["GET", "HEAD", "POST"])
@anybody
def memory(request: HttpRequest, viewer: Viewer | None) -> HttpResponse:
    if request.method != "POST":
        return _page(request, Memory(start=start(viewer)))
    text, of_type = request.POST.get("q", ""), request.POST.get("type", "")
    try:
        query = OperationalQuery.of(text, of_type)
        if query.is_blank:
            raise BadInput("q is blank.", field="q")
        limits.spend_search(payer(request.META, viewer))
        return _page(request, _answered(query, viewer))
    except HubError as error:
        shown = Memory(
            start=start(viewer), problem=_problem(error), text=text, type=of_type
        )
        return _refused(request, shown, error)


def _answered(query: OperationalQuery, viewer: Viewer | None) -> Memory:
    now = timezone.now()
    answer = operational_search(query, viewer, now.date())
    found = package(answer, viewer)
    if found is not None:
        return Memory(query, package=found, text=query.text, type=query.type or "")
    # What is missing is worth keeping only from people of the hub.
    miss = misses.remember(query.text, now) if viewer else None
    return Memory(
        query,
        nothing=nothing(query, answer, viewer, miss),
        text=query.text,
        type=query.type or "",
    )


def _page(request: HttpRequest, shown: Memory) -> HttpResponse:
    response = render_part(
        request, TEMPLATE, {"memory": shown, "area": "memory"}, "package"
    )
    patch_cache_control(response, private=True, no_store=True)
    return response


def _refused(request: HttpRequest, shown: Memory, error: HubError) -> HttpResponse:
    """The page with what was entered, and what to do."""
    response = _page(request, shown)
    # htmx shows 422 in place; for the rest it would leave the page as it is.
    response.status_code = 422 if is_htmx(request) else error.status
    if isinstance(error, RateLimited):
        response.status_code = error.status
        response["Retry-After"] = str(error.retry_after)
    return response


def _problem(error: HubError) -> str:
    if isinstance(error, BadInput) and error.field == "q":
        return "Paste an error, a log or a symptom of at most a million characters."
    return error.message
