"""The one search: page, API, MCP, CLI and benchmarks all call `search`.

Other rooms import from here and from `search.types` alone.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from math import isqrt
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.viewer import Viewer
from kb.domain.supersession import current_versions
from kb.embedding import recipe as recipe_in_force
from kb.embeddings.base import Recipe, Vector
from kb.filters import ItemFilters
from kb.models import ContentItem
from search import facets, hybrid, legs, lexical, log, ranking, similar
from search.enums import Source
from search.insights import Insight, assign_gap, insight
from search.limits import spend_preview, spend_search, spend_sections
from search.log import clicked as record_click
from search.preview import PreviewQuery, PreviewRow, preview
from search.query_vectors import query_vector
from search.sections import SectionHit, SectionQuery, search_sections
from search.snippets import Snippet, snippets
from search.timeouts import Budget, search_transaction
from search.types import (
    Hit,
    Mode,
    SearchQuery,
    SearchResults,
)
from search.vocabulary import check_values

__all__ = [
    "Insight",
    "PreviewQuery",
    "PreviewRow",
    "SectionHit",
    "SectionQuery",
    "Source",
    "assign_gap",
    "insight",
    "preview",
    "record_click",
    "record_search",
    "search",
    "search_sections",
    "spend_preview",
    "spend_search",
    "spend_sections",
]


def search(
    query: SearchQuery, viewer: Viewer, now: datetime | None = None
) -> SearchResults:
    """What `viewer` may find for `query`, best first.

    Raises `BadInput` for a filter value or an item that does not exist,
    `EmbeddingUnavailable` when the query cannot be embedded (never falls back silently:
    keyword mode is the caller's choice), `SearchTimeout`.
    """
    now = now or timezone.now()
    clock = _Clock()
    budget = Budget(settings.SEARCH_STATEMENT_TIMEOUT_MS)
    recipe = recipe_in_force()
    if query.filters:
        with search_transaction(budget.quick_ms()):
            check_values(query.filters, viewer)
    with clock.time("embed"):
        vector = _vector(query, viewer, recipe, budget)
    with search_transaction(budget.left_ms()):
        with clock.time("rank"):
            words = lexical.analyse(query.text)
            plan = _plan(query, viewer, now, recipe, vector, words)
            ranked = hybrid.rank(plan)
        with clock.time("snippets"):
            hits = _hits(ranked, words, vector, viewer)
        counts = None
        if query.facets:
            with clock.time("facets"):
                counts = facets.count(
                    query.filters,
                    now.date(),
                    lambda others: (
                        ranked.matched
                        if others == query.filters
                        else _matched(plan, vector, query, others, viewer, recipe)
                    ),
                )
    return SearchResults(
        hits=hits,
        total=ranked.total,
        total_is_exact=ranked.is_exact,
        mode=query.mode,
        weak=bool(hits) and _weak(ranked, hits),
        degraded=("keyword",) if query.mode == Mode.KEYWORD else (),
        query=query,
        searched_at=now,
        timings_ms=clock.timings,
        facets=counts,
    )


def record_search(results: SearchResults, source: Source, viewer: Viewer) -> int | None:
    """Keep an answer in the log; its id, by which `record_click` is told of a click.
    None for a further page, and where nothing could be kept."""
    return log.record(log.Entry.of(results), source, viewer)


def _vector(
    query: SearchQuery, viewer: Viewer, recipe: Recipe, budget: Budget
) -> Vector | None:
    if query.similar_to:
        with search_transaction(budget.quick_ms()):
            return similar.vector_of(query.similar_to, viewer, recipe.name)
    return query_vector(query.text) if query.mode == Mode.HYBRID else None


def _plan(
    query: SearchQuery,
    viewer: Viewer,
    now: datetime,
    recipe: Recipe,
    vector: Vector | None,
    words: lexical.LexicalQuery,
) -> hybrid.Plan:
    items = legs.eligible(query, viewer, now.date(), recipe.name)
    if query.similar_to:
        items = items.exclude(pk__in=similar.itself_and_predecessors(query.similar_to))
    by = legs.Yardstick.of(vector, words)
    near = None
    if vector is not None:
        few = _few(query, viewer, now.date(), words.items)
        near = legs.nearest(items, by, exact=few)
    return hybrid.Plan(
        near=near,
        words=legs.best_words(items, by, words) if words.gate else None,
        pins=legs.pins(items, by, words) if query.text else [],
        lexical=words,
        threshold=recipe.threshold if query.threshold is None else query.threshold,
        now=now,
        limit=query.limit,
        offset=query.offset,
        all_ids=query.facets,
    )


def _matched(
    plan: hybrid.Plan,
    vector: Vector | None,
    query: SearchQuery,
    filters: ItemFilters,
    viewer: Viewer,
    recipe: Recipe,
) -> Sequence[UUID]:
    """The whole set that `plan` shows one page of, under other filters."""
    asked = replace(query, filters=filters, limit=1, offset=0)
    whole = _plan(asked, viewer, plan.now, recipe, vector, plan.lexical)
    return hybrid.rank(whole).matched


def _few(query: SearchQuery, viewer: Viewer, today: date, items: int) -> bool:
    """Whether so few of `items` pass the filters that reading them all is fastest."""
    if not query.filters:
        return False
    most = isqrt(ranking.EXACT_SCAN * max(items, ranking.EXACT_SCAN))
    passing = legs.passing(query, viewer, today).order_by().values("pk")
    return passing[: most + 1].count() <= most


def _weak(ranked: hybrid.Ranked, hits: tuple[Hit, ...]) -> bool:
    """Nothing near and no good word match: said, so that nobody takes it for more."""
    return (
        not any(hit.pinned for hit in hits)
        and ranked.best_cosine < ranking.WEAK_COSINE
        and ranked.trust < ranking.WEAK_WORDS
    )


def _hits(
    ranked: hybrid.Ranked,
    words: lexical.LexicalQuery,
    vector: Vector | None,
    viewer: Viewer,
) -> tuple[Hit, ...]:
    ids = [row.id for row in ranked.rows]
    items = _load(ids, viewer)
    found = snippets(ids, words, vector)
    return tuple(
        Hit(
            id=row.id,
            item=items[row.id],
            score=row.score,
            parts=row.parts,
            pinned=hybrid.pin_reason(row.pin_rank),
            snippet=found.get(row.id, Snippet("", "")).html,
            section=found.get(row.id, Snippet("", "")).heading,
        )
        for row in ranked.rows
        if row.id in items
    )


def _load(ids: list[UUID], viewer: Viewer) -> dict[UUID, ContentItem]:
    light = ContentItem.objects.defer("content", "summary_data")
    people = light.select_related("primary_domain", "verified_by", "owner")
    found = people.in_bulk(ids)
    replaced = [item.pk for item in found.values() if item.superseded_by_id]
    current = current_versions(viewer, replaced)
    in_use = light.in_bulk({each.id for each in current.values()})
    for pk in replaced:
        # Where its chain ends, as far as `viewer` sees it: for reading alone.
        found[pk].superseded_by = in_use[current[pk].id] if pk in current else None
    return found


class _Clock:
    def __init__(self) -> None:
        self.timings: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[name] = round((time.perf_counter() - started) * 1000, 2)
