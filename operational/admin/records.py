"""What people told back and what nothing fitted: looked at, never rewritten."""

from django.contrib import admin

from accounts.admin_pages import ReadOnly
from core.admin_site import HubPages
from operational.models import Feedback, MissedPaste


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, HubPages):
    list_display = ("failure", "worked", "user", "day", "note")
    list_select_related = ("failure__entity", "user")
    list_filter = ("worked", "day")
    search_fields = ("failure__entity__title", "note")


@admin.register(MissedPaste)
class MissedPasteAdmin(ReadOnly, HubPages):
    list_display = ("text_start", "count", "last_at", "recorded_as")
    list_select_related = ("recorded_as__entity",)
    search_fields = ("text",)

    @admin.display(description="text")
    def text_start(self, obj: MissedPaste) -> str:
        return str(obj) or "(empty)"
