"""`/items/new` and `/items/<id>/edit`: writing, with a look at how it will read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.viewer import Viewer
from browse import editing, questions
from browse.access import signed_in
from browse.cards import item_url
from browse.editing import Clash, Editor
from browse.item_history import changes_between
from browse.item_page import bid_named
from browse.models import Question
from browse.timeouts import page_reads
from core import markdown
from core.errors import BadInput
from core.http import is_htmx
from core.text import clean
from kb.domain.proposals import overlaid
from kb.duplicates import LikelyDuplicate, likely_duplicates
from kb.enums import ContentType
from kb.models import ContentItem

TEMPLATE = "browse/edit.html"


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """A new item; one that answers a question closes it."""
    viewer.require_editor()
    asked = _question(request, viewer)
    if request.method != "POST":
        form = _begun(request, asked)
        return _page(request, viewer, editing.editor(viewer, None, form))
    form = editing.read(request.POST)
    if request.POST.get("look"):
        return _page(request, viewer, editing.editor(viewer, None, form), looks=True)
    try:
        made = editing.create(viewer, form, timezone.now(), asked)
    except BadInput as error:
        shown = editing.editor(viewer, None, form, error=error)
        return _page(request, viewer, shown, status=422)
    return _saved(request, made, "Saved. It is in review until somebody approves it.")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit(request: HttpRequest, viewer: Viewer, item_id: UUID) -> HttpResponse:
    if request.method != "POST":
        item, form, waiting = editing.opened(viewer, item_id)
        shown = editing.editor(viewer, item, form, waiting=waiting)
        return _page(request, viewer, shown)
    item = editing.visible(viewer, item_id)
    form = editing.read(request.POST)
    if request.POST.get("look"):
        return _page(request, viewer, editing.editor(viewer, item, form), looks=True)
    try:
        outcome = editing.save(viewer, item_id, form, timezone.now())
    except BadInput as error:
        shown = editing.editor(viewer, item, form, error=error)
        return _page(request, viewer, shown, status=422)
    if isinstance(outcome, Clash):
        again = replace(outcome.form, note=form.note)
        shown = editing.editor(viewer, item, again, clash=outcome)
        return _page(request, viewer, shown, status=409)
    return _saved(request, outcome.item, outcome.message)


@require_POST
@signed_in
def preview(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """How the text will read, for the editor's own pane."""
    viewer.require_editor()
    text = request.POST.get("content", "")
    response = render(request, "browse/_preview.html", {"body": markdown.render(text)})
    patch_cache_control(response, private=True, no_store=True)
    return response


@require_POST
@signed_in
def alike(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Items much like the one being written."""
    viewer.require_editor()
    context = {"near": _near(viewer, request.POST, _besides(request))}
    response = render(request, "browse/_near.html", context)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _page(
    request: HttpRequest,
    viewer: Viewer,
    shown: Editor,
    *,
    looks: bool = False,
    status: int = 200,
) -> HttpResponse:
    item, values = shown.item, shown.form.values
    context: dict[str, Any] = {
        "page": shown,
        "status": status,
        "looks": looks,
        "body": markdown.render(values["content"]) if looks else "",
        "changes": _changes(item, shown, viewer) if looks else [],
        "clashes": _clashes(shown, viewer),
        "back_url": _url(request, item) if item else "/browse",
    }
    with page_reads():
        besides = item.pk if item else None
        context["near"] = _near(viewer, values, besides)
    name = f"{TEMPLATE}#form" if is_htmx(request) else TEMPLATE
    response = render(request, name, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    patch_cache_control(response, private=True, no_store=True)
    if status != 200:
        response["HX-Reswap"] = "outerHTML show:top"
    return response


def _changes(item: ContentItem | None, shown: Editor, viewer: Viewer) -> Any:
    if item is None:
        return []
    return changes_between(item, _as_written(item, shown), viewer)


def _clashes(shown: Editor, viewer: Viewer) -> Any:
    """From their text to the writer's."""
    if shown.clash is None or shown.item is None:
        return []
    theirs = shown.clash.theirs
    return changes_between(theirs, _as_written(theirs, shown), viewer)


def _as_written(item: ContentItem, shown: Editor) -> ContentItem:
    return overlaid(item, {name: shown.form.values[name] for name in editing.TEXTS})


def _near(
    viewer: Viewer, values: Mapping[str, Any], besides: UUID | None
) -> list[LikelyDuplicate]:
    title, content = values.get("title", ""), values.get("content", "")
    return likely_duplicates(viewer, title, content, item_id=besides)


def _besides(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("item", ""))
    except ValueError:
        return None


def _question(request: HttpRequest, viewer: Viewer) -> Question | None:
    number = request.GET.get("question", "")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    return questions.question(viewer, int(number))


def _begun(request: HttpRequest, asked: Question | None) -> editing.Form:
    """It may begin with a title: the question that nobody could answer."""
    form = editing.blank()
    title = clean(asked.text if asked else request.GET.get("title", ""))
    values = {**form.values, "title": " ".join(title.split())[:500]}
    if asked:
        values["content_type"] = ContentType.QA_PAIR.value
    return editing.Form(values)


def _saved(request: HttpRequest, item: ContentItem, said: str) -> HttpResponse:
    messages.success(request, said)
    url = _url(request, item)
    if is_htmx(request):
        return HttpResponseClientRedirect(url)
    return HttpResponseRedirect(url)


def _url(request: HttpRequest, item: ContentItem) -> str:
    return item_url(item.pk, bid_named(request.GET.get("from_bid", "")))
