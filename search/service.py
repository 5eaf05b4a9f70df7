"""The one search: page, API, MCP, CLI and benchmarks all call `search`."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import OperationalError
from django.utils import timezone
from kb.embedding import recipe as recipe_in_force
from psycopg.errors import QueryCanceled

from accounts.viewer import Viewer
from core.errors import Unavailable
from kb.embeddings.base import Vector
from kb.models import ContentItem
from search import hybrid, legs, lexical, ranking
from search.query_vectors import query_vector
from search.snippets import Snippet, snippets
from search.types import (
    Hit,
    Mode,
    PartWeights,
    SearchQuery,
    SearchResults,
)
from search.vocabulary import check_values

log = logging.getLogger("hub.search")


class SearchTimeout(Unavailable):
    code = "SEARCH_TIMEOUT"

    def __init__(self) -> None:
        super().__init__("The search took too long. Use fewer or rarer words.")


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
    with clock.time("rank"), _timeouts():
        words = lexical.analyse(query.text)
        items = legs.eligible(query, viewer, now.date(), recipe.name)
        plan = hybrid.Plan(
            near=None
            if vector is None
            else legs.nearest(items, vector, exact=_few(items, query)),
            words=legs.best_words(items, words) if words.gate else None,
            pins=legs.pins(items, words),
            vector=vector,
            lexical=words,
            weights=_weights(query),
            threshold=recipe.threshold if query.threshold is None else query.threshold,
            now=now,
            limit=query.limit,
            offset=query.offset,
        )
        ranked = hybrid.rank(plan, settings.SEARCH_STATEMENT_TIMEOUT_MS)
    with clock.time("snippets"), _timeouts():
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


def _few(items: legs.Items, query: SearchQuery) -> bool:
    """Whether so few rows pass the filters that scanning them all is fastest."""
    if not query.filters:
        return False
    bounded = items.order_by().values("pk")[: ranking.EXACT_SCAN + 1]
    return bounded.count() <= ranking.EXACT_SCAN


def _weights(query: SearchQuery) -> PartWeights:
    if query.mode == Mode.KEYWORD:
        return ranking.WEIGHTS.without_cosine()
    return ranking.WEIGHTS.moved(ranking.WEIGHTS.cosine)


def _weak(ranked: hybrid.Ranked, hits: tuple[Hit, ...]) -> bool:
    """Nothing near and no good word match: said, so that nobody takes it for more."""
    return (
        not any(hit.pinned for hit in hits)
        and ranked.best_cosine < ranking.WEAK_COSINE
        and ranked.best_words < ranking.WEAK_WORDS
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


@contextmanager
def _timeouts() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            log.warning("search over its time limit")
            raise SearchTimeout from error
        raise


class _Clock:
    def __init__(self) -> None:
        self.timings: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[name] = round((time.perf_counter() - started) * 1000, 2)
