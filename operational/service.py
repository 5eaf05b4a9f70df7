"""Operational search: the one service that page, API, MCP and benchmark ask."""

import time
from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from accounts.viewer import Viewer
from operational.domain import index
from operational.domain.index import warm
from operational.models import Entity
from operational.pipeline.package import SHOWN, Blocks, blocks
from operational.pipeline.rank import FLOOR, MORE, Candidate
from operational.pipeline.search import search
from operational.types import Match, OperationalAnswer, OperationalQuery, to_json

__all__ = [
    "OperationalAnswer",
    "OperationalQuery",
    "operational_search",
    "to_json",
    "warm",
]


@dataclass(frozen=True)
class _Hit:
    """A candidate outside the library: its entity's key and the message that fitted."""

    pk: int
    candidate: Candidate
    message: str = ""


@dataclass(frozen=True)
class _Found:
    kind: str
    hits: tuple[_Hit, ...]
    version: int
    nearest: int
    compared: int


def operational_search(
    query: OperationalQuery,
    viewer: Viewer | None,
    today: date | None = None,
    *,
    floor: int = FLOOR,
    more: int = MORE,
) -> OperationalAnswer:
    """The operational package for a question; `viewer` None sees public entities.

    Below `floor` there is no match; only the benchmark lowers it.
    """
    started = time.perf_counter()
    today = today or timezone.now().date()
    found = _found(query, viewer, today, floor)
    matches, around = _shown(query, viewer, found.hits, more)
    return OperationalAnswer(
        query_type=found.kind,
        confidence=matches[0].confidence if matches else 0,
        matched=matches[0] if matches else None,
        debug_context=around.debug,
        lesson_impact=around.lesson,
        pathway_steps=around.pathway,
        additional=tuple(matches[1:]),
        took_ms=round((time.perf_counter() - started) * 1000, 3),
        version=found.version,
        day=today,
        nearest=found.nearest,
        compared=found.compared,
    )


def _found(
    query: OperationalQuery, viewer: Viewer | None, today: date, floor: int
) -> _Found:
    """What the library in memory says; its places mean nothing outside."""
    with index.library() as (library, version):
        found = search(
            query.text,
            library,
            today=today,
            of_type=query.type,
            public_only=viewer is None,
            floor=floor,
        )
        hits = tuple(
            _Hit(library.pk_at(each.place), each, library.message_of(each.message))
            for each in found.candidates
        )
        return _Found(
            found.kind.value, hits, version, found.nearest, len(library.messages)
        )


def _shown(
    query: OperationalQuery, viewer: Viewer | None, hits: tuple[_Hit, ...], more: int
) -> tuple[list[Match], Blocks]:
    """The first matches as the database has them now, and what is around the first."""
    first = hits[: more + 1]
    entities = (
        Entity.objects.visible_to(viewer).only(*SHOWN).in_bulk([h.pk for h in first])
    )
    there = [(hit, entities[hit.pk]) for hit in first if hit.pk in entities]
    if not there:
        return [], Blocks()
    ranked = [hit.pk for hit in hits]
    around = blocks(there[0][1], query.context, ranked, viewer)
    return [_match(hit, entity) for hit, entity in there], around


def _match(hit: _Hit, entity: Entity) -> Match:
    return Match(
        id=entity.key,
        type=entity.type,
        slug=entity.slug,
        title=entity.title,
        href=entity.href,
        confidence=hit.candidate.confidence,
        match_reason=hit.candidate.reason.value,
        message=hit.message,
        line=hit.candidate.line,
    )
