"""Relationships as drafts state them."""

from collections.abc import Iterator, Mapping, Sequence

from accounts.viewer import Viewer
from operational.domain import history
from operational.drafts import Draft, FailureDraft, PathwayDraft, Ref
from operational.models import Entity, Relationship


def named(draft: Draft) -> Iterator[Ref]:
    """All entities that a draft names."""
    for relation in draft.relations:
        yield relation.target
    if isinstance(draft.details, FailureDraft) and draft.details.pattern:
        yield draft.details.pattern
    if isinstance(draft.details, PathwayDraft):
        yield from (step.lesson for step in draft.details.steps if step.lesson)
        for point in draft.details.failure_points:
            yield point.failure
            if point.preventing_pattern:
                yield point.preventing_pattern


def write(
    viewer: Viewer,
    pairs: Sequence[tuple[Draft, Entity]],
    keys: Mapping[Ref, int],
    reason: str,
) -> set[int]:
    """Makes the outgoing relationships of each entity those of its draft; returns the
    entities at their other ends, old and new."""
    wanted = {
        (entity.pk, relation.kind, keys[relation.target])
        for draft, entity in pairs
        for relation in draft.relations
        if relation.target in keys and keys[relation.target] != entity.pk
    }
    sources = [entity.pk for _, entity in pairs]
    known = {
        (each.source_id, each.kind, each.target_id): each
        for each in Relationship.objects.filter(source__in=sources)
    }
    dropped = [each for key, each in known.items() if key not in wanted]
    for each in dropped:
        each.delete()  # one at a time: each leaves its history
    new = [
        Relationship(source_id=source, kind=kind, target_id=target)
        for source, kind, target in sorted(wanted - known.keys())
    ]
    history.create(viewer, new, reason)
    return {each.target_id for each in [*dropped, *new]}
