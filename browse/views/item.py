"""`/items/<id>`: one item, and citing it in the bid one answers for."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bids import bid_of
from browse.cards import item_url
from browse.item_page import bid_named, item_page
from browse.state import BrowseState
from browse.timeouts import page_reads
from core.errors import BadInput
from core.http import is_htmx, render_part
from kb.domain.citations import cite as cite_item
from kb.domain.reading import mark_read
from search.service import record_click

# The search whose result led here, as its line in the log.
_FROM_SEARCH = "from_search"


@require_safe
@signed_in
def item(request: HttpRequest, viewer: Viewer, item_id: UUID) -> HttpResponse:
    if _FROM_SEARCH in request.GET:
        return _from_search(request, viewer, item_id)
    now, asked = timezone.now(), request.GET.get("from_bid", "")
    with page_reads():
        bid = bid_named(asked)
        shown = item_page(item_id, viewer, now.date(), bid)
        if _opened(request):
            mark_read(viewer, item_id, now)
    context = {"page": shown, "stale_bid": bool(asked and bid is None)}
    response = render_part(request, "browse/item.html", context, "item")
    patch_cache_control(
        response, private=True, no_cache=True, no_store=is_htmx(request)
    )
    return response


@require_POST
@signed_in
def cite(request: HttpRequest, viewer: Viewer, item_id: UUID) -> HttpResponse:
    """Cite the item in the bid of `from_bid`; twice changes nothing."""
    bid = bid_of(BrowseState.read(request.GET).from_bid)
    if bid is None:
        raise BadInput("Say in which bid to cite it.", field="from_bid")
    citation = cite_item(viewer, item_id, workspace=bid)
    said = f"Cited in {bid}."
    if citation.item_id != item_id:
        said = f"{citation.item.title}, which replaced it, is cited in {bid}."
    if getattr(request, "htmx", None):
        response = HttpResponse(status=204)
        return trigger_client_event(response, "toast", {"value": said})
    messages.success(request, said)
    return HttpResponseRedirect(item_url(item_id, bid))


def _from_search(request: HttpRequest, viewer: Viewer, item_id: UUID) -> HttpResponse:
    """Note the click, and leave an address that says nothing of the search: it is the
    one to copy, and to come back to."""
    if _opened(request):
        record_click(request.GET[_FROM_SEARCH], item_id, viewer)
    left = request.GET.copy()
    del left[_FROM_SEARCH]
    query = left.urlencode()
    response = HttpResponseRedirect(
        f"{request.path}?{query}" if query else request.path
    )
    patch_cache_control(response, private=True, no_store=True)
    return response


def _opened(request: HttpRequest) -> bool:
    return request.method == "GET" and not _prefetched(request)


def _prefetched(request: HttpRequest) -> bool:
    """Nobody has read what a browser or htmx only loads ahead."""
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get(
        "Purpose", ""
    )
    return "prefetch" in purpose or request.headers.get("HX-Preloaded") == "true"
