"""Every page of this room is for people who have signed in."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django_htmx.http import HttpResponseClientRedirect

from accounts.middleware import viewer_of
from accounts.viewer import Viewer
from core.http import SAFE

P = ParamSpec("P")


def signed_in(
    view: Callable[Concatenate[HttpRequest, Viewer, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Hand the view its `Viewer`; anyone else is sent to sign in and back again."""

    @wraps(view)
    def wrapper(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        viewer = viewer_of(request)
        if viewer is not None:
            return view(request, viewer, *args, **kwargs)
        htmx = getattr(request, "htmx", None)
        if htmx:
            if request.method not in SAFE:
                # What was typed would be lost: the page stays and says what to do.
                return HttpResponse(status=401)
            back = htmx.current_url_abs_path or request.get_full_path()
            return HttpResponseClientRedirect(redirect_to_login(back).url)
        return redirect_to_login(request.get_full_path())

    return wrapper
