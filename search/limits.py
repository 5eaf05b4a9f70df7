"""The budgets that page, API and MCP share, per user."""

import hashlib
import logging
from dataclasses import replace

from django.conf import settings
from django.core.cache import cache

from accounts.viewer import Viewer
from core.ratelimit import Limit, spend
from search.sections import SectionQuery
from search.types import SearchQuery

log = logging.getLogger("hub.ratelimit")

NAVIGATIONS_PER_MINUTE = 240
# How long further pages of a paid query stay free.
_PAGES_FREE = 600


def spend_search(query: SearchQuery | SectionQuery, viewer: Viewer) -> None:
    """Count a search, of items or sections; further pages of the same query do not
    count again."""
    key = _paid_key(query, viewer)
    if query.offset and _paid(key):
        return
    spend_sections(viewer)
    try:
        cache.set(key, 1, _PAGES_FREE)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})


def spend_sections(viewer: Viewer) -> None:
    """A search among sections that has no further pages; its budget is that of
    searches."""
    spend(Limit("search", settings.SEARCHES_PER_MINUTE), viewer.limit_key)


def spend_preview(viewer: Viewer) -> None:
    spend(Limit("preview", settings.PREVIEWS_PER_MINUTE), viewer.limit_key)


def spend_navigation(key: str) -> None:
    """The index of everything, and the jump list of hubs too large for it."""
    spend(Limit("navigation", NAVIGATIONS_PER_MINUTE), key)


def _asked(query: SearchQuery | SectionQuery) -> object:
    """What makes two pages be of the same query."""
    if isinstance(query, SectionQuery):
        return replace(query, limit=1, offset=0)
    return (query.text, query.similar_to, query.filters, query.threshold, query.mode)


def _paid(key: str) -> bool:
    try:
        return bool(cache.get(key))
    except Exception:
        return False


def _paid_key(query: SearchQuery | SectionQuery, viewer: Viewer) -> str:
    asked = repr(_asked(query))
    digest = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
    return f"paid:{viewer.limit_key}:{digest}"
