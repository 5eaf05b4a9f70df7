"""Addresses of OAuth. The names are those by which django-oauth-toolkit finds them."""

from django.urls import path
from oauth2_provider import views

from accounts import oauth_views
from accounts.oauth_views import storable

app_name = "oauth2_provider"

_SERVER = ".well-known/oauth-authorization-server"
_RESOURCE = ".well-known/oauth-protected-resource"
_revoke = storable(views.RevokeTokenView.as_view())
_server = views.OAuthServerMetadataView.as_view()
_resource = oauth_views.ResourceMetadata.as_view()

urlpatterns = [
    path(_SERVER, _server, name="oauth-server-metadata"),
    path(_RESOURCE, _resource, name="oauth-resource-metadata"),
    path(f"{_RESOURCE}/mcp", _resource),
    path("oauth/authorize", storable(oauth_views.Consent.as_view()), name="authorize"),
    path("oauth/token", storable(views.TokenView.as_view()), name="token"),
    path("oauth/revoke", _revoke, name="revoke-token"),
    path("oauth/register", oauth_views.Register.as_view(), name="dcr-register"),
    path(
        "oauth/register/<str:client_id>",
        views.DynamicClientRegistrationManagementView.as_view(),
        name="dcr-register-management",
    ),
]
