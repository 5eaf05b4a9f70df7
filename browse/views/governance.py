"""`/governance`: how the library stands, and what to mend first. For editors."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bid_page import whole
from browse.governance import dashboard, read_scope
from browse.timeouts import page_reads
from core.text import clean
from search.service import assign_gap


@require_safe
@signed_in
def governance(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    viewer.require_editor()
    scope = read_scope(request.GET.get("domain", ""), request.GET.get("owner", ""))
    fix = request.GET.get("fix", "")
    with page_reads():
        shown = dashboard(viewer, scope, fix, timezone.now())
    response = render(request, "browse/governance.html", {"board": shown})
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_POST
@signed_in
def gap(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Say who writes what people search for in vain; nobody sets it aside."""
    query = clean(request.POST.get("query", ""))[:2000]
    person = whole("person", request.POST.get("person", ""))
    made = assign_gap(viewer, query, person, timezone.now())
    who = made.assigned_to.display_name() if made.assigned_to else ""
    said = f"Assigned to {who}." if who else "Set aside until it is searched again."
    messages.success(request, said)
    return HttpResponseRedirect(f"{reverse('browse:governance')}#c-zero")
