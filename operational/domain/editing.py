"""What editors change by hand. Each function checks permission, writes with history and
raises the graph's version."""

from collections.abc import Sequence
from datetime import datetime

from django.db import models, transaction
from django.utils import timezone

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict
from operational.domain import fixes
from operational.domain.entities import around
from operational.domain.symptoms import kept_keys, symptoms_of
from operational.enums import EntityType
from operational.models import (
    Entity,
    Failure,
    FailurePoint,
    Pathway,
    PathwayStep,
    Pattern,
    Relationship,
    Symptom,
)

Part = Failure | Pattern | Pathway
Row = PathwayStep | FailurePoint

_PARTS: dict[str, type[Part]] = {
    EntityType.FAILURE: Failure,
    EntityType.PATTERN: Pattern,
    EntityType.PATHWAY: Pathway,
}


def save_entity(viewer: Viewer, entity: Entity) -> Entity:
    """A new one gets the details of its type; the type of an old one stays."""
    viewer.require_editor()
    with transaction.atomic():
        known = Entity.objects.filter(pk=entity.pk).first()
        if known and known.type != entity.type:
            raise BadInput("The type stays. Make another entity.", field="type")
        _save(viewer, entity)
        details = _PARTS.get(entity.type)
        if known is None and details is not None:
            _save(viewer, details(entity=entity))
        around({entity.pk})
    return entity


def save_part(viewer: Viewer, part: Part, now: datetime | None = None) -> None:
    """The details of a failure, a pattern or a pathway."""
    viewer.require_editor()
    with transaction.atomic():
        if isinstance(part, Failure):
            old = Failure.objects.select_for_update().filter(pk=part.pk).first()
            fixes.settle(viewer, part, old, now or timezone.now())
        _save(viewer, part)
        around({part.pk})


def set_symptoms(viewer: Viewer, failure: Failure, texts: Sequence[str]) -> None:
    viewer.require_editor()
    bare = [text.strip() for text in texts if text.strip()]
    with transaction.atomic():
        made = symptoms_of(failure.pk, bare, kept_keys([failure.pk]))
        Symptom.objects.filter(failure=failure).delete()
        Symptom.objects.bulk_create(made)
        around({failure.pk})


def save_row(viewer: Viewer, row: Row) -> None:
    """A step or a failure point of a pathway."""
    viewer.require_editor()
    with transaction.atomic():
        row.save()
        around({row.pathway_id})


def remove_row(viewer: Viewer, row: Row) -> None:
    viewer.require_editor()
    with transaction.atomic():
        row.delete()
        around({row.pathway_id})


def relate(viewer: Viewer, relationship: Relationship) -> None:
    viewer.require_editor()
    source, target = relationship.source_id, relationship.target_id
    if source == target:
        raise BadInput("An entity is not related to itself.", field="target")
    same = Relationship.objects.filter(
        source=source, target=target, kind=relationship.kind
    )
    if same.exclude(pk=relationship.pk).exists():
        raise Conflict("These two are related so already.", field="target")
    with transaction.atomic():
        old = Relationship.objects.filter(pk=relationship.pk)
        touched = {pk for row in old.values_list("source", "target") for pk in row}
        _save(viewer, relationship)
        around(touched | {source, target})


def unrelate(viewer: Viewer, ids: Sequence[int]) -> int:
    viewer.require_editor()
    with transaction.atomic():
        found = list(Relationship.objects.filter(pk__in=ids))
        touched = {pk for each in found for pk in (each.source_id, each.target_id)}
        for each in found:
            each._history_user = _author(viewer)  # type: ignore[attr-defined]
            each.delete()
        around(touched)
    return len(found)


def _save(viewer: Viewer, instance: models.Model) -> None:
    instance._history_user = _author(viewer)  # type: ignore[attr-defined]
    instance.save()


def _author(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None
