"""Browse mode: the items of one page, by keyset."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Q

from accounts.viewer import Viewer
from browse.cursor import Cursor
from browse.state import BrowseState
from kb.models import ContentItem

PAGE = 24


@dataclass(frozen=True)
class Listing:
    """`next` is where the list goes on, empty at its end; `shown` counts from the
    beginning of the list."""

    items: list[ContentItem]
    shown: int
    next: str


def listing(state: BrowseState, viewer: Viewer, today: date) -> Listing:
    """`state.pages` pages from `state.cursor` on."""
    key = "-sort_key" if state.descending else "sort_key"
    items = (
        ContentItem.objects.visible_to(viewer)
        .live()
        .matching(state.filters, viewer, today)
        .annotate(sort_key=state.sorting.key)
        .select_related("primary_domain", "verified_by")
        .defer("content", "summary_data")
        .order_by(key, "pk")
    )
    before = 0
    if state.cursor:
        cursor = Cursor.read(state.cursor, state.by)
        before = cursor.shown
        items = items.filter(_after(cursor, state))
    wanted = PAGE * state.pages
    found = list(items[: wanted + 1])
    shown = found[:wanted]
    more = len(found) > wanted
    total = before + len(shown)
    return Listing(shown, total, _place(shown[-1], state, total) if more else "")


def _after(cursor: Cursor, state: BrowseState) -> Q:
    value = state.sorting.read(cursor.value)
    beyond = "lt" if state.descending else "gt"
    return Q(**{f"sort_key__{beyond}": value}) | Q(sort_key=value, pk__gt=cursor.id)


def _place(last: Any, state: BrowseState, shown: int) -> str:
    value = state.sorting.write(last.sort_key)
    return str(Cursor(state.by, value, last.pk, shown))
