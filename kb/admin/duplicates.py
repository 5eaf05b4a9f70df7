"""Near-duplicates and contradictions: looked at side by side, merged or dismissed."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.admin_pages import viewer_of
from core.bulk import Bulk, Run, action
from kb.admin.base import Decided
from kb.admin.filters import Choice
from kb.admin.forms import NoteForm, WhyForm
from kb.domain import duplicates
from kb.models import ContentItem, DuplicatePair

Data = dict[str, Any]


def _dismiss(request: HttpRequest, ids: list[int], data: Data) -> int:
    now = timezone.now()
    return duplicates.dismiss(viewer_of(request), ids, now, data["note"])


def _merge(*, keep_first: bool) -> Run:
    def run(request: HttpRequest, ids: list[int], data: Data) -> int:
        return duplicates.merge_pairs(
            viewer_of(request),
            ids,
            timezone.now(),
            data["reason"],
            keep_first=keep_first,
        )

    return run


_REPLACES = (
    "It replaces the other: search and links lead to it, and what cited the other "
    "cites it. Nothing is deleted."
)
ACTIONS = tuple(
    action(bulk)
    for bulk in (
        Bulk(
            "keep_first",
            "Merge: keep the first",
            _merge(keep_first=True),
            "merged",
            _REPLACES,
            WhyForm,
            permission="decide",
        ),
        Bulk(
            "keep_second",
            "Merge: keep the second",
            _merge(keep_first=False),
            "merged",
            _REPLACES,
            WhyForm,
            permission="decide",
        ),
        Bulk(
            "dismiss",
            "Dismiss",
            _dismiss,
            "dismissed",
            "Both items stay. The pair comes back only if something new differs.",
            NoteForm,
            permission="decide",
        ),
    )
)


class InUseFilter(Choice):
    """Pairs of items in use unless asked otherwise."""

    title = "items"
    parameter_name = "items"
    options = {"all": "Also archived or replaced"}

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": "In use"}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is not None:
            return super().queryset(request, queryset)
        in_use = ContentItem.objects.live().filter(superseded_by=None)
        return queryset.filter(first__in=in_use, second__in=in_use)

    def condition(self, value: str) -> Q:
        return Q()


@admin.register(DuplicatePair)
class DuplicatePairAdmin(Decided):
    actions = ACTIONS
    list_query = "?items=all"
    list_display = (
        "kind",
        "first",
        "second",
        "words",
        "meaning",
        "differing",
        "state",
        "found_at",
    )
    list_filter = ("state", "kind", InUseFilter, "first__primary_domain")
    search_fields = ("first__title", "second__title")
    show_full_result_count = False
    fields = (
        "kind",
        "first",
        "second",
        "words",
        "meaning",
        "same_title",
        "differing_sentences",
        "side_by_side",
        "state",
        "decided_by",
        "decided_at",
        "note",
        "found_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        return found.select_related("first", "second", "decided_by")

    @admin.display(description="words in common", ordering="shared")
    def words(self, obj: DuplicatePair) -> str:
        return f"{obj.shared:.0%}"

    @admin.display(description="meaning alike", ordering="likeness")
    def meaning(self, obj: DuplicatePair) -> str:
        return f"{obj.likeness:.0%}"

    @admin.display(description="differ in")
    def differing(self, obj: DuplicatePair) -> str:
        told = (f"{each['first']} / {each['second']}" for each in obj.differences)
        return "; ".join(told) or "–"

    @admin.display(description="differ in")
    def differing_sentences(self, obj: DuplicatePair) -> SafeString:
        return format_html_join(
            "",
            "<p><strong>{} / {}</strong><br>{}<br>{}</p>",
            (
                (d["first"], d["second"], d["first_sentence"], d["second_sentence"])
                for d in obj.differences
            ),
        )

    @admin.display(description="texts")
    def side_by_side(self, obj: DuplicatePair) -> SafeString:
        return format_html(
            "<h4>{}</h4><pre>{}</pre><h4>{}</h4><pre>{}</pre>",
            obj.first.title,
            obj.first.content,
            obj.second.title,
            obj.second.content,
        )
