from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.admin_pages import HistoryPages, viewer_of
from kb.admin.base import changed
from kb.admin.forms import OwnedForm
from kb.domain import domain_settings
from kb.models import Domain

_LIVE = Q(items__archived_at=None)


@admin.register(Domain)
class DomainAdmin(HistoryPages):
    form = OwnedForm
    fields = ("name", "cadence_days", ("owner", "owner_group"), "moderation")
    list_display = (
        "name",
        "cadence_days",
        "owner",
        "owner_group",
        "moderation",
        "live",
    )
    list_select_related = ("owner", "owner_group")
    list_filter = ("moderation",)
    ordering = ("name",)
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        counted: QuerySet[Any] = found.annotate(size=Count("items", filter=_LIVE))
        return counted

    @admin.display(description="live items", ordering="size")
    def live(self, obj: Any) -> int:
        return int(obj.size)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        viewer = viewer_of(request)
        if not change:
            domain_settings.create_domain(viewer, obj)
            return
        values = changed(obj, domain_settings.EDITABLE, form)
        domain_settings.edit_domain(viewer, obj.pk, values, timezone.now())
