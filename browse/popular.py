"""What the library has most of, among the items that one may see: never what other
people looked for."""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.core.cache import cache
from django.db.models import Count, F, Func

from accounts.viewer import Viewer
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet

log = logging.getLogger("hub.browse")

DOMAINS = 3
TOPICS = 6
_KEPT = int(timedelta(hours=24).total_seconds())

Counted = list[tuple[str, int]]


def top_domains(viewer: Viewer) -> Counted:
    """The domains with most items, and how many."""
    return _kept("domains", viewer, lambda items: _most(items, "primary_domain__name"))[
        :DOMAINS
    ]


def topics(viewer: Viewer) -> list[str]:
    """Subtopics, most used first; keywords where there are few."""
    return [name for name, _ in _kept("topics", viewer, _topics)]


def _topics(items: ContentItemQuerySet) -> Counted:
    found = _most(items, "subtopic")[:TOPICS]
    if len(found) < TOPICS:
        words = items.annotate(word=Func(F("ai_keywords"), function="unnest"))
        known = {name.casefold() for name, _ in found}
        found += [
            pair for pair in _most(words, "word") if pair[0].casefold() not in known
        ]
    return found[:TOPICS]


def _most(items: ContentItemQuerySet, column: str) -> Counted:
    counted = items.values_list(column).annotate(of=Count("pk")).order_by("-of", column)
    # One more than asked for: items without one are counted too.
    return [(name, of) for name, of in counted[: TOPICS + 1] if name]


def _kept(
    name: str, viewer: Viewer, compute: Callable[[ContentItemQuerySet], Counted]
) -> Counted:
    """From the cache, one for those who see drafts and one for those who do not."""
    key = f"popular:{name}:{'drafts' if viewer.sees_drafts else 'public'}"
    try:
        found = cache.get(key)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})
        found = None
    if found is None:
        items = ContentItem.objects.visible_to(viewer).live()
        found = compute(items.filter(superseded_by=None).order_by())
        _keep(key, found)
    return [(name, of) for name, of in found]


def _keep(key: str, found: Counted) -> None:
    try:
        cache.set(key, found, _KEPT)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})
