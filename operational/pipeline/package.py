"""From the ranked matches to the operational package: what the graph says around the
first of them. A fixed number of queries, whatever the size of the graph."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from accounts.viewer import Viewer
from operational.enums import EntityType, RelationKind
from operational.models import (
    Entity,
    Failure,
    FailurePoint,
    Feedback,
    Pathway,
    Pattern,
    Relationship,
)
from operational.querysets import EntityQuerySet
from operational.types import (
    DebugContext,
    FailurePointRef,
    FixOutcomes,
    LessonImpact,
    Link,
    PathwaySteps,
    Step,
)

# Of an entity, all that an answer shows.
SHOWN = ("type", "slug", "title", "is_public", "archived_at")

_BLOCK_OF = {
    EntityType.FAILURE: EntityType.FAILURE,
    EntityType.PATTERN: EntityType.FAILURE,
    EntityType.LESSON: EntityType.LESSON,
    EntityType.PATHWAY: EntityType.PATHWAY,
}


@dataclass(frozen=True)
class Blocks:
    debug: DebugContext | None = None
    lesson: LessonImpact | None = None
    pathway: PathwaySteps | None = None


def blocks(
    entity: Entity, context: str | None, ranked: Sequence[int], viewer: Viewer | None
) -> Blocks:
    """The block that `context` asks for, else the entity's own. `ranked` are the ids
    of the other matches in order: they decide which of several is best."""
    scope = Scope(viewer, ranked)
    wanted = context or _BLOCK_OF.get(EntityType(entity.type))
    if wanted == EntityType.FAILURE:
        return Blocks(debug=_debug(entity, scope))
    if wanted == EntityType.LESSON:
        return Blocks(lesson=_lesson(scope.best(entity, EntityType.LESSON), scope))
    if wanted == EntityType.PATHWAY:
        return Blocks(pathway=_pathway(scope.best(entity, EntityType.PATHWAY), scope))
    return Blocks()


@dataclass(frozen=True)
class Scope:
    """What the caller may see, and the order of the other matches."""

    viewer: Viewer | None
    ranked: Sequence[int]

    def visible(self) -> EntityQuerySet:
        return Entity.objects.visible_to(self.viewer)

    def sees(self, entity: Entity) -> bool:
        public = entity.is_public or self.viewer is not None
        return entity.archived_at is None and public

    def slug(self, entity: Entity | None) -> str | None:
        return entity.slug if entity and self.sees(entity) else None

    def best(self, entity: Entity, kind: EntityType) -> Entity | None:
        """The entity itself, or the best one of that type that it is related to."""
        if entity.type == kind:
            return entity
        pks = {entity.pk}
        if entity.type == EntityType.PATTERN:
            members = Failure.objects.filter(pattern=entity)
            pks |= set(members.values_list("pk", flat=True))
        return min(_near(pks, kind, self), key=self._order, default=None)

    def _order(self, entity: Entity) -> tuple[int, str]:
        place = {pk: n for n, pk in enumerate(self.ranked)}
        return place.get(entity.pk, len(place)), entity.slug


def _near(pks: Collection[int], kind: EntityType, scope: Scope) -> list[Entity]:
    """Entities of a type related to these, in either direction, in one query."""
    edges, points = Relationship.objects, FailurePoint.objects
    related = Q(pk__in=edges.filter(source__in=pks).values("target"))
    related |= Q(pk__in=edges.filter(target__in=pks).values("source"))
    if kind == EntityType.PATHWAY:
        named = Q(failure__in=pks) | Q(preventing_pattern__in=pks)
        related |= Q(pk__in=points.filter(named).values("pathway"))
        related |= Q(pk__in=Pathway.objects.filter(steps__lesson__in=pks).values("pk"))
    if kind == EntityType.FAILURE:
        related |= Q(pk__in=points.filter(pathway__in=pks).values("failure"))
        related |= Q(failure__pattern__in=pks)
    found = scope.visible().filter(related, type=kind).exclude(pk__in=pks)
    return list(found.only(*SHOWN).order_by("slug"))


def _debug(entity: Entity, scope: Scope) -> DebugContext | None:
    failure = _failure_for(entity, scope)
    if failure is None:
        return None
    pattern = _pattern_of(entity, failure, scope)
    checklist = list(failure.prevention_steps)
    if pattern:
        checklist = list(
            dict.fromkeys([*pattern.prevention_checklist, *failure.prevention_steps])
        )
    named = pattern.entity if pattern else None
    return DebugContext(
        failure_slug=failure.entity.slug,
        failure_title=failure.entity.title,
        confidence_score=failure.confidence_score,
        severity=failure.severity,
        recovery_complexity=failure.recovery_complexity,
        estimated_resolution=failure.estimated_resolution,
        verified_fix=failure.verified_fix,
        fix_state=failure.fix_state,
        fix_outcomes=_outcomes(failure),
        pattern_id=named.key if named else None,
        pattern_name=named.title if named else None,
        prevention_checklist=tuple(checklist),
        related_lessons=_lessons(entity, failure, scope),
        evidence=tuple(
            {key: str(each.get(key, "")) for key in ("type", "path", "descriptor")}
            for each in failure.evidence
            if isinstance(each, dict)
        ),
    )


def _failure_for(entity: Entity, scope: Scope) -> Failure | None:
    found = Failure.objects.select_related("entity", "pattern__pattern").defer(
        "entity__body", "pattern__body"
    )
    if entity.type == EntityType.FAILURE:
        return found.filter(pk=entity.pk).first()
    if entity.type == EntityType.PATTERN:
        members = found.filter(pattern=entity, entity__in=scope.visible())
        order = {pk: n for n, pk in enumerate(scope.ranked)}
        return min(
            members,
            key=lambda f: (
                order.get(f.pk, len(order)),
                -f.confidence_score,
                f.entity.slug,
            ),
            default=None,
        )
    related = scope.best(entity, EntityType.FAILURE)
    return found.filter(pk=related.pk).first() if related else None


def _pattern_of(entity: Entity, failure: Failure, scope: Scope) -> Pattern | None:
    """The pattern asked about, or the failure's, if the caller may see it."""
    pattern = entity if entity.type == EntityType.PATTERN else failure.pattern
    if pattern is None or not scope.sees(pattern):
        return None
    details: Pattern | None = getattr(pattern, "pattern", None)
    return details


