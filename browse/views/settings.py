"""`/settings`: focus, appearance, mail, tokens."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from accounts import focus as focuses
from accounts import tokens
from accounts.models import User
from accounts.viewer import Viewer
from browse.access import signed_in
from browse.models import FocusAsked
from browse.settings_page import settings_page
from core.context import THEMES
from core.errors import BadInput
from core.http import is_htmx

_YEAR = 31_536_000
# What is kept in this browser: cookie → field, the values it may have. Others, as
# "system" for the theme, take the cookie away.
_LOOK = {
    "kb-theme": ("theme", THEMES),
    "kb-view-mode": ("view", ("cards", "rows")),
    "kb-shortcuts": ("shortcuts", ("off",)),
}


@require_safe
@signed_in
def show(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    return _page(request, viewer)


@require_POST
@signed_in
def focus(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Choose what one mostly does; asked or not, it is asked no more."""
    chosen = request.POST.get("primary_focus", "")
    focuses.choose(viewer, chosen)
    FocusAsked.objects.get_or_create(user_id=viewer.person())
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = f"{reverse('browse:settings')}#focus"
    said = "Focus saved." if chosen else "You can choose a focus in settings any time."
    return _saved(request, said, back)


@require_POST
@signed_in
def look(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    response = _saved(
        request, "Appearance saved.", f"{reverse('browse:settings')}#look"
    )
    for cookie, (field, values) in _LOOK.items():
        if field not in request.POST:
            continue
        value = request.POST.getlist(field)[-1]
        if value in values:
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(
                cookie, value, max_age=_YEAR, samesite="Lax", secure=secure
            )
        else:
            response.delete_cookie(cookie, samesite="Lax")
    return response


@require_POST
@signed_in
def new_token(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """The answer itself shows the secret: it is kept nowhere, not even for a moment."""
    name = request.POST.get("name", "")
    try:
        made, secret = tokens.create(_user(viewer), name)
    except BadInput as error:
        return _page(request, viewer, 422, name=name, name_error=error.message)
    return _page(request, viewer, made=made, secret=secret)


@require_POST
@signed_in
def revoke(request: HttpRequest, viewer: Viewer, token_id: int) -> HttpResponse:
    gone = tokens.revoke_own(viewer, token_id, timezone.now())
    messages.success(request, f"Token “{gone.name}” revoked.")
    return HttpResponseRedirect(f"{reverse('browse:settings')}#tokens")


def _page(
    request: HttpRequest, viewer: Viewer, status: int = 200, **token: Any
) -> HttpResponse:
    rows = request.COOKIES.get("kb-view-mode") == "rows"
    page = settings_page(_user(viewer), rows=rows, **token)
    response = render(request, "accounts/settings.html", {"page": page}, status=status)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _user(viewer: Viewer) -> User:
    return User.objects.get(pk=viewer.person())


def _saved(request: HttpRequest, said: str, url: str) -> HttpResponse:
    if is_htmx(request):
        response = HttpResponse(status=204)
        return trigger_client_event(response, "toast", {"value": said})
    messages.success(request, said)
    return HttpResponseRedirect(url)
