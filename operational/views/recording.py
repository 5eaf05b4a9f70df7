"""`/operational/record` and the queue of pastes that nothing fitted: for editors."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from accounts.viewer import Viewer
from core.errors import BadInput, HubError
from operational.access import signed_in
from operational.domain import misses, recording
from operational.forms import RecordForm
from operational.models import MissedPaste

PER_PAGE = 25


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def record(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    viewer.require_editor()
    miss = _miss(request)
    if request.method != "POST":
        new = recording.suggested(miss.text) if miss else recording.NewFailure()
        return _form(request, RecordForm.prefilled(new), miss)
    form = RecordForm(request.POST)
    if not form.is_valid():
        return _form(request, form, miss, status=400)
    try:
        made = recording.record(
            viewer, form.stated(), timezone.now(), miss_id=miss.pk if miss else None
        )
    except BadInput as error:
        form.add_error(
            error.field if error.field in form.fields else None, error.message
        )
        return _form(request, form, miss, status=400)
    messages.success(request, "Recorded. The next paste like it finds this page.")
    return HttpResponseRedirect(made.href)


@require_safe
@signed_in
def queue(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    pages = Paginator(misses.waiting(viewer), PER_PAGE)
    shown = pages.get_page(request.GET.get("page"))
    context = {"rows": shown, "days": misses.KEPT_DAYS, "area": "memory"}
    return _private(render(request, "operational/misses.html", context))


@require_POST
@signed_in
def close(request: HttpRequest, viewer: Viewer, miss_id: int) -> HttpResponse:
    slug = request.POST.get("slug", "").strip()
    if "slug" in request.POST and not slug:
        messages.error(request, "Say which failure it is: the end of its address.")
        return HttpResponseRedirect(reverse("operational:misses"))
    try:
        miss = misses.close(viewer, miss_id, timezone.now(), slug=slug)
    except HubError as error:
        if error.status != 404:
            raise
        messages.error(request, error.message)
    else:
        said = f"Closed as “{miss.recorded_as}”." if miss.recorded_as else "Dismissed."
        messages.success(request, said)
    return HttpResponseRedirect(reverse("operational:misses"))


def _miss(request: HttpRequest) -> MissedPaste | None:
    given = request.POST.get("miss") or request.GET.get("miss") or ""
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        return None
    return MissedPaste.objects.filter(pk=int(given)).first()


def _form(
    request: HttpRequest, form: RecordForm, miss: MissedPaste | None, status: int = 200
) -> HttpResponse:
    context = {"form": form, "miss": miss, "area": "memory"}
    return _private(render(request, "operational/record.html", context, status=status))


def _private(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, private=True, no_store=True)
    return response