def _outcomes(failure: Failure) -> FixOutcomes:
    row = Feedback.objects.filter(failure=failure).aggregate(
        good=Count("pk", filter=Q(worked=True)),
        bad=Count("pk", filter=Q(worked=False)),
        last=Max("created_at"),
    )
    last = row["last"].isoformat() if row["last"] else None
    return FixOutcomes(row["good"], row["bad"], last)


def _lessons(entity: Entity, failure: Failure, scope: Scope) -> tuple[Link, ...]:
    near = _near({entity.pk, failure.pk}, EntityType.LESSON, scope)
    return tuple(link(each) for each in near)


def _lesson(lesson: Entity | None, scope: Scope) -> LessonImpact | None:
    if lesson is None:
        return None
    out = list(
        Relationship.objects.filter(source=lesson, target__in=scope.visible())
        .select_related("target")
        .order_by("target__slug")
    )

    def targets(kind: str, of_type: str | None = None) -> list[Link]:
        return [
            link(each.target)
            for each in out
            if each.kind == kind and of_type in (None, each.target.type)
        ]

    playbooks = targets(RelationKind.IMPLEMENTS, EntityType.PLAYBOOK)
    return LessonImpact(
        lesson_slug=lesson.slug,
        lesson_title=lesson.title,
        failures_prevented=tuple(targets(RelationKind.PREVENTS, EntityType.FAILURE)),
        prerequisite_for=tuple(targets(RelationKind.PREREQUISITE_FOR)),
        implements_playbook=playbooks[0] if playbooks else None,
    )


def _pathway(entity: Entity | None, scope: Scope) -> PathwaySteps | None:
    pathway = (
        Pathway.objects.filter(entity=entity)
        .prefetch_related(
            "steps__lesson",
            "failure_points__failure",
            "failure_points__preventing_pattern",
        )
        .first()
    )
    if entity is None or pathway is None:
        return None
    return PathwaySteps(
        pathway_title=entity.title,
        estimated_time=pathway.estimated_time,
        steps=tuple(
            Step(
                order=order,
                description=step.description,
                lesson_slug=scope.slug(step.lesson),
                estimated_time=step.estimated_time,
                success_criteria=step.success_criteria,
            )
            for order, step in enumerate(pathway.steps.all(), start=1)
        ),
        known_failure_points=tuple(
            FailurePointRef(
                failure_slug=point.failure.slug,
                likely_at=point.likely_at,
                prevention_pattern=scope.slug(point.preventing_pattern),
            )
            for point in pathway.failure_points.all()
            if scope.sees(point.failure)
        ),
    )


def link(entity: Entity) -> Link:
    return Link(entity.slug, entity.title, entity.href)
