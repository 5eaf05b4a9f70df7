"""What became of items, who did it and why: what the hub did by itself before all."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin_pages import ReadOnly
from core.admin_site import HubPages
from kb.admin.filters import Choice
from kb.models import ContentItem


class DecidedByFilter(Choice):
    title = "by"
    parameter_name = "by"
    options = {"people": "People", "all": "All"}

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": "The hub itself"}, *others]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() is None:
            return queryset.filter(history_user=None)
        return super().queryset(request, queryset)

    def condition(self, value: str) -> Q:
        return Q(history_user__isnull=False) if value == "people" else Q()


@admin.register(ContentItem.history.model)
class DecisionAdmin(ReadOnly, HubPages):
    list_display = ("history_date", "title", "why", "who", "state")
    list_display_links = ("history_date",)
    list_select_related = ("history_user",)
    list_filter = (DecidedByFilter, "history_date")
    search_fields = ("title", "history_change_reason")
    ordering = ("-history_date", "-history_id")
    show_full_result_count = False
    fields = ("history_date", "who", "why", "item", "state")
    readonly_fields = fields

    @admin.display(description="why", ordering="history_change_reason")
    def why(self, obj: Any) -> str:
        return str(obj.history_change_reason or obj.get_history_type_display())

    @admin.display(description="who")
    def who(self, obj: Any) -> str:
        return obj.history_user.display_name() if obj.history_user else "The hub"

    @admin.display(description="state then")
    def state(self, obj: Any) -> str:
        return str(obj.get_governance_review_status_display())

    @admin.display(description="item")
    def item(self, obj: Any) -> SafeString:
        url = reverse("admin:kb_contentitem_history", args=[obj.id])
        return format_html('<a href="{}">{}</a>', url, obj.title)
