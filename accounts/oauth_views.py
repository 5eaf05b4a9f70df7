"""Pages and endpoints of OAuth 2.1, on those of django-oauth-toolkit."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe
from oauth2_provider import views
from oauth2_provider.exceptions import FatalClientError
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidClientIdError

from accounts import oauth
from core.addresses import base_of, mcp_of
from core.errors import RateLimited
from core.ratelimit import Limit, spend
from core.text import clean

_REGISTRATIONS = Limit("oauth-register", 30)
_GRANTS = ("authorization_code", "refresh_token")


View = Callable[..., HttpResponseBase]


def storable(view: View) -> View:
    """Refuse what no column can hold, before a look-up fails over it."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        sent = [*request.GET.lists(), *request.POST.lists()]
        if any("\0" in text for name, texts in sent for text in (name, *texts)):
            return _refused("invalid_request", "A NUL character is nobody's text.")
        return view(request, *args, **kwargs)

    return wrapper


class Consent(views.AuthorizationView):  # type: ignore[misc]
    """Asks whoever has signed in whether a program may act as them."""

    template_name = "accounts/consent.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        own = mcp_of(request)
        for each in request.GET.getlist("resource"):
            if not oauth.same_resource(each, own):
                said = f"This hub gives tokens for {own} alone."
                error = CustomOAuth2Error(error="invalid_target", description=said)
                refusal = FatalClientError(error=error)
                response: HttpResponse = self.error_response(refusal, None)
                return response
        return super().get(request, *args, **kwargs)  # type: ignore[no-any-return]

    def get_initial(self) -> dict[str, Any]:
        """A program that names no resource gets a token for this one all the same."""
        initial: dict[str, Any] = super().get_initial()
        initial["resource"] = initial["resource"] or mcp_of(self.request)
        return initial

    def form_valid(self, form: Any) -> HttpResponse:
        if not oauth.is_registered(form.cleaned_data["client_id"]):
            return self.form_invalid(form)
        return super().form_valid(form)  # type: ignore[no-any-return]

    def form_invalid(self, form: Any) -> HttpResponse:
        error = InvalidClientIdError()
        return self.error_response(FatalClientError(error=error), None)  # type: ignore[no-any-return]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        if "redirect_uri" in context:
            context["where"] = oauth.where(context["redirect_uri"])
        return context

    def render_to_response(self, context: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().render_to_response(context, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        if redirect := context.get("redirect_uri"):
            # The form's answer redirects there, which browsers count as its action.
            target = ["'self'", _csp_source(redirect)]
            response._csp_update = {"form-action": target}  # type: ignore[attr-defined]
        return response


def _csp_source(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"


class Register(views.DynamicClientRegistrationView):  # type: ignore[misc]
    """Open to all, as clients need it: what is registered may do nothing until
    somebody lets it in."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            spend(_REGISTRATIONS, f"address:{request.META.get('REMOTE_ADDR', '')}")
        except RateLimited as error:
            answer = _refused("temporarily_unavailable", error.message, 429)
            answer["Retry-After"] = str(error.retry_after)
            return answer
        try:
            asked = json.loads(request.body)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _refused("invalid_client_metadata", "Send a JSON object.")
        wrong = _normalise(asked)
        if wrong is not None:
            return wrong
        request._body = json.dumps(asked).encode()
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


def _normalise(asked: dict[str, Any]) -> HttpResponse | None:
    """Leave of `asked` what the hub supports, as RFC 7591 allows; what is wrong."""
    addresses = asked.get("redirect_uris")
    if not isinstance(addresses, list) or not all(
        isinstance(each, str) for each in addresses
    ):
        return _refused("invalid_redirect_uri", "redirect_uris must be addresses.")
    bad = oauth.bad_redirect(addresses)
    if bad is not None:
        said = f"{clean(bad)[:200]}: use https, or http on the same machine."
        return _refused("invalid_redirect_uri", said)
    name = asked.get("client_name", "")
    asked["client_name"] = " ".join(clean(str(name)).split())[:120]
    grants = asked.get("grant_types")
    if isinstance(grants, list) and _GRANTS[0] in grants:
        asked["grant_types"] = list(_GRANTS)
    elif grants is not None:
        return _refused("invalid_client_metadata", "Use authorization_code.")
    return None


def _refused(error: str, description: str, status: int = 400) -> JsonResponse:
    body = {"error": error, "error_description": description}
    return JsonResponse(body, status=status)


class ResourceMetadata(views.OAuthProtectedResourceMetadataView):  # type: ignore[misc]
    def get_resource(self, request: HttpRequest) -> str:
        return mcp_of(request)

    def get_authorization_servers(self, request: HttpRequest) -> list[str]:
        return [base_of(request)]


@require_safe
@login_required
def connected(request: HttpRequest) -> HttpResponse:
    """The programs that one has let in."""
    live = oauth.connections(request.user, timezone.now())  # type: ignore[arg-type]
    shown = {"connections": live}
    response = render(request, "accounts/connections.html", shown)
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_POST
@login_required
def disconnect(request: HttpRequest, application_id: int) -> HttpResponse:
    name = oauth.disconnect(request.user, application_id)  # type: ignore[arg-type]
    messages.success(request, f"{name} is disconnected.")
    return HttpResponseRedirect(reverse("accounts:connections"))
