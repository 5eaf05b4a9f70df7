"""What an entity is connected to, read from its own end: relationships in either
direction, membership of patterns, and what pathways name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from accounts.viewer import Viewer
from operational.enums import INVERSE, EntityType, RelationKind
from operational.models import (
    Entity,
    Failure,
    FailurePoint,
    PathwayStep,
    Relationship,
)

# Of one kind; a pattern may have thousands of failures.
MOST = 50
_SHOWN = ("type", "slug", "title")


@dataclass(frozen=True)
class Neighbour:
    """`verb` reads from the entity whose page it is; `label` along the arrow, which
    points at the neighbour where `outward`."""

    type: str
    title: str
    href: str
    verb: str
    label: str
    outward: bool
    note: str = ""

    @property
    def type_label(self) -> str:
        return EntityType(self.type).label


def neighbours(entity: Entity, viewer: Viewer | None) -> list[Neighbour]:
    """By verb; what two relations name is there twice, what a relation and a detail
    both say once."""
    found: dict[tuple[str, str], Neighbour] = {}
    for each in (*_related(entity, viewer), *_detailed(entity, viewer)):
        found.setdefault((each.verb, each.href), each)
    return sorted(found.values(), key=lambda each: each.verb)


def by_verb(found: Sequence[Neighbour]) -> list[tuple[str, list[Neighbour]]]:
    return [(verb, list(rows)) for verb, rows in groupby(found, lambda n: n.verb)]


def _related(entity: Entity, viewer: Viewer | None) -> Iterator[Neighbour]:
    seen = Entity.objects.visible_to(viewer).values("pk")
    out = Relationship.objects.filter(source=entity, target__in=seen)
    for each in out.select_related("target").order_by("kind", "target__title")[:MOST]:
        label = RelationKind(each.kind).label
        yield _one(each.target, label, label, outward=True)
    back = Relationship.objects.filter(target=entity, source__in=seen)
    for each in back.select_related("source").order_by("kind", "source__title")[:MOST]:
        label = RelationKind(each.kind).label
        yield _one(each.source, INVERSE[each.kind], label, outward=False)


def _detailed(entity: Entity, viewer: Viewer | None) -> Iterator[Neighbour]:
    seen = Entity.objects.visible_to(viewer)
    member = RelationKind.EXEMPLIFIES
    if entity.type == EntityType.FAILURE:
        for pattern in seen.filter(failures=entity.pk).only(*_SHOWN):
            yield _one(pattern, member.label, member.label, outward=True)
    if entity.type == EntityType.PATTERN:
        failures = Failure.objects.filter(pattern=entity).values("pk")
        for each in seen.filter(pk__in=failures).order_by("title")[:MOST]:
            yield _one(each, INVERSE[member], member.label, outward=False)
    yield from _on_pathways(entity, viewer)


def _on_pathways(entity: Entity, viewer: Viewer | None) -> Iterator[Neighbour]:
    seen = Entity.objects.visible_to(viewer).values("pk")
    risk, step = "names as a risk", "teaches"
    if entity.type == EntityType.PATHWAY:
        points = FailurePoint.objects.filter(pathway=entity.pk, failure__in=seen)
        for point in points.select_related("failure")[:MOST]:
            yield _one(point.failure, risk, risk, outward=True, note=point.likely_at)
        steps = PathwayStep.objects.filter(pathway=entity.pk, lesson__in=seen)
        for each in steps.select_related("lesson")[:MOST]:
            if each.lesson:
                yield _one(each.lesson, step, step, outward=True)
    if entity.type == EntityType.FAILURE:
        named = FailurePoint.objects.filter(failure=entity, pathway__entity__in=seen)
        for point in named.select_related("pathway__entity")[:MOST]:
            at = f"likely at {point.likely_at}" if point.likely_at else ""
            way = point.pathway.entity
            yield _one(way, "is a known risk in", risk, outward=False, note=at)
    if entity.type == EntityType.LESSON:
        ways = Entity.objects.visible_to(viewer).filter(pathway__steps__lesson=entity)
        for way in ways.distinct().order_by("title")[:MOST]:
            yield _one(way, "is taught by", step, outward=False)


def _one(
    entity: Entity, verb: str, label: str, *, outward: bool, note: str = ""
) -> Neighbour:
    return Neighbour(entity.type, entity.title, entity.href, verb, label, outward, note)
