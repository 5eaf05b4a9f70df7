"""What operational memory contributes to the index of everything and the jump list."""

from django.conf import settings
from django.db.models import Q

from accounts.viewer import Viewer
from core.navigation import Entry, Source
from core.text import fold
from operational.enums import EntityType
from operational.models import Entity
from operational.querysets import EntityQuerySet

_INDEXED = 3  # letters
_SHOWN = ("type", "slug", "title", "summary", "tags", "updated_at")


def count(viewer: Viewer | None) -> int:
    return Entity.objects.visible_to(viewer).count()


def entries(viewer: Viewer | None, start: int, stop: int) -> list[Entry]:
    found = Entity.objects.visible_to(viewer).order_by("-updated_at", "pk")
    return _entries(found[start:stop])


def find(viewer: Viewer | None, words: str, limit: int) -> list[Entry]:
    """Titles and slugs first; tags and summaries fill up, but for one or two letters,
    which no index finds and every text has."""
    seen = Entity.objects.visible_to(viewer)
    named, told = Q(), Q()
    asked = fold(words).split()
    for word in asked:
        by_name = Q(title__icontains=word) | Q(slug__icontains=word)
        named &= by_name
        told &= by_name | Q(summary__icontains=word) | Q(tags__contains=[word])
    found = _entries(seen.filter(named).order_by("-updated_at", "pk")[:limit])
    if len(found) < limit and max(map(len, asked)) >= _INDEXED:
        rest = seen.filter(told).exclude(named)
        found += _entries(rest.order_by("-updated_at", "pk")[: limit - len(found)])
    return found


def _entries(entities: EntityQuerySet) -> list[Entry]:
    return [
        Entry(
            id=entity.key,
            title=entity.title,
            description=entity.summary,
            section=entity.type,
            section_label=EntityType(entity.type).label,
            slug=entity.slug,
            href=entity.href,
            tags=entity.tags,
            date=entity.updated_at,
        )
        for entity in entities.only(*_SHOWN)
    ]


SOURCE = Source(
    order=20,
    name="operational",
    count=count,
    entries=entries,
    find=find,
    icons={each.value: each.value for each in EntityType} | {"case-study": "case"},
    is_public=lambda: settings.OPERATIONAL_PUBLIC,
)
