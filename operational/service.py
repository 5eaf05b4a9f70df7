"""Operational search: the one service that page, API, MCP and benchmark ask."""

import time
from datetime import date

from django.utils import timezone

from accounts.viewer import Viewer
from operational.domain import index
from operational.models import Entity
from operational.pipeline.package import SHOWN, Blocks, blocks
from operational.pipeline.rank import FLOOR, MORE, Candidate
from operational.pipeline.search import search
from operational.types import (
    Match,
    MatchedEntity,
    OperationalAnswer,
    OperationalQuery,
    to_json,
)

__all__ = [
    "OperationalAnswer",
    "OperationalQuery",
    "operational_search",
    "to_json",
]


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
    public_only = viewer is None
    with index.library() as (library, version):
        found = search(
            query.text,
            library,
            today=today,
            of_type=query.type,
            public_only=public_only,
            floor=floor,
        )
        ranked = [(c, library.records[c.place].pk) for c in found.candidates]  # type: ignore[union-attr]
        messages = {
            pk: library.messages[c.message].template.shown
            for c, pk in ranked[:1]
            if c.message is not None
        }
    entities = (
        Entity.objects.filter(archived_at=None)
        .only(*SHOWN)
        .in_bulk([pk for _, pk in ranked[: more + 1]])
    )
    shown = [(c, entities[pk]) for c, pk in ranked[: more + 1] if pk in entities]
    first = shown[0] if shown else None
    around = (
        blocks(
            first[1], query.context, [pk for _, pk in ranked], public_only=public_only
        )
        if first
        else Blocks()
    )
    return OperationalAnswer(
        query_type=found.kind.value,
        confidence=first[0].confidence if first else 0,
        matched=_matched(first[1], first[0], messages) if first else None,
        debug_context=around.debug,
        lesson_impact=around.lesson,
        pathway_steps=around.pathway,
        additional=tuple(_match(entity, c) for c, entity in shown[1:]),
        took_ms=round((time.perf_counter() - started) * 1000, 3),
        version=version,
        day=today,
    )


def _match(entity: Entity, candidate: Candidate) -> Match:
    return Match(
        id=entity.key,
        type=entity.type,
        slug=entity.slug,
        title=entity.title,
        href=entity.href,
        confidence=candidate.confidence,
    )


def _matched(
    entity: Entity, candidate: Candidate, messages: dict[int, str]
) -> MatchedEntity:
    return MatchedEntity(
        id=entity.key,
        type=entity.type,
        slug=entity.slug,
        title=entity.title,
        href=entity.href,
        confidence=candidate.confidence,
        match_reason=candidate.reason.value,
        message=messages.get(entity.pk),
    )
