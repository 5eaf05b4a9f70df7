"""What stands below an item: its sections, who cites it, an edit that waits."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import truncatechars

from kb.admin.base import ShownInline
from kb.enums import RevisionStatus
from kb.models import Citation, ContentChunk, Revision

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


class WaitingRevisionInline(ShownInline):
    model = Revision
    verbose_name_plural = "edit that waits for approval"
    fields = ("author", "created_at", "note", "proposed")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        waiting = super().get_queryset(request).filter(status=RevisionStatus.WAITING)
        return waiting.select_related("author")

    @admin.display(description="changes")
    def proposed(self, obj: Revision) -> str:
        return proposed(obj)


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


def proposed(revision: Revision) -> str:
    return "\n".join(
        f"{name}: {truncatechars(str(value), EXCERPT)}"
        for name, value in revision.changes.items()
    )
