"""Who may look at these pages: people who have signed in and, where the hub is
configured public, anybody."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django_htmx.http import HttpResponseClientRedirect

from accounts.middleware import viewer_of
from accounts.viewer import Viewer
from core.http import SAFE

P = ParamSpec("P")


def anybody(
    view: Callable[Concatenate[HttpRequest, Viewer | None, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Hand the view its `Viewer`, or None where the hub is public."""

    @wraps(view)
    def wrapper(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        viewer = viewer_of(request)
        if viewer is None and not settings.OPERATIONAL_PUBLIC:
            return _to_sign_in(request)
        return view(request, viewer, *args, **kwargs)

    return wrapper


def signed_in(
    view: Callable[Concatenate[HttpRequest, Viewer, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Hand the view its `Viewer`; anyone else is sent to sign in and back again."""

    @wraps(view)
    def wrapper(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        viewer = viewer_of(request)
        if viewer is None:
            return _to_sign_in(request)
        return view(request, viewer, *args, **kwargs)

    return wrapper


def _to_sign_in(request: HttpRequest) -> HttpResponseBase:
    htmx = getattr(request, "htmx", None)
    if htmx:
        if request.method not in SAFE:
            # What was typed would be lost: the page stays and says what to do.
            return HttpResponse(status=401)
        back = htmx.current_url_abs_path or request.get_full_path()
        return HttpResponseClientRedirect(redirect_to_login(back).url)
    # What was posted cannot be sent again: back to the page it came from.
    back = request.get_full_path() if request.method in ("GET", "HEAD") else "/"
    return redirect_to_login(back)
