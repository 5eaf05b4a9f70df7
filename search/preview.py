"""The live preview while typing: literal substrings, titles first, in milliseconds.

Ordering every match of a common substring is what makes such previews slow, so the
steps run in order of merit, each only fills up what the ones before left free, and
newest first holds among the first ENOUGH matches of a step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts.viewer import Viewer
from core.errors import BadInput
from core.text import clean, fold
from kb.domain.indexing import title_key
from kb.models import ContentItem
from search.timeouts import search_transaction
from search.types import MAX_QUERY, whole

DEFAULT_LIMIT = 8
MAX_LIMIT = 20
# Fewer characters match titles only: they stand in every text.
MIN_FOR_CONTENT = 3
ENOUGH = 100


@dataclass(frozen=True)
class PreviewRow:
    id: UUID
    title: str
    content_type: str
    primary_domain: str | None

    @property
    def url(self) -> str:
        return f"/items/{self.id}"


@dataclass(frozen=True)
class PreviewQuery:
    text: str
    limit: int = DEFAULT_LIMIT

    @classmethod
    def of(cls, q: object, limit: object = None) -> "PreviewQuery":
        text = clean(q).strip() if isinstance(q, str) else ""
        if not text:
            raise BadInput("q must not be empty.", field="q")
        if len(text) > MAX_QUERY:
            raise BadInput(f"q is longer than {MAX_QUERY} characters.", field="q")
        rows = whole("limit", limit, DEFAULT_LIMIT)
        if rows < 1:
            raise BadInput("limit must be at least 1.", field="limit")
        return cls(text, min(rows, MAX_LIMIT))


def preview(query: PreviewQuery, viewer: Viewer) -> list[PreviewRow]:
    """Exact title, then titles that start with the text, then titles with it, then
    keywords, summary and author, then the text itself; newest first within each."""
    items = ContentItem.objects.visible_to(viewer).findable().filter(superseded_by=None)
    found: dict[UUID, PreviewRow] = {}
    with search_transaction(settings.SEARCH_STATEMENT_TIMEOUT_MS):
        for condition in _steps(query.text):
            left = query.limit - len(found)
            if left <= 0:
                break
            enough = items.filter(condition).exclude(pk__in=list(found)).order_by()
            rows = (
                ContentItem.objects.filter(pk__in=enough.values("pk")[:ENOUGH])
                .order_by("-content_changed_at", "pk")
                .values_list("pk", "title", "content_type", "primary_domain__name")
            )
            found |= {row[0]: PreviewRow(*row) for row in rows[:left]}
    return list(found.values())


def _steps(text: str) -> Iterator[Q]:
    folded = fold(text)
    if not folded:  # nothing but combining marks
        return
    yield Q(index__title_key=title_key(text))
    yield Q(index__title__startswith=folded)
    yield Q(index__title__contains=folded)
    if len(folded) < MIN_FOR_CONTENT:
        return
    yield Q(index__extra__contains=folded)
    yield Q(index__author__contains=folded)
    yield Q(index__body__contains=folded)
