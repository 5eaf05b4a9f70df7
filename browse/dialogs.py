"""Forms that open in a dialog, and stand on a page of their own without JavaScript."""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.cache import patch_cache_control
from django_htmx.http import trigger_client_event

from core.http import is_htmx, render_part

# The one dialog of every page (base.html), which such forms are loaded into.
DIALOG = "dialog"


def show(
    request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The form, alone for htmx. A wrong entry is answered with 422, and the form."""
    response = render_part(request, template, context, DIALOG)
    response.status_code = status
    patch_cache_control(response, private=True, no_store=True)
    return response


def done(
    request: HttpRequest,
    said: str,
    url: str,
    *,
    target: str,
    undo_url: str = "",
    push: bool = True,
) -> HttpResponse:
    """After a change: say so, close the dialog and show `url`, in place if htmx asked,
    where `target` is the region that its part replaces."""
    # A toast's Undo travels with the message, over a redirect too.
    messages.success(request, said, extra_tags=undo_url)
    if not is_htmx(request):
        return HttpResponseRedirect(url)
    response = HttpResponse()
    response["HX-Location"] = json.dumps(
        {
            "path": url,
            "target": target,
            "swap": "outerHTML show:none",
            "push": str(push).lower(),
        }
    )
    return trigger_client_event(response, "closeDialog", {"value": DIALOG})
