"""Writes summaries where they are missing: by the chat model in force, or extraction.

Each text is read once. No transaction is open while a model works; a run may stop
anywhere and be started again.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.conf import settings

from kb.domain import summaries
from kb.querysets import ContentItemQuerySet
from kb.summarisers.base import NotSummarised, Source, Summariser
from kb.summarisers.chat import Chat, ChatSummariser
from kb.summarisers.extractive import Extractive

log = logging.getLogger("hub.summaries")

PAGE = 100

Progress = Callable[[int], object]


@dataclass
class Counts:
    """`failed` are texts that the model refused or answered without sense."""

    items: int = 0
    failed: int = 0
    left: int = 0


def summariser() -> Summariser:
    """The one in force."""
    return _built(
        settings.CHAT_MODEL,
        settings.CHAT_BASE_URL,
        settings.CHAT_API_KEY,
        settings.CHAT_TIMEOUT,
    )


@lru_cache(maxsize=1)
def _built(model: str, base_url: str, api_key: str, timeout: float) -> Summariser:
    if not model:
        return Extractive()
    return ChatSummariser(Chat(model, base_url, api_key, timeout))


def waiting() -> int:
    return summaries.waiting().count()


def generate(
    now: datetime,
    *,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
    until: float | None = None,
) -> Counts:
    """Summarise what waits: all, those of `ids`, `limit` items, or until the monotonic
    time `until`. Raises `SummariesUnavailable` when the model does not answer; what was
    done stays done."""
    chosen = summariser()
    queue = summaries.waiting()
    if ids is not None:
        queue = queue.filter(pk__in=[UUID(each) for each in ids])
    counts = Counts()
    for pk, title, content, text_hash in _rows(queue):
        if _enough(counts, limit, until):
            break
        try:
            found = chosen.summarise(Source(title, content))
        except NotSummarised as problem:
            told = {"item": str(pk), "detail": str(problem)}
            log.warning("not summarised", extra=told)
            counts.failed += 1
        else:
            summaries.store_summary(pk, found, text_hash, chosen.method, now)
            counts.items += 1
        if progress:
            progress(1)
    counts.left = queue.count()
    return counts


def _rows(queue: ContentItemQuerySet) -> Iterator[tuple[UUID, str, str, str]]:
    """Id, title, content and hash of each, a page at a time."""
    rows = queue.order_by("pk").values_list(
        "pk", "title", "content", "index__text_hash"
    )
    after = UUID(int=0)
    while page := list(rows.filter(pk__gt=after)[:PAGE]):
        yield from page
        after = page[-1][0]


def _enough(counts: Counts, limit: int | None, until: float | None) -> bool:
    done = counts.items + counts.failed
    return (limit is not None and done >= limit) or (
        until is not None and time.monotonic() >= until
    )
