"""The orders of browse mode. Each has one key; the id decides among equals."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import DateField, F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Left, Lower

# Titles are compared by their beginning, so that a cursor stays short.
_TITLE_PREFIX = 100


@dataclass(frozen=True)
class Sort:
    name: str
    label: str
    reverse_label: str
    key: Combinable
    descending: bool
    read: Callable[[Any], Any] = lambda value: value

    @property
    def own_order(self) -> str:
        return "desc" if self.descending else "asc"

    def write(self, value: Any) -> Any:
        return value.isoformat() if isinstance(value, date) else value


SORTS = {
    sort.name: sort
    for sort in (
        Sort(
            "updated",
            "Recently updated",
            "Longest unchanged",
            F("content_changed_at"),
            descending=True,
            read=datetime.fromisoformat,
        ),
        Sort(
            "newest",
            "Newest first",
            "Oldest first",
            F("created_at"),
            descending=True,
            read=datetime.fromisoformat,
        ),
        Sort(
            "title",
            "Title, A to Z",
            "Title, Z to A",
            Left(Lower("title"), _TITLE_PREFIX),
            descending=False,
        ),
        Sort(
            "quality_score",
            "Highest quality",
            "Lowest quality",
            F("quality_score"),
            descending=True,
        ),
        Sort(
            "next_review",
            "Next review",
            "Next review, last first",
            Coalesce(F("next_review_date"), Value(date.max, output_field=DateField())),
            descending=False,
            read=date.fromisoformat,
        ),
    )
}
DEFAULT = "updated"
