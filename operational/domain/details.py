"""What drafts say beyond their entity, written in bulk."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.viewer import Viewer
from operational.domain import history
from operational.domain.symptoms import kept_keys, symptoms_of
from operational.drafts import Draft, FailureDraft, PathwayDraft, PatternDraft, Ref
from operational.enums import FixState
from operational.models import (
    Entity,
    Failure,
    FailurePoint,
    Pathway,
    PathwayStep,
    Pattern,
    Symptom,
)

Pairs = Sequence[tuple[Draft, Entity]]
Keys = Mapping[Ref, int]

# What an import changes only when the record states it.
_STATED = (
    "severity",
    "recovery_complexity",
    "fix_state",
    "instance_count",
    "last_occurrence",
)


def write(viewer: Viewer, pairs: Pairs, keys: Keys, reason: str) -> None:
    _failures(viewer, pairs, keys, reason)
    _patterns(viewer, pairs, reason)
    _pathways(viewer, pairs, keys, reason)


def _failures(viewer: Viewer, pairs: Pairs, keys: Keys, reason: str) -> None:
    stated = {e.pk: d.details for d, e in pairs if isinstance(d.details, FailureDraft)}
    known = Failure.objects.in_bulk(list(stated))
    kept = kept_keys(list(known))
    create, change, symptoms = [], [], []
    for pk, draft in stated.items():
        failure = known.get(pk)
        if failure is None:
            failure = Failure(entity_id=pk)
            create.append(failure)
        else:
            change.append(failure)
        old_fix = failure.verified_fix
        for name, value in _failure_values(draft, keys).items():
            setattr(failure, name, value)
        if failure.verified_fix != old_fix and draft.fix_state is None:
            failure.fix_state = FixState.SUGGESTED  # another text is another fix
        symptoms += symptoms_of(pk, draft.symptoms, kept)
    history.create(viewer, create, reason)
    history.update(viewer, change, [*_plain(), *_STATED], reason)
    Symptom.objects.filter(failure_id__in=list(known)).delete()
    Symptom.objects.bulk_create(symptoms, batch_size=2_000)


def _plain() -> list[str]:
    return [
        "failure_type",
        "estimated_resolution",
        "verified_fix",
        "pattern",
        "prevention_steps",
        "evidence",
    ]


def _failure_values(draft: FailureDraft, keys: Keys) -> dict[str, Any]:
    values: dict[str, Any] = {
        "failure_type": draft.failure_type,
        "estimated_resolution": draft.estimated_resolution,
        "verified_fix": draft.fix,
        "pattern_id": keys.get(draft.pattern) if draft.pattern else None,
        "prevention_steps": list(draft.prevention_steps),
        "evidence": [
            {"type": e.type, "path": e.path, "descriptor": e.descriptor}
            for e in draft.evidence
        ],
    }
    stated = {name: getattr(draft, name) for name in _STATED}
    return values | {n: value for n, value in stated.items() if value is not None}


def _patterns(viewer: Viewer, pairs: Pairs, reason: str) -> None:
    stated = {e.pk: d.details for d, e in pairs if isinstance(d.details, PatternDraft)}
    known = Pattern.objects.in_bulk(list(stated))
    parts = [known.get(pk) or Pattern(entity_id=pk) for pk in stated]
    for part in parts:
        part.keywords = list(stated[part.pk].keywords)
        part.prevention_checklist = list(stated[part.pk].prevention_checklist)
    history.create(viewer, [part for part in parts if part.pk not in known], reason)
    changed = [part for part in parts if part.pk in known]
    history.update(viewer, changed, ["keywords", "prevention_checklist"], reason)


def _pathways(viewer: Viewer, pairs: Pairs, keys: Keys, reason: str) -> None:
    stated = {e.pk: d.details for d, e in pairs if isinstance(d.details, PathwayDraft)}
    if not stated:
        return
    known = Pathway.objects.in_bulk(list(stated))
    parts = [known.get(pk) or Pathway(entity_id=pk) for pk in stated]
    for part in parts:
        part.estimated_time = stated[part.pk].estimated_time
    history.create(viewer, [part for part in parts if part.pk not in known], reason)
    changed = [part for part in parts if part.pk in known]
    history.update(viewer, changed, ["estimated_time"], reason)
    PathwayStep.objects.filter(pathway_id__in=list(stated)).delete()
    FailurePoint.objects.filter(pathway_id__in=list(stated)).delete()
    for pk, draft in stated.items():
        PathwayStep.objects.bulk_create(
            PathwayStep(
                pathway_id=pk,
                position=position,
                description=step.description,
                lesson_id=keys.get(step.lesson) if step.lesson else None,
                estimated_time=step.estimated_time,
                success_criteria=step.success_criteria,
            )
            for position, step in enumerate(draft.steps, start=1)
        )
        FailurePoint.objects.bulk_create(
            FailurePoint(
                pathway_id=pk,
                failure_id=keys[point.failure],
                likely_at=point.likely_at,
                preventing_pattern_id=(
                    keys.get(point.preventing_pattern)
                    if point.preventing_pattern
                    else None
                ),
            )
            for point in draft.failure_points
            if point.failure in keys
        )
