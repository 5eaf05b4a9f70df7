"""Records that people look at and never write: readings, runs."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin_pages import ReadOnly
from core.admin_site import HubPages
from kb.domain.decisions import told
from kb.models import JobRun, ReadMark


@admin.register(ReadMark)
class ReadMarkAdmin(ReadOnly, HubPages):
    list_display = ("user", "item", "first_read_at", "last_read_at")
    ordering = ("-last_read_at",)
    search_fields = ("user__username", "item__title")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("user", "item")


@admin.register(JobRun)
class JobRunAdmin(ReadOnly, HubPages):
    list_display = ("job", "date", "outcome", "what", "started_at", "finished_at")
    list_filter = ("outcome", "job")
    search_fields = ("job", "message")

    @admin.display(description="what it did, or why it failed")
    def what(self, obj: JobRun) -> str:
        return obj.message or told(obj.counts)
