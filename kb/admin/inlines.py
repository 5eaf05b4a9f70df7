"""What stands below an item: its sections, who cites it, edits and requests."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import truncatechars

from kb.admin.base import ShownInline
from kb.domain.proposals import labels
from kb.models import Citation, ContentChunk, ReviewRequest, Revision

EXCERPT = 200


class ChunkInline(ShownInline):
    model = ContentChunk
    verbose_name_plural = "sections"
    fields = ("position", "heading_path", "excerpt", "recipe")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("embedding")

    @admin.display(description="text")
    def excerpt(self, obj: ContentChunk) -> str:
        return truncatechars(obj.text, EXCERPT)


class CitationInline(ShownInline):
    model = Citation
    fk_name = "item"
    verbose_name_plural = "cited by"
    fields = ("cited_by", "created_by", "created_at")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return with_sources(super().get_queryset(request))

    @admin.display(description="cited by")
    def cited_by(self, obj: Citation) -> str:
        return source_of(obj)


class RevisionInline(ShownInline):
    """Edits that wait, and what became of the others."""

    model = Revision
    verbose_name_plural = "edits proposed"
    fields = ("author", "created_at", "status", "note", "changed", "decision_note")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("author")

    @admin.display
    def changed(self, obj: Revision) -> str:
        return labels(obj.changes)


class RequestInline(ShownInline):
    model = ReviewRequest
    verbose_name_plural = "reviews asked for"
    fields = ("asked", "due_on", "instructions", "asked_by", "status", "closed_by")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        people = ("person", "group", "asked_by", "closed_by")
        return super().get_queryset(request).select_related(*people)


def with_sources(citations: QuerySet[Any]) -> QuerySet[Any]:
    return citations.select_related(
        "workspace", "response__question__workspace", "citing_item", "created_by"
    )


def source_of(citation: Citation) -> str:
    """The one of the three that cites."""
    if citation.workspace:
        return f"Bid {citation.workspace}"
    if citation.response:
        question = citation.response.question
        return f"Answer {question.position} in {question.workspace}"
    return f"Item {citation.citing_item}"
