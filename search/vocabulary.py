"""Filter values with an open vocabulary must exist: a wrong one is refused by name."""

import logging

from django.core.cache import cache

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import OPEN_COLUMNS, ItemFilters
from kb.models import ContentItem

log = logging.getLogger("hub.search")

_REMEMBER = 60


def check_values(filters: ItemFilters, viewer: Viewer) -> None:
    """Raise `BadInput` naming close matches among what `viewer` may see."""
    for name, column in OPEN_COLUMNS.items():
        wanted = [value.casefold() for value in getattr(filters, name)]
        if wanted and not _remembered(column, viewer).issuperset(wanted):
            known = known_values(column, viewer)
            for value in wanted:
                if value not in known:
                    raise BadInput.unknown(name, value, known)


def known_values(column: str, viewer: Viewer) -> set[str]:
    """All values of `column` that `viewer` may see, folded for comparison."""
    visible = ContentItem.objects.visible_to(viewer).live()
    values = set(visible.order_by().values_list(column, flat=True).distinct())
    found = {each.casefold() for each in values if each}
    try:
        cache.set(_key(column, viewer), found, _REMEMBER)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})
    return found


def _remembered(column: str, viewer: Viewer) -> set[str]:
    """What existed within the last minute: enough to accept, never to refuse."""
    try:
        return cache.get(_key(column, viewer)) or set()
    except Exception:
        return set()


def _key(column: str, viewer: Viewer) -> str:
    return f"vocabulary:{viewer.sees_drafts}:{column}"
