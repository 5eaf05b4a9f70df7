"""A user's own labelled queries: how well they are answered, by which leg, and why an
expected item is missing.

The legs run once more beside the search itself, so that the ranking statement carries
nothing for this.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.embedding import recipe as recipe_in_force
from kb.enums import ReviewStatus
from kb.filters import ItemFilters
from kb.models import ContentItem, ItemIndex
from search import hybrid, legs, lexical
from search.labelled import Labelled
from search.query_vectors import query_vector
from search.service import search
from search.timeouts import search_transaction
from search.types import MAX_LIMIT, Mode, SearchQuery

TOP = 10


@dataclass(frozen=True)
class Legs:
    """Where each leg has an item, 1 first; a pin says why."""

    nearest: int | None
    words: int | None
    pin: str | None
    cosine: float | None

    @property
    def names(self) -> list[str]:
        found = {"nearest": self.nearest, "words": self.words, "pin": self.pin}
        return [name for name, place in found.items() if place is not None]


@dataclass(frozen=True)
class Expected:
    """One expected item: its place in the answer (within 100), and if it is not there,
    what lost it."""

    label: str
    item: UUID | None
    rank: int | None
    legs: Legs | None
    lost: str


@dataclass(frozen=True)
class Diagnosis:
    query: str
    filters: dict[str, list[str]]
    total: int
    expected: tuple[Expected, ...]

    @property
    def ranks(self) -> list[int]:
        return [each.rank for each in self.expected if each.rank]

    @property
    def ndcg(self) -> float:
        """At 10, every expected item being equally good."""
        gained = sum(_gain(rank) for rank in self.ranks if rank <= TOP)
        ideal = sum(_gain(n + 1) for n in range(min(TOP, len(self.expected))))
        return gained / ideal

    @property
    def recall(self) -> float:
        return len(self.ranks) / len(self.expected)

    @property
    def reciprocal(self) -> float:
        return 1 / min(self.ranks) if self.ranks else 0.0


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


@dataclass(frozen=True)
class Report:
    queries: tuple[Diagnosis, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "queries": len(self.queries),
            "ndcg_at_10": _mean([each.ndcg for each in self.queries]),
            "recall_at_100": _mean([each.recall for each in self.queries]),
            "mrr": _mean([each.reciprocal for each in self.queries]),
            "found_by": dict(self.found_by),
            "lost": dict(self.lost.most_common()),
            "results": [_diagnosis_json(each) for each in self.queries],
        }

    @property
    def _all(self) -> list[Expected]:
        return [each for query in self.queries for each in query.expected]

    @property
    def found_by(self) -> Counter[str]:
        found = Counter({"nearest": 0, "words": 0, "pin": 0})
        for each in self._all:
            if each.rank and each.legs:
                found.update(each.legs.names)
        return found

    @property
    def lost(self) -> Counter[str]:
        return Counter(each.lost for each in self._all if each.lost)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _diagnosis_json(found: Diagnosis) -> dict[str, Any]:
    return {
        "query": found.query,
        "filters": found.filters,
        "total": found.total,
        "ndcg_at_10": round(found.ndcg, 4),
        "recall_at_100": round(found.recall, 4),
        "expected": [
            {
                "expected": each.label,
                "id": str(each.item) if each.item else None,
                "rank": each.rank,
                "found_by": each.legs.names if each.legs else [],
                "nearest": each.legs.nearest if each.legs else None,
                "cosine": each.legs.cosine if each.legs else None,
                "words": each.legs.words if each.legs else None,
                "pin": each.legs.pin if each.legs else None,
                "lost": each.lost or None,
            }
            for each in found.expected
        ],
    }


def diagnose(
    labelled: Sequence[Labelled], viewer: Viewer, now: datetime, mode: object = None
) -> Report:
    """Raises as `search` does; what cannot be asked (a filter that names nothing) is a
    loss of its query alone."""
    return Report(tuple(_diagnose(each, viewer, now, mode) for each in labelled))


def _diagnose(
    labelled: Labelled, viewer: Viewer, now: datetime, mode: object
) -> Diagnosis:
    query = SearchQuery.of(
        labelled.query, filters=labelled.filters, limit=MAX_LIMIT, mode=mode
    )
    try:
        results = search(query, viewer, now)
    except BadInput as error:
        return _refused(query, labelled.expected, error.message)
    ranks = {hit.id: place for place, hit in enumerate(results.hits, 1)}
    legs_of = _Legs(query, viewer, now)
    expected: list[Expected] = []
    for label in labelled.expected:
        items = _named(label)
        if not items:
            expected.append(Expected(label, None, None, None, "no such item"))
        for item in items:
            where = legs_of.of(item.pk)
            rank = ranks.get(item.pk)
            lost = "" if rank else _lost(item, query, where, legs_of, viewer, now)
            expected.append(Expected(label, item.pk, rank, where, lost))
    return Diagnosis(
        query=query.text,
        filters=query.filters.to_params(),
        total=results.total,
        expected=tuple(expected),
    )


def _refused(query: SearchQuery, labels: Sequence[str], why: str) -> Diagnosis:
    expected = tuple(Expected(label, None, None, None, why) for label in labels)
    return Diagnosis(query.text, query.filters.to_params(), 0, expected)


def _named(label: str) -> list[ContentItem]:
    """Items with this id, title or source path; several may share a title."""
    items = ContentItem.objects.order_by("created_at")
    try:
        return list(items.filter(pk=UUID(label)))
    except ValueError:
        found = list(items.filter(source_path=label))
        return found or list(items.filter(title__iexact=label))


class _Legs:
    """The candidates of one query, leg by leg."""

    def __init__(self, query: SearchQuery, viewer: Viewer, now: datetime) -> None:
        recipe = recipe_in_force()
        hybrid_mode = query.mode == Mode.HYBRID
        vector = query_vector(query.text) if hybrid_mode else None
        self.threshold = (
            recipe.threshold if query.threshold is None else query.threshold
        )
        with search_transaction(settings.SEARCH_STATEMENT_TIMEOUT_MS):
            words = lexical.analyse(query.text)
            items = legs.eligible(query, viewer, now.date(), recipe.name)
            by = legs.Yardstick.of(vector, words)
            near = [] if vector is None else list(legs.nearest(items, by, exact=True))
            named = list(legs.best_words(items, by, words)) if words.gate else []
            pins = [row for leg in legs.pins(items, by, words) for row in leg]
        self._near = {row["id"]: place for place, row in enumerate(near, 1)}
        self._cosines = {row["id"]: round(1 - row["distance"], 4) for row in near}
        self._words = {row["id"]: place for place, row in enumerate(named, 1)}
        self._pins: dict[UUID, int] = {}
        for row in sorted(pins, key=lambda each: int(each["pin_rank"])):
            self._pins.setdefault(row["id"], row["pin_rank"])

    def of(self, item: UUID) -> Legs:
        cosine = self._cosines.get(item)
        near = cosine is not None and cosine >= self.threshold
        return Legs(
            nearest=self._near[item] if near else None,
            words=self._words.get(item),
            pin=hybrid.pin_reason(self._pins.get(item)),
            cosine=cosine,
        )


def _lost(
    item: ContentItem,
    query: SearchQuery,
    where: Legs,
    legs_of: _Legs,
    viewer: Viewer,
    now: datetime,
) -> str:
    """Why an item is not in the answer; the first reason that holds."""
    for reason in _left_out(item, query, viewer, now):
        return reason
    if where.names:
        return f"below the first {MAX_LIMIT}"
    if where.cosine is not None:
        return (
            f"no leg found it: its cosine {where.cosine} is below {legs_of.threshold}"
        )
    return "no leg found it"


def _left_out(
    item: ContentItem, query: SearchQuery, viewer: Viewer, now: datetime
) -> Iterator[str]:
    """What visibility and filters lose."""
    if item.archived_at:
        yield "expected item is archived"
    if item.governance_review_status == ReviewStatus.DRAFT:
        yield "expected item is a draft"
    if item.hidden_for_approval:
        yield "expected item is hidden until its edit is approved"
    if query.mode == Mode.HYBRID and not _embedded(item):
        yield "not embedded"
    params = query.filters.to_params()
    if item.superseded_by_id and not query.filters.include_superseded:
        yield "expected item is superseded"
    for name in params:
        only = ItemFilters.from_params(
            {"include_superseded": True} | {name: params[name]}
        )
        matching = ContentItem.objects.matching(only, viewer, now.date())
        if not matching.filter(pk=item.pk).exists():
            yield f"outside {name} filter"


def _embedded(item: ContentItem) -> bool:
    index = ItemIndex.objects.filter(pk=item.pk, recipe=recipe_in_force().name)
    return index.filter(embedding__isnull=False).exists()
