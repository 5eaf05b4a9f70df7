"""The log of searches: what people look for, what they get, what they open.

It never fails or holds up a search, and nothing of it goes to the process's own log.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.viewer import Viewer
from kb.models import ContentItem
from search.enums import Source
from search.models import SearchLog
from search.sections import SectionHit, SectionQuery
from search.timeouts import search_transaction
from search.types import SearchResults

log = logging.getLogger("hub.search")

# An answer waits at most this long for its line in the log.
PATIENCE_MS = 250


@dataclass(frozen=True)
class Entry:
    """What the log keeps of one answer."""

    query: str
    filters: dict[str, Any]
    mode: str
    shown: Sequence[UUID]
    total: int
    duration_ms: float
    weak: bool = False
    offset: int = 0
    at: datetime = field(default_factory=timezone.now)

    @classmethod
    def of(cls, results: SearchResults) -> Self:
        asked = results.query
        like = {"similar_to": [str(asked.similar_to)]} if asked.similar_to else {}
        return cls(
            query=asked.text,
            filters=asked.filters.to_params() | like,
            mode=results.mode.value,
            shown=[hit.id for hit in results.hits],
            total=results.total,
            duration_ms=results.took_ms,
            weak=results.weak,
            offset=asked.offset,
            at=results.searched_at,
        )

    @classmethod
    def of_sections(
        cls, query: SectionQuery, hits: Sequence[SectionHit], duration_ms: float
    ) -> Self:
        return cls(
            query=query.text,
            filters=query.to_params(),
            mode="sections",
            shown=list(dict.fromkeys(hit.item.pk for hit in hits)),
            total=len(hits),
            duration_ms=duration_ms,
        )


def record(entry: Entry, source: Source, viewer: Viewer) -> int | None:
    """Keep one answer; its id, by which a click is told. None where nothing is kept:
    further pages of an answer, a log switched off, or a failure."""
    if entry.offset or not settings.SEARCH_LOG_DAYS:
        return None
    try:
        with search_transaction(PATIENCE_MS):
            return SearchLog.objects.create(
                created_at=entry.at,
                source=source,
                user_id=viewer.user_id,
                query=entry.query,
                filters=entry.filters,
                mode=entry.mode,
                hits=len(entry.shown),
                total=entry.total,
                found_nothing=entry.total == 0,
                weak=entry.weak,
                duration_ms=round(entry.duration_ms),
                shown=list(entry.shown),
            ).pk
    except Exception as error:
        log.warning("search not recorded", extra={"error": type(error).__name__})
        return None


def clicked(
    log_id: object, item_id: UUID, viewer: Viewer, now: datetime | None = None
) -> bool:
    """Note that `viewer` opened an item from an answer of their own; the first click
    stays. Whether it was noted; never fails."""
    number = str(log_id)
    if viewer.user_id is None or not (number.isascii() and number.isdigit()):
        return False
    try:
        with search_transaction(PATIENCE_MS):
            entry = SearchLog.objects.filter(
                pk=int(number[:20]), user=viewer.user_id, clicked_at=None
            ).first()
            visible = ContentItem.objects.visible_to(viewer)
            if entry is None or not visible.filter(pk=item_id).exists():
                return False
            shown = entry.shown
            entry.clicked_item_id = item_id
            entry.clicked_position = (
                shown.index(item_id) + 1 if item_id in shown else None
            )
            entry.clicked_at = now or timezone.now()
            entry.save(update_fields=["clicked_item", "clicked_position", "clicked_at"])
            return True
    except Exception as error:
        log.warning("click not recorded", extra={"error": type(error).__name__})
        return False


def purge(now: datetime) -> int:
    """Forget searches older than SEARCH_LOG_DAYS; how many."""
    before = now - timedelta(days=settings.SEARCH_LOG_DAYS)
    old = SearchLog.objects.filter(created_at__lt=before)
    return old._raw_delete(old.db)  # no cascades: nothing points at a line of the log
