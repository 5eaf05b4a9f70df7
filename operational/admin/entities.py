"""Entities of every type, and what connects them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin_pages import HistoryPages, viewer_of
from core.bulk import Bulk, action
from operational.domain import editing, entities
from operational.enums import EntityType
from operational.models import Entity, Relationship

_PARTS = {
    EntityType.FAILURE: "failure",
    EntityType.PATTERN: "pattern",
    EntityType.PATHWAY: "pathway",
}

ARCHIVE = Bulk(
    name="archive",
    label="Archive",
    run=lambda request, ids, data: entities.archive(viewer_of(request), ids),
    done="archived",
    explanation="Archived entities are not matched and not shown. Nothing is lost.",
)
RESTORE = Bulk(
    name="restore",
    label="Restore",
    run=lambda request, ids, data: entities.restore(viewer_of(request), ids),
    done="restored",
)
REMOVE = Bulk(
    name="remove",
    label="Remove",
    run=lambda request, ids, data: editing.unrelate(viewer_of(request), ids),
    done="removed",
    explanation="The entities stay; only what connects them goes.",
)


class ArchivedFilter(admin.SimpleListFilter):
    title = "archived"
    parameter_name = "archived"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Archived"), ("all", "All")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.exclude(archived_at=None)
        return queryset if self.value() == "all" else queryset.filter(archived_at=None)


@admin.register(Entity)
class EntityAdmin(HistoryPages):
    fields = (
        ("type", "slug"),
        "title",
        "summary",
        "body",
        "tags",
        "source",
        "is_public",
        "details",
        ("archived_at", "updated_at"),
    )
    readonly_fields = ("details", "archived_at", "updated_at")
    list_display = ("title", "type", "slug", "is_public", "updated_at")
    list_filter = ("type", ArchivedFilter, "is_public")
    search_fields = ("title", "slug", "summary")
    ordering = ("type", "slug")
    actions = (action(ARCHIVE), action(RESTORE))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = ("type",) if obj else ()
        return (*fixed, *self.readonly_fields)

    @admin.display(description="details")
    def details(self, obj: Entity) -> SafeString | str:
        """The way to what only this type has."""
        part = _PARTS.get(EntityType(obj.type)) if obj.pk else None
        if part is None:
            return "None beyond these fields."
        try:
            url = reverse(f"admin:operational_{part}_change", args=[obj.pk])
        except NoReverseMatch:
            return ""
        return format_html('<a href="{}">Edit the {}’s details</a>', url, part)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        editing.save_entity(viewer_of(request), obj)


@admin.register(Relationship)
class RelationshipAdmin(HistoryPages):
    fields = ("source", "kind", "target", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("source", "target")
    list_display = ("source", "kind", "target", "created_at")
    list_select_related = ("source", "target")
    list_filter = ("kind", "source__type")
    search_fields = ("source__title", "source__slug", "target__title", "target__slug")
    ordering = ("source__slug", "kind", "target__slug")
    actions = (action(REMOVE),)

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        editing.relate(viewer_of(request), obj)
