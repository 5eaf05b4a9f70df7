"""Items: content is edited here, and governed by the actions of the list."""

import json
from functools import reduce
from operator import and_
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin_pages import HistoryPages, viewer_of
from core.admin_site import MAX_SEARCH
from core.errors import Conflict
from core.text import fold
from kb.admin.actions import ACTIONS
from kb.admin.base import changed
from kb.admin.filters import (
    AnswersFilter,
    ArchivedFilter,
    DueFilter,
    EmbeddingFilter,
    OwnedFilter,
    QualityFilter,
)
from kb.admin.forms import ItemForm
from kb.admin.inlines import (
    ChunkInline,
    CitationInline,
    RequestInline,
    RevisionInline,
)
from kb.domain import lifecycle, moderation
from kb.domain.citations import win_rate
from kb.duplicates import likely_duplicates
from kb.models import ContentItem

_CADENCE = ("cadence", "review_cadence_days", "next_review_date")


class ItemChangeList(ChangeList):
    def get_queryset(
        self, request: HttpRequest, exclude_parameters: Any = None
    ) -> QuerySet[Any]:
        """Without the long texts, which no list shows."""
        return (
            super()
            .get_queryset(request, exclude_parameters)
            .defer("content", "summary", "summary_data", "quality_parts")
        )


@admin.register(ContentItem)
class ContentItemAdmin(HistoryPages):
    form = ItemForm
    actions = ACTIONS
    change_form_template = "admin/kb/contentitem/change_form.html"
    list_display = (
        "title",
        "content_type",
        "primary_domain",
        "governance_review_status",
        "owned_by",
        "next_review_date",
        "quality_score",
        "is_archived",
    )
    list_select_related = ("primary_domain", "owner", "owner_group")
    list_filter = (
        "governance_review_status",
        DueFilter,
        ("owner", admin.RelatedOnlyFieldListFilter),
        OwnedFilter,
        AnswersFilter,
        "primary_domain",
        "content_type",
        ("layer", admin.AllValuesFieldListFilter),
        QualityFilter,
        EmbeddingFilter,
        ArchivedFilter,
    )
    search_fields = ("title", "ai_keywords", "author_name")
    search_help_text = "Words of title, keywords, summary or author"
    show_full_result_count = False
    autocomplete_fields = ("primary_domain",)
    inlines = (RevisionInline, RequestInline, CitationInline, ChunkInline)
    fieldsets = (
        (None, {"fields": ("title", "content_type", "content", "read_at")}),
        (
            "Description",
            {
                "fields": (
                    "summary",
                    "ai_keywords",
                    "author_name",
                    "suggested_title",
                    "primary_domain",
                    "subtopic",
                    "layer",
                    "platform",
                    "source",
                    "source_path",
                    "picture",
                )
            },
        ),
        (
            "Governance",
            {
                "description": "Changed by the actions, which are confirmed and kept "
                "in the history.",
                "fields": (
                    "governance_review_status",
                    ("owner", "owner_group"),
                    _CADENCE,
                    ("reviewed_at", "reviewed_by"),
                    "review_note",
                ),
            },
        ),
        (
            "Trust",
            {
                "fields": (
                    ("verified_at", "verified_by"),
                    "verification_note",
                    "bids",
                )
            },
        ),
        ("Quality", {"fields": ("quality_score", "quality")}),
        (
            "Supersession and archive",
            {"fields": ("superseded_by", "superseded_reason", "archived_at")},
        ),
        (
            "Dates and summary data",
            {
                "classes": ("collapse",),
                "fields": ("created_at", "updated_at", "content_changed_at", "details"),
            },
        ),
    )
    readonly_fields = (
        "source_path",
        "governance_review_status",
        "reviewed_at",
        "reviewed_by",
        "review_note",
        "verified_at",
        "verified_by",
        "verification_note",
        "bids",
        "quality_score",
        "quality",
        "superseded_by",
        "superseded_reason",
        "archived_at",
        "created_at",
        "updated_at",
        "content_changed_at",
        "details",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new item may come with its cadence; later the action changes it."""
        return self.readonly_fields if obj is None else self.readonly_fields + _CADENCE

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ItemChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Every word somewhere in the indexed texts, without case and accents."""
        words = fold(search_term[:MAX_SEARCH]).split()
        if words:
            queryset = queryset.filter(reduce(and_, map(_mentions, words)))
        return queryset, False

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        viewer, now = viewer_of(request), timezone.now()
        if not change:
            lifecycle.create_items(viewer, [obj], now)
            self._name_duplicates(request, obj)
            return
        values = changed(obj, lifecycle.EDITABLE, form)
        read_at = form.cleaned_data.get("read_at")
        try:
            edit = moderation.propose_edit(viewer, obj.pk, values, now, read_at=read_at)
        except Conflict as error:
            _may_overwrite_next_time(request, obj)
            hint = "Save again to put yours over it."
            raise Conflict(f"{error.message} {hint}") from error
        request.edit = edit  # type: ignore[attr-defined]
        self._name_duplicates(request, obj)

    def _name_duplicates(self, request: HttpRequest, obj: ContentItem) -> None:
        """Advice, never a block."""
        viewer = viewer_of(request)
        for each in likely_duplicates(viewer, obj.title, obj.content, item_id=obj.pk):
            text = format_html(
                '{}: <a href="{}">{}</a>. {}',
                each.kind.label,
                each.url,
                each.title,
                each.reason,
            )
            self.message_user(request, text, messages.WARNING)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        edit: moderation.Edit | None = getattr(request, "edit", None)
        if edit is None or edit.revision is None:
            return super().response_change(request, obj)
        self.message_user(request, edit.message, messages.WARNING)
        return self.response_post_save_change(request, obj)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        choices = self.get_action_choices(request, default_choices=[])
        context = {
            **(extra_context or {}),
            "action_choices": choices,
            "list_query": "?archived=all",
        }
        return super().change_view(request, object_id, form_url, context)

    def view_on_site(self, obj: ContentItem) -> str:
        return obj.get_absolute_url()

    @admin.display(description="owner", ordering="owner__username")
    def owned_by(self, obj: ContentItem) -> str:
        if obj.owner:
            return obj.owner.display_name()
        return obj.owner_group.name if obj.owner_group else "–"

    @admin.display(description="archived", boolean=True, ordering="archived_at")
    def is_archived(self, obj: ContentItem) -> bool:
        return obj.archived_at is not None

    @admin.display(description="Decided bids")
    def bids(self, obj: ContentItem) -> str:
        rate = win_rate(obj.bids_won, obj.bids_decided)
        share = f" ({rate:.0%})" if rate is not None else ""
        return f"{obj.bids_won} won of {obj.bids_decided}{share}"

    @admin.display(description="Parts")
    def quality(self, obj: ContentItem) -> SafeString:
        return _as_json(obj.quality_parts)

    @admin.display(description="Summary data")
    def details(self, obj: ContentItem) -> SafeString:
        return _as_json(obj.summary_data)


def _may_overwrite_next_time(request: HttpRequest, item: ContentItem) -> None:
    """The form comes back with the text typed and, as read, the version now stored."""
    stored = ContentItem.objects.values_list("updated_at", flat=True).get(pk=item.pk)
    typed = request.POST.copy()
    typed["read_at"] = stored.isoformat()
    request.POST = typed  # type: ignore[assignment]


def _mentions(word: str) -> Q:
    return (
        Q(index__title__contains=word)
        | Q(index__extra__contains=word)
        | Q(index__author__contains=word)
    )


def _as_json(value: Any) -> SafeString:
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False))
