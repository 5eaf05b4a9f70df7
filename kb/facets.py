"""What the filter panel counts: each value of each filter, under the other filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import CharField, Count, F, Value
from django.db.models.functions import Cast

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import OPEN_COLUMNS, ItemFilters
from kb.models import ContentItem
from kb.querysets import conditions

COLUMNS = {
    **OPEN_COLUMNS,
    "content_type": "content_type",
    "review": "governance_review_status",
    "freshness": "freshness",
}


@dataclass(frozen=True)
class FacetValue:
    """`count` items match with this value and all other filters; `of` in the whole
    library, which orders a panel that must not move while one filters."""

    value: str
    count: int
    of: int


Facets = Mapping[str, tuple[FacetValue, ...]]


@dataclass(frozen=True)
class Totals:
    """How many items match, and how many there are without any filter."""

    matching: int
    library: int


def facets(filters: ItemFilters, viewer: Viewer, today: date) -> Facets:
    """Every value in use among the items that `viewer` may see, most used first; one
    query. Raises `BadInput` for a chosen value that nothing has."""
    visible = (
        ContentItem.objects.visible_to(viewer).live().with_freshness(today).order_by()
    )
    first, *rest = (
        visible.annotate(
            facet=Value(name, output_field=CharField()),
            value=Cast(F(column), CharField()),
        )
        .values("facet", "value")
        .annotate(
            count=Count("pk", filter=conditions(filters.without(name), viewer, today)),
            of=Count("pk"),
        )
        for name, column in COLUMNS.items()
    )
    found: dict[str, list[FacetValue]] = {name: [] for name in COLUMNS}
    for row in first.union(*rest, all=True):
        if row["value"]:
            found[row["facet"]].append(
                FacetValue(row["value"], row["count"], row["of"])
            )
    result = {
        name: tuple(sorted(values, key=lambda each: (-each.of, each.value.casefold())))
        for name, values in found.items()
    }
    _check(filters, result)
    return result


def totals(filters: ItemFilters, viewer: Viewer, today: date) -> Totals:
    counts = (
        ContentItem.objects.visible_to(viewer)
        .live()
        .aggregate(
            matching=Count("pk", filter=conditions(filters, viewer, today)),
            library=Count("pk", filter=conditions(ItemFilters(), viewer, today)),
        )
    )
    return Totals(**counts)


def _check(filters: ItemFilters, found: Facets) -> None:
    for name in OPEN_COLUMNS:
        known = {each.value.casefold(): each.value for each in found[name]}
        for value in getattr(filters, name):
            if value.casefold() not in known:
                raise BadInput.unknown(name, value, known)
