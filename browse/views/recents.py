"""`/recents/clear`: forget one's last searches."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.viewer import Viewer
from browse import recents
from browse.access import signed_in


@require_POST
@signed_in
def clear(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    recents.forget(viewer)
    if request.headers.get("X-Requested-With") == "fetch":  # the search bar
        return HttpResponse(status=204)
    messages.success(request, "Recent searches cleared.")
    return HttpResponseRedirect("/settings#recent")
