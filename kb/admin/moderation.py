"""Edits that wait for approval, and reviews that were asked for: looked at here, and
decided by actions."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin_pages import HistoryPages, viewer_of
from core.bulk import Bulk, action
from kb.admin.base import Decided
from kb.admin.diffs import changed_lines
from kb.admin.forms import ApproveForm, RejectForm
from kb.domain import moderation, requests
from kb.domain.proposals import readable
from kb.models import ReviewRequest, Revision

Data = dict[str, Any]


def _approve(request: HttpRequest, ids: list[int], data: Data) -> int:
    now = timezone.now()
    return moderation.approve_revisions(viewer_of(request), ids, now, **data)


def _reject(request: HttpRequest, ids: list[int], data: Data) -> int:
    now = timezone.now()
    return moderation.reject_revisions(viewer_of(request), ids, now, **data)


def _withdraw_requests(request: HttpRequest, ids: list[int], data: Data) -> int:
    return requests.withdraw_requests(viewer_of(request), ids, timezone.now())


@admin.register(Revision)
class RevisionAdmin(Decided):
    actions = (
        action(
            Bulk(
                "approve_edit",
                "Approve",
                _approve,
                "approved",
                "The items get the proposed values. All of these, or none.",
                ApproveForm,
                permission="decide",
            )
        ),
        action(
            Bulk(
                "reject_edit",
                "Reject",
                _reject,
                "rejected",
                "The items stay as they are; the edits are kept.",
                RejectForm,
                permission="decide",
            )
        ),
    )
    list_display = (
        "item",
        "author",
        "status",
        "created_at",
        "decided_at",
        "decided_by",
    )
    list_select_related = ("item", "author", "decided_by")
    list_filter = ("status", "item__primary_domain")
    search_fields = ("item__title", "note")
    fields = (
        "item",
        "author",
        "note",
        "status",
        "proposed",
        "continues",
        "created_at",
        "decided_at",
        "decided_by",
        "decision_note",
    )
    readonly_fields = fields

    @admin.display(description="changes")
    def proposed(self, obj: Revision) -> SafeString:
        """Of each field, the lines that differ and those around them."""
        before = dict(readable(obj.base))
        return format_html_join(
            "",
            "<h4>{}</h4>{}",
            (
                (name, changed_lines(before.get(name, ""), after))
                for name, after in readable(obj.changes)
            ),
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("item", "author")


@admin.register(ReviewRequest)
class ReviewRequestAdmin(Decided, HistoryPages):
    actions = (
        action(
            Bulk(
                "withdraw",
                "Withdraw",
                _withdraw_requests,
                "withdrawn",
                permission="decide",
            )
        ),
    )
    list_display = ("item", "asked", "due_on", "asked_by", "status", "closed_by")
    list_select_related = ("item", "person", "group", "asked_by", "closed_by")
    list_filter = ("status", ("person", admin.RelatedOnlyFieldListFilter), "group")
    search_fields = ("item__title", "instructions")
    ordering = ("status", "due_on", "pk")
    fields = (
        "item",
        ("person", "group"),
        "due_on",
        "instructions",
        ("asked_by", "asked_at"),
        ("status", "closed_at", "closed_by"),
        "closing_note",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        people = ("item", "person", "group", "asked_by", "closed_by")
        return super().get_queryset(request).select_related(*people)
