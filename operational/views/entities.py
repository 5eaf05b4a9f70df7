"""Lists of entities, the page of each, and what people tell there."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from accounts.viewer import Viewer
from core.errors import BadInput
from core.http import is_htmx
from operational.access import anybody, signed_in
from operational.domain import feedback, fixes
from operational.enums import EntityType
from operational.pages.entity import entity_page, find
from operational.pages.lists import listing

_ANSWERS = {"yes": True, "no": False}


@require_safe
@anybody
def entities(
    request: HttpRequest, viewer: Viewer | None, entity_type: str
) -> HttpResponse:
    shown = listing(EntityType(entity_type), request.GET, viewer)
    return _page(request, "operational/list.html", {"list": shown})


@require_safe
@anybody
def entity(
    request: HttpRequest, viewer: Viewer | None, entity_type: str, slug: str
) -> HttpResponse:
    found = find(entity_type, slug, viewer)
    if found.slug != slug:
        return HttpResponseRedirect(found.href)
    shown = entity_page(found, viewer, timezone.now().date())
    return _page(request, "operational/entity.html", {"page": shown})


@require_POST
@signed_in
def outcome(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """ "This fixed it", "this did not": once a day, the last word holds."""
    worked = _ANSWERS.get(request.POST.get("worked", ""))
    if worked is None:
        raise BadInput("Say whether it worked: yes or no.", field="worked")
    found, now = find(EntityType.FAILURE, slug, viewer), timezone.now()
    note = request.POST.get("note", "")
    feedback.tell(viewer, found.pk, worked=worked, note=note, now=now)
    if is_htmx(request):
        shown = entity_page(found, viewer, now.date())
        context = {"page": shown, "told": True}
        response = render(request, "operational/_outcome.html", context)
        patch_cache_control(response, private=True, no_store=True)
        return response
    said = "it worked" if worked else "it did not work"
    messages.success(request, f"Recorded: {said}.")
    return HttpResponseRedirect(found.href)


@require_POST
@signed_in
def verify(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    found = find(EntityType.FAILURE, slug, viewer)
    fixes.verify(viewer, found.pk, timezone.now())
    messages.success(request, "The fix is verified.")
    return HttpResponseRedirect(found.href)


def _page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    response = render(request, template, {**context, "area": "memory"})
    patch_cache_control(response, private=True, no_cache=True)
    return response
