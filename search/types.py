"""What goes into a search and what comes out: the same on every surface."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from core.errors import BadInput
from core.text import clean
from kb.filters import ItemFilters

MAX_QUERY = 2000
MAX_LIMIT = 100
DEFAULT_LIMIT = 20
MAX_OFFSET = 10_000


class Mode(StrEnum):
    HYBRID = "hybrid"
    KEYWORD = "keyword"


@dataclass(frozen=True)
class SearchQuery:
    """`threshold` is a cosine; None means the default of the recipe in force. With
    `similar_to` the vector is that item's own, and `text` may be empty."""

    text: str
    filters: ItemFilters = field(default_factory=ItemFilters)
    threshold: float | None = None
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    mode: Mode = Mode.HYBRID
    similar_to: UUID | None = None
    facets: bool = False

    @classmethod
    def of(
        cls,
        text: object = None,
        *,
        filters: ItemFilters | None = None,
        threshold: object = None,
        limit: object = None,
        offset: object = None,
        mode: object = None,
        similar_to: object = None,
        facets: object = None,
    ) -> Self:
        """Check what a caller sent; `BadInput` names the field."""
        like = item_id("similar_to", similar_to)
        chosen = _mode(mode)
        if like and chosen == Mode.KEYWORD:
            raise BadInput("Keyword mode finds words, not likeness.", field="mode")
        return cls(
            text="" if like and text in (None, "") else query_text(text),
            filters=filters or ItemFilters(),
            threshold=fraction("threshold", threshold),
            limit=clamped("limit", limit, DEFAULT_LIMIT, 1, MAX_LIMIT),
            offset=clamped("offset", offset, 0, 0, MAX_OFFSET),
            mode=chosen,
            similar_to=like,
            facets=boolean("facets", facets) or False,
        )


def query_text(value: object, name: str = "query") -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a text.", field=name)
    text = clean(value).strip()
    if not text:
        raise BadInput(f"{name} must not be empty.", field=name)
    if len(text) > MAX_QUERY:
        raise BadInput(f"{name} is longer than {MAX_QUERY} characters.", field=name)
    return text


def clamped(name: str, value: object, default: int, low: int, high: int) -> int:
    return min(max(whole(name, value, default), low), high)


def whole(name: str, value: object, default: int) -> int:
    """A whole number as JSON or text; the default for None."""
    if value is None or value == "":
        return default
    try:
        if isinstance(value, bool) or (isinstance(value, float) and value % 1):
            raise ValueError
        return int(str(value)[:20]) if isinstance(value, str) else int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must be a whole number.", field=name) from None


def fraction(name: str, value: object) -> float | None:
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must be a number from 0 to 1.", field=name) from None
    if not math.isfinite(number) or not 0 <= number <= 1:
        raise BadInput(f"{name} must be a number from 0 to 1.", field=name)
    return number


def boolean(name: str, value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise BadInput(f"{name} must be true or false.", field=name)


def item_id(name: str, value: object) -> UUID | None:
    if value is None or value == "":
        return None
    try:
        if not isinstance(value, str | UUID):
            raise ValueError
        return UUID(str(value))
    except ValueError:
        raise BadInput(f"{name} must be an item's id.", field=name) from None


def _mode(value: object) -> Mode:
    if value in (None, ""):
        return Mode.HYBRID
    try:
        return Mode(str(value))
    except ValueError:
        raise BadInput.unknown("mode", str(value), list(Mode)) from None


@dataclass(frozen=True)
class ScoreParts:
    """Each part as graded, 0 to 1, before its weight; `win_factor` multiplies."""

    cosine: float
    title: float
    body: float
    author: float
    recency: float
    win_factor: float
    weights: "PartWeights"


@dataclass(frozen=True)
class PartWeights:
    """The weights that this query was ranked with; they sum to 1."""

    cosine: float
    title: float
    body: float
    author: float
    recency: float


@dataclass(frozen=True)
class Hit:
    """One result. `item` is the row with its domain and people; `pinned` says why it
    stands before the score, if it does."""

    id: UUID
    item: Any
    score: float
    parts: ScoreParts
    pinned: str | None
    snippet: str = ""
    section: str = ""

    @property
    def relevance(self) -> float:
        """0 to 1, for people: how much of the score that is possible was reached."""
        return 1.0 if self.pinned else max(0.0, min(1.0, self.score))


# Filter → its values among the matches, with their counts, most frequent first.
Facets = Mapping[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class SearchResults:
    """Found, nothing found, or looked with less (`degraded` says what); what could not
    be looked at all is raised instead."""

    hits: tuple[Hit, ...]
    total: int
    total_is_exact: bool
    mode: Mode
    weak: bool
    degraded: tuple[str, ...]
    query: SearchQuery
    searched_at: datetime
    timings_ms: dict[str, float]
    facets: Facets | None = None

    @property
    def took_ms(self) -> float:
        return round(sum(self.timings_ms.values()), 1)

    @property
    def has_more(self) -> bool:
        return self.query.offset + len(self.hits) < self.total
