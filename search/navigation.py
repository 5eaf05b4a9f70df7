"""What the library contributes to the index of everything and to the jump list."""

import re
from datetime import datetime
from uuid import UUID

from django.db.models.functions import Left
from django.utils.text import slugify

from accounts.viewer import Viewer
from core.navigation import Entry, Source
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet
from search.preview import MAX_LIMIT, PreviewQuery, preview

_OPENING = 200
_MARKUP = re.compile(r"[#*_`>|\[\]\s]+")
_COLUMNS = ("pk", "title", "short", "opening", "ai_keywords", "content_changed_at")


def _seen(viewer: Viewer | None) -> ContentItemQuerySet:
    """Never drafts, for anybody; nothing for those who have not signed in."""
    if viewer is None:
        return ContentItem.objects.none()
    found = ContentItem.objects.visible_to(viewer).findable()
    return found.filter(superseded_by=None)


def count(viewer: Viewer | None) -> int:
    return _seen(viewer).count()


def entries(viewer: Viewer | None, start: int, stop: int) -> list[Entry]:
    found = _seen(viewer).order_by("-content_changed_at", "pk")
    return _entries(found[start:stop])


def find(viewer: Viewer | None, words: str, limit: int) -> list[Entry]:
    """As the live preview finds."""
    if viewer is None:
        return []
    rows = preview(PreviewQuery(words, min(limit, MAX_LIMIT)), viewer)
    return _entries(_seen(viewer).filter(pk__in=[row.id for row in rows]))


def _entries(items: ContentItemQuerySet) -> list[Entry]:
    rows = items.annotate(
        short=Left("summary", _OPENING), opening=Left("content", _OPENING)
    ).values_list(*_COLUMNS)
    return [_entry(*row) for row in rows]


def _entry(
    pk: UUID, title: str, summary: str, opening: str, tags: list[str], changed: datetime
) -> Entry:
    return Entry(
        id=str(pk),
        title=title,
        description=_MARKUP.sub(" ", summary or opening).strip(),
        section="library",
        section_label="Library",
        slug=slugify(title),
        href=f"/items/{pk}",
        tags=tags,
        date=changed,
    )


SOURCE = Source(10, "library", count, entries, find, {"library": "article"})
