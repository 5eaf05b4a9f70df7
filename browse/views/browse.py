"""`/browse`: the library in both modes."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bids import short_name
from browse.page import View, further, page, page_without_list
from browse.recents import remember
from browse.refusal import refused
from browse.state import BrowseState, url_without
from browse.timeouts import LibrarySlow
from core.errors import BadInput, HubError, RateLimited, Unavailable
from core.http import is_htmx, render_part

TEMPLATE = "browse/browse.html"
MODES = ("cards", "rows")
_YEAR = 31_536_000


@require_safe
@signed_in
def browse(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    mode = request.GET.get("view", "")
    if mode in MODES and not is_htmx(request):
        response: HttpResponse = HttpResponseRedirect(url_without(request.GET, "view"))
        return _remembered(response, mode)
    try:
        response = _answer(request, viewer)
    except BadInput as error:
        return _bad_input(request, viewer, error)
    if is_htmx(request):
        # A part must never be what Back finds under the address of the page.
        patch_cache_control(response, no_store=True)
    else:
        patch_cache_control(response, private=True, no_cache=True)
    return _remembered(response, mode) if mode in MODES else response


def _answer(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    state, view, now = BrowseState.read(request.GET), _view(request), timezone.now()
    if is_htmx(request) and (state.cursor or state.offset):
        found, bid = further(state, viewer, now)
        context = {
            "found": found,
            "view": view,
            "state": state,
            "bid_name": short_name(bid),
        }
        response = render_part(request, TEMPLATE, context, "further")
        response["HX-Replace-Url"] = found.here_url
        return response
    try:
        shown = page(state, viewer, now, view)
    except LibrarySlow:
        raise  # the page around the list would wait for the same
    except (RateLimited, Unavailable) as error:
        return _failed(request, state, viewer, view, error)
    if state.searching and request.method == "GET" and state == state.but():
        remember(viewer, state.q, now)
    response = render_part(request, TEMPLATE, {"page": shown}, "results")
    if is_htmx(request):
        response["HX-Push-Url"] = state.url()
    return response


def _failed(
    request: HttpRequest,
    state: BrowseState,
    viewer: Viewer,
    view: View,
    error: HubError,
) -> HttpResponse:
    """The page with what was entered, and what to do. Under a rate limit a part of a
    page stays as it was, so htmx gets the status alone."""
    if is_htmx(request) and isinstance(error, RateLimited):
        response = HttpResponse()
    else:
        shown = page_without_list(state, viewer, timezone.now(), view, error)
        response = render_part(request, TEMPLATE, {"page": shown}, "results")
        response["HX-Reswap"] = "outerHTML"
    if isinstance(error, RateLimited):
        response["Retry-After"] = str(error.retry_after)
    response.status_code = error.status
    return response


def _bad_input(request: HttpRequest, viewer: Viewer, error: BadInput) -> HttpResponse:
    """Says which value cannot be read, and offers the page without it."""
    refusal = refused(error, request.GET, viewer)
    context = {"refusal": refusal, "q": request.GET.get("q", "")}
    return render(request, "browse/bad_input.html", context, status=400)


def _view(request: HttpRequest) -> View:
    mode = request.GET.get("view") or request.COOKIES.get("kb-view-mode", "")
    return View(
        rows=mode == "rows",
        hide_thumbnails=request.COOKIES.get("kb-hide-thumbnails") == "true",
        focus=getattr(request.user, "primary_focus", ""),
    )


def _remembered(response: HttpResponse, mode: str) -> HttpResponse:
    response.set_cookie(
        "kb-view-mode",
        mode,
        max_age=_YEAR,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response
