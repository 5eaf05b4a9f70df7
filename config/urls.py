"""Every address of the hub, room by room."""

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from core import health

# For everybody: the description holds nothing of the library.
_public: dict[str, Any] = {"authentication_classes": [], "permission_classes": []}
_schema = SpectacularAPIView.as_view(api_version="1", **_public)
_docs = SpectacularSwaggerSplitView.as_view(
    url_name="api-schema",
    url_self="/api/docs",
    template_name="api/docs.html",
    **_public,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("", include("accounts.urls")),
    path("", include("accounts.oauth_urls")),
    path("", include("browse.urls")),
    path("api/schema", _schema, name="api-schema"),
    path("api/docs", _docs, name="api-docs"),
    path("api/", include("search.urls")),
    path("", include("operational.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "core.outages.bad_request"
handler403 = "core.outages.permission_denied"
handler404 = "core.outages.page_not_found"
handler500 = "core.outages.server_error"
