"""What the admins of all rooms share, besides the site itself (`core.admin_site`)."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from simple_history.admin import SimpleHistoryAdmin

from accounts.viewer import Viewer
from core.admin_site import HubPages, shown_in_form
from core.errors import NotFound


def viewer_of(request: HttpRequest) -> Viewer:
    """Who is signed in; admin lets nobody else this far."""
    viewer: Viewer = request.viewer  # type: ignore[attr-defined]
    return viewer


class HistoryPages(SimpleHistoryAdmin, HubPages):  # type: ignore[misc]
    """History with differences; an old version is brought back through the same domain
    function as any edit."""

    object_history_list_template = "admin/history_list.html"

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        if self.get_object(request, object_id) is None:
            raise NotFound("There is nothing under this address.")
        return super().history_view(request, object_id, extra_context)

    def history_form_view(
        self,
        request: HttpRequest,
        object_id: str,
        version_id: str,
        extra_context: Any = None,
    ) -> HttpResponse:
        known = version_id.isascii() and version_id.isdigit()
        if not known or self.get_object(request, object_id) is None:
            raise NotFound("There is nothing under this address.")
        if request.method == "POST" and not self.has_change_permission(request):
            raise PermissionDenied
        return shown_in_form(
            super().history_form_view, request, object_id, version_id, extra_context
        )


class ReadOnly:
    """Pages that show what the hub wrote itself."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
