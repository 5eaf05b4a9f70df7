"""`/bids/<id>`: a question at hand, an answer that saves itself, the library beside."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bid_page import (
    BidPage,
    bid_or_404,
    bid_page,
    find,
    question_or_404,
    whole,
)
from browse.timeouts import page_reads
from core.errors import BadInput, Conflict, RateLimited
from core.http import is_htmx
from core.text import clean
from kb.domain import responses
from kb.models import FormQuestion, FormResponse
from search.types import item_id

TEMPLATE = "browse/bids/bid.html"


@require_safe
@signed_in
def bid(request: HttpRequest, viewer: Viewer, bid_id: int) -> HttpResponse:
    question = whole("question", request.GET.get("question", ""))
    here, now = bid_or_404(bid_id), timezone.now()
    words, mode = (
        clean(request.GET.get("find", "")).strip(),
        request.GET.get("mode", ""),
    )
    found = find(words, viewer, now, here, mode) if words else None
    with page_reads():
        shown = bid_page(here, viewer, now.date(), question, found)
    response = _part(request, shown, "found")
    if found and found.problem:
        response.status_code = found.problem.status
        response["HX-Reswap"] = "outerHTML"
        if isinstance(found.problem, RateLimited):
            response["Retry-After"] = str(found.problem.retry_after)
    patch_cache_control(response, private=True, no_store=True)
    return response


@require_POST
@signed_in
def save(
    request: HttpRequest, viewer: Viewer, bid_id: int, question_id: int
) -> HttpResponse:
    question = question_or_404(bid_id, question_id)
    text, seen = _typed(request), _seen(request)
    try:
        responses.answer(viewer, question, text, timezone.now(), seen=seen)
    except Conflict:
        return _conflict(request, viewer, question, text, seen)
    return _saved(request, viewer, question, "state", "Answer saved.")


@require_POST
@signed_in
def insert(
    request: HttpRequest, viewer: Viewer, bid_id: int, question_id: int
) -> HttpResponse:
    """Put an item's text below what is typed, save both, and cite it."""
    question, now = question_or_404(bid_id, question_id), timezone.now()
    text, seen = _typed(request), _seen(request)
    try:
        responses.insert(viewer, question, _item(request), text, now, seen=seen)
    except Conflict:
        return _conflict(request, viewer, question, text, seen)
    return _saved(request, viewer, question, "answer", "Inserted and cited.")


@require_POST
@signed_in
def cite(
    request: HttpRequest, viewer: Viewer, bid_id: int, question_id: int
) -> HttpResponse:
    """Cite an item in the answer; what is typed is saved too, so that no script is
    needed to keep it."""
    question, now = question_or_404(bid_id, question_id), timezone.now()
    text, seen = _typed(request), _seen(request)
    try:
        responses.answer(viewer, question, text, now, seen=seen)
    except Conflict:
        return _conflict(request, viewer, question, text, seen)
    responses.cite_in_answer(viewer, question, _item(request), now.date())
    return _saved(request, viewer, question, "answer", "Cited in this answer.")


def _saved(
    request: HttpRequest, viewer: Viewer, question: FormQuestion, part: str, said: str
) -> HttpResponse:
    shown = _shown(viewer, question, saved=True)
    if not is_htmx(request):
        messages.success(request, said)
        return HttpResponseRedirect(shown.here_url)
    response = _part(request, shown, part, with_rest=True)
    if part == "answer":
        trigger_client_event(response, "toast", {"value": said})
    return response


def _conflict(
    request: HttpRequest, viewer: Viewer, question: FormQuestion, text: str, seen: str
) -> HttpResponse:
    """What is typed stays, what is stored stands beside it, and a person decides."""
    stored = FormResponse.objects.select_related("author").get(question=question)
    shown = _shown(viewer, question, text=text, seen=seen, conflict=stored)
    response = _part(request, shown, "state")
    response.status_code = Conflict.status
    response["HX-Retarget"] = "#answer-state"
    response["HX-Reswap"] = "outerHTML"
    return response


def _shown(viewer: Viewer, question: FormQuestion, **answer: Any) -> BidPage:
    today = timezone.now().date()
    return bid_page(question.workspace, viewer, today, question.pk, **answer)


def _part(
    request: HttpRequest, shown: BidPage, part: str, *, with_rest: bool = False
) -> HttpResponse:
    name = f"{TEMPLATE}#{part}" if is_htmx(request) else TEMPLATE
    response = render(request, name, {"page": shown, "with_rest": with_rest})
    response["Vary"] = "HX-Request"
    return response


def _typed(request: HttpRequest) -> str:
    if "text" not in request.POST:
        raise BadInput("Send the answer as text.", field="text")
    return request.POST["text"].replace("\r\n", "\n")


def _seen(request: HttpRequest) -> str:
    """The version one wrote upon; `over` is the one that is knowingly replaced."""
    return request.POST.get("over") or request.POST.get("seen", "")


def _item(request: HttpRequest) -> UUID:
    item = item_id("item", request.POST.get("item", ""))
    if item is None:
        raise BadInput("Say which item.", field="item")
    return item
