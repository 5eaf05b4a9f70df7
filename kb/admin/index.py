"""What search reads, to look at when something is not found. Vectors are never shown,
nor even loaded."""

from typing import Any

from django.contrib import admin
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest

from accounts.admin_pages import ReadOnly
from core.admin_site import HubPages
from kb.models import (
    ContentChunk,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
    TermStatistic,
)


class Diagnostics(ReadOnly, HubPages):
    """Read-only pages over big columns: `heavy` ones stay in the database."""

    heavy: tuple[str, ...] = ()
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer(*self.heavy)


@admin.register(ItemIndex)
class ItemIndexAdmin(Diagnostics):
    heavy = ("embedding", "lexemes", "search")
    fields = (
        "item",
        "title",
        "extra",
        "author",
        "body",
        "indexed_at",
        "recipe",
        "text_is_current",
        "title_key",
        "text_hash",
        "embedded_hash",
    )
    readonly_fields = fields
    list_display = ("title", "recipe", "text_is_current", "indexed_at")
    list_filter = (("recipe", admin.AllValuesFieldListFilter),)
    search_fields = ("title", "extra")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        current = Q(embedded_hash=F("text_hash")) & ~Q(recipe="")
        rows: QuerySet[Any] = super().get_queryset(request).annotate(current=current)
        return rows

    @admin.display(description="vector of this text", boolean=True)
    def text_is_current(self, obj: Any) -> bool:
        return bool(obj.current)


@admin.register(ItemTerms)
class ItemTermsAdmin(Diagnostics):
    heavy = ("lexical", "title")
    fields = ("item", "title_length", "body_length")
    list_display = fields
    list_select_related = ("item",)
    search_fields = ("item__title",)


@admin.register(ContentChunk)
class ContentChunkAdmin(Diagnostics):
    heavy = ("embedding",)
    fields = ("item", "position", "heading_path", "text", "text_hash", "recipe")
    list_display = ("item", "position", "heading_path", "recipe")
    list_select_related = ("item",)
    list_filter = (("recipe", admin.AllValuesFieldListFilter),)
    search_fields = ("item__title", "heading_path")


@admin.register(TermStatistic)
class TermStatisticAdmin(Diagnostics):
    list_display = ("term", "items")
    ordering = ("-items", "term")
    search_fields = ("term__startswith",)


@admin.register(IndexStatistics)
class IndexStatisticsAdmin(Diagnostics):
    list_display = ("items", "mean_title_length", "mean_body_length", "built_at")
