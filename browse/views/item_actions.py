"""`/items/<id>/<action>`: dialogs over the item page."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods, require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.cards import item_url
from browse.dialogs import done, show
from browse.editing import visible
from browse.item_actions import ACTIONS, DECIDE, DECISIONS, Action
from browse.item_history import PAGE, changes_between, history, since
from browse.item_page import bid_named
from browse.similar import similar
from browse.timeouts import page_reads
from core.errors import BadInput, Conflict, HubError, NotFound
from core.text import clean
from kb.domain.cadence import next_review_date
from kb.domain.proposals import overlaid
from kb.models import ContentItem
from search.service import PreviewQuery, preview, spend_preview

ITEM = "#item"


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def act(
    request: HttpRequest, viewer: Viewer, item_id: UUID, action: str
) -> HttpResponse:
    chosen, item = ACTIONS[action], visible(viewer, item_id)
    if request.method == "POST":
        try:
            said = chosen.run(viewer, item_id, request.POST, timezone.now())
        except BadInput as error:
            return _ask(request, viewer, item, chosen, error)
        return _back(request, item, said)
    return _ask(request, viewer, item, chosen)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def decide(
    request: HttpRequest, viewer: Viewer, item_id: UUID, revision: int, decision: str
) -> HttpResponse:
    """What becomes of an edit that waits for approval."""
    item = visible(viewer, item_id)
    if not item.revisions.filter(pk=revision).exists():
        raise NotFound("This edit does not exist.")
    if request.method == "POST":
        try:
            said = DECIDE[decision](viewer, revision, request.POST, timezone.now())
        except (BadInput, Conflict) as error:
            return _ask_about(request, viewer, item, revision, decision, error)
        return _back(request, item, said)
    return _ask_about(request, viewer, item, revision, decision)


@require_safe
@signed_in
def past(request: HttpRequest, viewer: Viewer, item_id: UUID) -> HttpResponse:
    """The item's history, page by page."""
    item = ContentItem.objects.visible_to(viewer).filter(pk=item_id).first()
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    text = request.GET.get("skip", "")
    skip = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    with page_reads():
        context = {
            "item": item,
            "history": history(item, viewer, skip, PAGE),
            "skip": skip,
            "compared": since(item, viewer, request.GET.get("since", "")),
            "back_url": _url(request, item),
            "bid": bid_named(request.GET.get("from_bid", "")),
        }
        response = render(request, "browse/history.html", context)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _ask(
    request: HttpRequest,
    viewer: Viewer,
    item: ContentItem,
    action: Action,
    error: HubError | None = None,
) -> HttpResponse:
    today = timezone.now().date()
    context = _context(request, item, action, error)
    context["candidates"] = None
    if action.name == "review":
        context["next"] = next_review_date(item, today)
    if action.name == "replace":
        context |= _candidates(request, viewer, item)
    return show(request, "browse/action.html", context, 422 if error else 200)


def _ask_about(
    request: HttpRequest,
    viewer: Viewer,
    item: ContentItem,
    revision: int,
    decision: str,
    error: HubError | None = None,
) -> HttpResponse:
    waiting = item.revisions.get(pk=revision)
    context = _context(request, item, DECISIONS[decision], error)
    proposed = overlaid(ContentItem.objects.get(pk=item.pk), waiting.changes)
    context["changes"] = changes_between(item, proposed, viewer)
    context["over"] = isinstance(error, Conflict) and decision == "approve"
    return show(request, "browse/action.html", context, 422 if error else 200)


def _context(
    request: HttpRequest, item: ContentItem, action: Action, error: HubError | None
) -> dict[str, Any]:
    return {
        "item": item,
        "action": action,
        "hint": action.hint,
        "note_label": action.note,
        "error": error,
        "note": request.POST.get("note", ""),
        "action_url": request.get_full_path(),
        "back_url": _url(request, item),
    }


def _candidates(
    request: HttpRequest, viewer: Viewer, item: ContentItem
) -> dict[str, Any]:
    """Items to choose from: those that hold the words typed, else those alike."""
    find = clean(request.GET.get("find", "") or request.POST.get("find", "")).strip()
    if find:
        spend_preview(viewer)
        rows = preview(PreviewQuery.of(find), viewer)
        found = [(row.id, row.title) for row in rows if row.id != item.pk]
    else:
        found = [(each.id, each.title) for each in similar(item.pk, viewer, None)]
    return {"find": find, "candidates": found}


def _back(request: HttpRequest, item: ContentItem, said: str) -> HttpResponse:
    return done(request, said, _url(request, item), target=ITEM, push=False)


def _url(request: HttpRequest, item: ContentItem) -> str:
    return item_url(item.pk, bid_named(request.GET.get("from_bid", "")))
