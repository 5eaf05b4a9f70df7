"""The one search: page, API, MCP, CLI and benchmarks all call `search`.

Other rooms import from here and from `search.types` alone.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.viewer import Viewer
from kb.embedding import recipe as recipe_in_force
from kb.embeddings.base import Recipe, Vector
from kb.models import ContentItem
from search import hybrid, legs, lexical, ranking
from search.limits import spend_preview, spend_search
from search.preview import PreviewQuery, PreviewRow, preview
from search.query_vectors import query_vector
from search.snippets import Snippet, snippets
from search.timeouts import search_transaction
from search.types import (
    Hit,
    Mode,
    SearchQuery,
    SearchResults,
)
from search.vocabulary import check_values

__all__ = [
    "PreviewQuery",
    "PreviewRow",
    "preview",
    "search",
    "spend_preview",
    "spend_search",
]


def search(
    query: SearchQuery, viewer: Viewer, now: datetime | None = None
) -> SearchResults:
    """What `viewer` may find for `query`, best first.

    Raises `BadInput` for a filter value that does not exist, `EmbeddingUnavailable`
    when the query cannot be embedded (never falls back silently: keyword mode is the
    caller's choice), `SearchTimeout`.
    """
    now = now or timezone.now()
    clock = _Clock()
    recipe = recipe_in_force()
    check_values(query.filters, viewer)
    with clock.time("embed"):
        vector = query_vector(query.text) if query.mode == Mode.HYBRID else None
    with search_transaction(settings.SEARCH_STATEMENT_TIMEOUT_MS):
        with clock.time("rank"):
            words = lexical.analyse(query.text)
            plan = _plan(query, viewer, now, recipe, vector, words)
            ranked = hybrid.rank(plan)
        with clock.time("snippets"):
            hits = _hits(ranked, words, vector)
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
    )


def _plan(
    query: SearchQuery,
    viewer: Viewer,
    now: datetime,
    recipe: Recipe,
    vector: Vector | None,
    words: lexical.LexicalQuery,
) -> hybrid.Plan:
    items = legs.eligible(query, viewer, now.date(), recipe.name)
    near = None
    if vector is not None:
        near = legs.nearest(items, vector, exact=_few(items, query))
    return hybrid.Plan(
        near=near,
        words=legs.best_words(items, words) if words.gate else None,
        pins=legs.pins(items, words),
        vector=vector,
        lexical=words,
        threshold=recipe.threshold if query.threshold is None else query.threshold,
        now=now,
        limit=query.limit,
        offset=query.offset,
    )


def _few(items: legs.Items, query: SearchQuery) -> bool:
    """Whether so few rows pass the filters that scanning them all is fastest."""
    if not query.filters:
        return False
    bounded = items.order_by().values("pk")[: ranking.EXACT_SCAN + 1]
    return bounded.count() <= ranking.EXACT_SCAN


def _weak(ranked: hybrid.Ranked, hits: tuple[Hit, ...]) -> bool:
    """Nothing near and no good word match: said, so that nobody takes it for more."""
    return (
        not any(hit.pinned for hit in hits)
        and ranked.best_cosine < ranking.WEAK_COSINE
        and ranked.trust < ranking.WEAK_WORDS
    )


def _hits(
    ranked: hybrid.Ranked, words: lexical.LexicalQuery, vector: Vector | None
) -> tuple[Hit, ...]:
    ids = [row.id for row in ranked.rows]
    items = _load(ids)
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


def _load(ids: list[UUID]) -> dict[UUID, ContentItem]:
    items = ContentItem.objects.select_related(
        "primary_domain", "verified_by", "owner", "superseded_by"
    ).defer("content", "summary_data")
    return items.in_bulk(ids)


class _Clock:
    def __init__(self) -> None:
        self.timings: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[name] = round((time.perf_counter() - started) * 1000, 2)
