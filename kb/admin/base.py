"""What the admins of the library share."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from accounts.admin_pages import ReadOnly, viewer_of
from core.admin_site import HubPages


class ShownInline(ReadOnly, admin.TabularInline[Any, Any]):
    """Rows that are only looked at."""

    extra = 0
    max_num = 0
    can_delete = False
    show_change_link = True


class Decided(ReadOnly, HubPages):
    """Nothing is written here but by the actions, each checked in the domain."""

    change_form_template = "admin/kb/contentitem/change_form.html"
    # So that the list that an action of the row's page goes to holds the row.
    list_query = ""

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return viewer_of(request).can_edit

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        choices = self.get_action_choices(request, default_choices=[])
        context = {
            **(extra_context or {}),
            "action_choices": choices,
            "list_query": self.list_query,
        }
        return super().change_view(request, object_id, form_url, context)


def changed(instance: Model, names: tuple[str, ...], form: Any) -> dict[str, Any]:
    """The values of a form's fields among `names`, as set on its instance."""
    return {name: getattr(instance, name) for name in names if name in form.fields}
