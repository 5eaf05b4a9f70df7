"""Every address of the hub, room by room."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from core import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("", RedirectView.as_view(pattern_name=settings.LOGIN_REDIRECT_URL)),
    path("", include("accounts.urls")),
    path("", include("browse.urls")),
    path("api/", include("search.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "core.outages.bad_request"
handler403 = "core.outages.permission_denied"
handler404 = "core.outages.page_not_found"
handler500 = "core.outages.server_error"
