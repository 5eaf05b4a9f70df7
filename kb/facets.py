"""What the filter panel counts: each value of each filter, under the other filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import (
    BooleanField,
    Count,
    Expression,
    ExpressionWrapper,
    F,
    Q,
    TextField,
)
from django.db.models.functions import Cast

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import OPEN_COLUMNS, ItemFilters
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet, conditions

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
    query, one scan. Raises `BadInput` for a chosen value that nothing has."""
    # A filter that is not set changes nothing by being left out.
    without = [name if getattr(filters, name) else "none" for name in COLUMNS]
    values = {
        f"value_{name}": Cast(F(column), TextField())
        for name, column in COLUMNS.items()
    }
    matches = {
        f"without_{name}": _matches(filters.without(name), viewer, today)
        for name in dict.fromkeys(without)
    }
    items = _visible(viewer).with_freshness(today).annotate(**values, **matches)
    inner, params = items.values_list(*values, *matches).query.sql_with_params()
    counts = [f"count(*) FILTER (WHERE without_{name})" for name in without]
    sql = _COUNT.format(
        columns=", ".join(values),
        sets=", ".join(f"({name})" for name in values),
        counts=", ".join(counts),
        items=inner,
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows = cursor.fetchall()
    found = {name: _values(rows, place) for place, name in enumerate(COLUMNS)}
    _check(filters, found)
    return found


# One line for each value of each column; `grouped` has a zero bit for the column that
# the line is about. Values travel as parameters only.
_COUNT = """
SELECT grouping({columns}) AS grouped, count(*), {columns}, {counts}
FROM ({items}) AS item
GROUP BY GROUPING SETS ({sets})
"""


def _values(rows: list[tuple[Any, ...]], place: int) -> tuple[FacetValue, ...]:
    """The lines about the column at `place`, most used first."""
    width = len(COLUMNS)
    about = (1 << width) - 1 - (1 << (width - 1 - place))
    found = [
        FacetValue(row[2 + place], row[2 + width + place], row[1])
        for row in rows
        if row[0] == about and row[2 + place]
    ]
    return tuple(sorted(found, key=lambda each: (-each.of, each.value.casefold())))


def _matches(filters: ItemFilters, viewer: Viewer, today: date) -> Expression:
    # An empty condition cannot be selected; every item has a key.
    condition = Q(pk__isnull=False) & conditions(filters, viewer, today)
    return ExpressionWrapper(condition, output_field=BooleanField())


def _visible(viewer: Viewer) -> ContentItemQuerySet:
    return ContentItem.objects.visible_to(viewer).live().order_by()


def totals(filters: ItemFilters, viewer: Viewer, today: date) -> Totals:
    counts = _visible(viewer).aggregate(
        matching=Count("pk", filter=conditions(filters, viewer, today)),
        library=Count("pk", filter=conditions(ItemFilters(), viewer, today)),
    )
    return Totals(**counts)


def _check(filters: ItemFilters, found: Facets) -> None:
    for name in OPEN_COLUMNS:
        known = {each.value.casefold(): each.value for each in found[name]}
        for value in getattr(filters, name):
            if value.casefold() not in known:
                raise BadInput.unknown(name, value, known)
