"""What the matches of a search are, filter by filter, each under the other filters."""

from collections import Counter
from collections.abc import Callable, Collection
from datetime import date
from uuid import UUID

from kb.facets import COLUMNS
from kb.filters import ItemFilters
from kb.models import ContentItem
from search.types import Facets

Matched = Callable[[ItemFilters], Collection[UUID]]


def count(filters: ItemFilters, today: date, matched: Matched) -> Facets:
    """`matched` gives the ids of all matches under some filters; it is asked once for
    each filter that is set, and once for all others together."""
    counted: dict[ItemFilters, dict[str, Counter[str]]] = {}
    found = {}
    for name in COLUMNS:
        others = filters.without(name)
        if others not in counted:
            counted[others] = _counters(matched(others), today)
        values = counted[others][name].items()
        found[name] = tuple(sorted(values, key=lambda each: (-each[1], each[0])))
    return found


def _counters(ids: Collection[UUID], today: date) -> dict[str, Counter[str]]:
    rows = list(
        ContentItem.objects.filter(pk__in=ids)
        .order_by()
        .with_freshness(today)
        .values_list(*COLUMNS.values())
    )
    return {
        name: Counter(row[place] for row in rows if row[place])
        for place, name in enumerate(COLUMNS)
    }
