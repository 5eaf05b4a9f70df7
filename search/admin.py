"""The log of searches in admin: for admins, to read."""

from django.contrib import admin

from accounts.admin_pages import ReadOnly
from core.admin_site import HubPages
from search.models import SearchLog


@admin.register(SearchLog)
class SearchLogAdmin(ReadOnly, HubPages):
    list_display = (
        "query",
        "created_at",
        "source",
        "user",
        "mode",
        "hits",
        "total",
        "weak",
        "duration_ms",
        "clicked_item",
        "clicked_position",
    )
    list_select_related = ("user", "clicked_item")
    list_filter = ("source", "mode", "found_nothing", "weak")
    search_fields = ("query", "user__username")
    date_hierarchy = "created_at"
    show_full_result_count = False
    fields = (
        "query",
        "created_at",
        "source",
        "user",
        "filters",
        "mode",
        "hits",
        "total",
        "found_nothing",
        "weak",
        "duration_ms",
        "clicked_item",
        "clicked_position",
        "clicked_at",
    )
