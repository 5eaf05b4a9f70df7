"""`/`: the front page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.home import home
from browse.timeouts import page_reads


@require_safe
@signed_in
def front(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    with page_reads():
        shown = home(viewer, timezone.now().date())
    response = render(request, "browse/home.html", {"page": shown})
    patch_cache_control(response, private=True, no_cache=True)
    return response
