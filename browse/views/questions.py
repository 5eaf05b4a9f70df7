"""`/questions`: ask the owners, and the queue of what was asked."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from accounts.viewer import Viewer
from browse import questions
from browse.access import signed_in
from browse.bids import bid_of
from browse.cards import item_url
from browse.dialogs import done, show
from browse.models import Question
from browse.state import BrowseState
from browse.timeouts import page_reads
from core.errors import BadInput, RateLimited, Unavailable
from core.http import render_part
from core.text import clean
from search.service import PreviewQuery, preview, search, spend_search
from search.types import SearchQuery

QUEUE = "#questions"
_CANDIDATES = 8


@require_safe
@signed_in
def queue(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    shows = request.GET.get("show", "")
    if shows not in questions.KINDS:
        shows = "waiting" if viewer.can_edit else "asked"
    text = request.GET.get("skip", "")
    skip = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    with page_reads():
        found = questions.queue(viewer, shows, skip)
        context = {
            "queue": found,
            "can_edit": viewer.can_edit,
            "me": viewer.user_id,
            "older": skip + questions.PAGE if found.more else 0,
        }
        response = render_part(request, "browse/questions.html", context, "questions")
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def ask(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Put the words of a search to the owners of the library."""
    state = BrowseState.read(request.GET)
    if request.method != "POST":
        return _ask(request, state, state.q, "")
    text, note = request.POST.get("text", ""), request.POST.get("note", "")
    try:
        questions.ask(
            viewer,
            text,
            timezone.now(),
            note=note,
            domain=state.filters.domain[0] if len(state.filters.domain) == 1 else "",
            bid=bid_of(state.from_bid),
        )
    except BadInput as error:
        return _ask(request, state, text, note, error)
    said = "Asked. You are told on your home page when it is answered."
    return done(request, said, state.url(), target="#results", push=False)


@require_POST
@signed_in
def take(request: HttpRequest, viewer: Viewer, question_id: int) -> HttpResponse:
    if request.POST.get("on") == "false":
        questions.release(viewer, question_id)
        return _done(request, "Left to somebody else.")
    questions.take(viewer, question_id)
    return _done(request, "It is yours to answer.")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def answer(request: HttpRequest, viewer: Viewer, question_id: int) -> HttpResponse:
    viewer.require_editor()
    found = questions.question(viewer, question_id)
    if request.method != "POST":
        return _form(request, viewer, found, "answer")
    try:
        chosen = _item(request.POST.get("by", ""))
        note = request.POST.get("note", "")
        questions.answer(viewer, question_id, chosen, timezone.now(), note)
    except BadInput as error:
        return _form(request, viewer, found, "answer", error)
    return _done(request, f"Answered. {found.asked_by.display_name()} is told.")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def close(request: HttpRequest, viewer: Viewer, question_id: int) -> HttpResponse:
    viewer.require_editor()
    found = questions.question(viewer, question_id)
    if request.method != "POST":
        return _form(request, viewer, found, "close")
    try:
        note = request.POST.get("note", "")
        questions.close(viewer, question_id, timezone.now(), note)
    except BadInput as error:
        return _form(request, viewer, found, "close", error)
    return _done(request, f"Closed. {found.asked_by.display_name()} is told why.")


@require_POST
@signed_in
def seen(request: HttpRequest, viewer: Viewer, question_id: int) -> HttpResponse:
    """The asker has read the answer; on to the item, if there is one."""
    found = questions.mark_seen(viewer, question_id, timezone.now())
    if found.item_id and request.POST.get("open"):
        return HttpResponseRedirect(item_url(found.item_id, found.bid))
    return HttpResponseRedirect("/")


def _item(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadInput("Choose the item that answers.", field="item") from None


def _ask(
    request: HttpRequest,
    state: BrowseState,
    text: str,
    note: str,
    error: BadInput | None = None,
) -> HttpResponse:
    context = {
        "text": text,
        "note": note,
        "error": error,
        "action": request.get_full_path(),
        "back_url": state.url(),
    }
    return show(request, "browse/question_ask.html", context, 422 if error else 200)


def _form(
    request: HttpRequest,
    viewer: Viewer,
    found: Question,
    does: str,
    error: BadInput | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "question": found,
        "does": does,
        "error": error,
        "note": request.POST.get("note", ""),
        "action": request.path,
        "back_url": reverse("browse:questions"),
        "candidates": None,
    }
    if does == "answer":
        find = clean(request.GET.get("find", found.text)).strip()
        context |= {"find": find, "candidates": _candidates(viewer, find)}
    return show(request, "browse/question_close.html", context, 422 if error else 200)


def _candidates(viewer: Viewer, find: str) -> list[tuple[UUID, str]]:
    """Items near to the words; those that hold them where nothing else can look."""
    if not find:
        return []
    try:
        query = SearchQuery.of(find, limit=_CANDIDATES)
        spend_search(query, viewer)
        return [(hit.id, hit.item.title) for hit in search(query, viewer).hits]
    except (RateLimited, Unavailable):
        return [(row.id, row.title) for row in preview(PreviewQuery.of(find), viewer)]


def _done(request: HttpRequest, said: str) -> HttpResponse:
    url = reverse("browse:questions")
    return done(request, said, url, target=QUEUE, push=False)
