"""Entities as Markdown that imports again to the same graph."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db.models import Prefetch, QuerySet

from core import frontmatter
from operational.enums import EntityType
from operational.importers.markdown import FIX_MARK
from operational.models import Entity, Failure, FailurePoint, PathwayStep, Relationship


def write(folder: Path) -> int:
    """One file an entity, by type; returns how many."""
    count = 0
    for entity in exported():
        path = folder / entity.type / f"{entity.slug}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(entity), encoding="utf-8")
        count += 1
    return count


def exported() -> QuerySet[Entity]:
    return (
        Entity.objects.filter(archived_at=None)
        .select_related("failure__pattern", "pattern", "pathway")
        .prefetch_related(
            "failure__symptoms",
            Prefetch(
                "outgoing",
                Relationship.objects.select_related("target").order_by(
                    "kind", "target__type", "target__slug"
                ),
            ),
            Prefetch("pathway__steps", PathwayStep.objects.select_related("lesson")),
            Prefetch(
                "pathway__failure_points",
                FailurePoint.objects.select_related("failure", "preventing_pattern"),
            ),
        )
        .order_by("type", "slug")
    )


def document(entity: Entity) -> str:
    stated: dict[str, Any] = {
        "entity": entity.type,
        "slug": entity.slug,
        "title": entity.title,
        "summary": entity.summary,
        "tags": entity.tags,
        "source": entity.source,
        "public": "" if entity.is_public else "false",
        **dict(_details(entity)),
        "relations": _relations(entity),
    }
    fields = {
        name: value for name, value in stated.items() if value not in ("", [], {})
    }
    body = entity.body
    if entity.type == EntityType.FAILURE:
        body = f"{body}\n\n{FIX_MARK}\n\n{_fix(entity)}"
    return frontmatter.join(fields, f"{body.strip()}\n")


def _fix(entity: Entity) -> str:
    failure = getattr(entity, "failure", None)
    return failure.verified_fix if failure else ""


def _details(entity: Entity) -> Iterator[tuple[str, Any]]:
    if failure := getattr(entity, "failure", None):
        yield from _failure(failure)
    if pattern := getattr(entity, "pattern", None):
        yield "keywords", pattern.keywords
        yield "prevention", pattern.prevention_checklist
    if pathway := getattr(entity, "pathway", None):
        yield "estimated_time", pathway.estimated_time
        yield "steps", [_step(each) for each in pathway.steps.all()]
        yield "failure_points", [_point(each) for each in pathway.failure_points.all()]


def _failure(failure: Failure) -> Iterator[tuple[str, Any]]:
    yield "failure_type", failure.failure_type
    yield "severity", failure.severity
    yield "recovery_complexity", failure.recovery_complexity
    yield "estimated_resolution", failure.estimated_resolution
    yield "fix_state", failure.fix_state
    yield "instance_count", str(failure.instance_count)
    last = failure.last_occurrence
    yield "last_occurrence", last.isoformat() if last else ""
    yield "pattern", failure.pattern.slug if failure.pattern else ""
    yield "symptoms", [symptom.text for symptom in failure.symptoms.all()]
    yield "prevention", failure.prevention_steps
    yield "evidence", failure.evidence


def _step(step: PathwayStep) -> dict[str, str]:
    row = {
        "description": step.description,
        "lesson": step.lesson.slug if step.lesson else "",
        "estimated_time": step.estimated_time,
        "success_criteria": step.success_criteria,
    }
    return {name: value for name, value in row.items() if value}


def _point(point: FailurePoint) -> dict[str, str]:
    pattern = point.preventing_pattern
    row = {
        "failure": point.failure.slug,
        "likely_at": point.likely_at,
        "pattern": pattern.slug if pattern else "",
    }
    return {name: value for name, value in row.items() if value}


def _relations(entity: Entity) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for relation in entity.outgoing.all():
        if relation.target.archived_at is None:
            kinds.setdefault(relation.kind, []).append(relation.target.key)
    return kinds
