"""Stores drafts: creates what is new, changes what differs, leaves the rest alone.

Set-based throughout, so that fifty thousand records are a matter of minutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from accounts.viewer import Viewer
from operational.domain import confidence, details, history, relations, versions
from operational.drafts import Draft, FailureDraft, Ref
from operational.enums import EntityType
from operational.models import Entity

_FIELDS = ("title", "summary", "body", "tags", "source", "is_public")
_BATCH = 1_000


@dataclass
class Stored:
    created: list[Ref] = field(default_factory=list)
    changed: list[Ref] = field(default_factory=list)
    unchanged: list[Ref] = field(default_factory=list)
    # What a draft names and nothing has: draft, then the missing entity.
    missing: list[tuple[Ref, Ref]] = field(default_factory=list)


def plan(drafts: Sequence[Draft]) -> Stored:
    """What `store` would do; writes nothing."""
    stored, stated = Stored(), {draft.ref for draft in drafts}
    for batch in _batches(drafts):
        known = _known([draft.ref for draft in batch])
        for draft in batch:
            _verdict(stored, draft, known.get(draft.ref)).append(draft.ref)
        wanted = {ref for draft in batch for ref in relations.named(draft)} - stated
        there = set(_known(sorted(wanted, key=str)))
        stored.missing += [
            (draft.ref, ref)
            for draft in batch
            for ref in relations.named(draft)
            if ref in wanted - there
        ]
    return stored


def store(viewer: Viewer, drafts: Sequence[Draft], reason: str = "") -> Stored:
    """All or nothing. A name that leads nowhere is reported, and tried again by the
    next import of the same draft."""
    viewer.require_editor()
    stored = Stored()
    with transaction.atomic():
        new: list[tuple[Draft, Entity]] = []
        for batch in _batches(drafts):
            new += _entities(viewer, batch, stored, reason)
        for start in range(0, len(new), _BATCH):
            _connect(viewer, new[start : start + _BATCH], stored, reason)
    return stored


def _entities(
    viewer: Viewer, drafts: Sequence[Draft], stored: Stored, reason: str
) -> list[tuple[Draft, Entity]]:
    """Creates and changes entities; returns those with what they are to become."""
    known = _known([draft.ref for draft in drafts])
    create, change, pairs = [], [], []
    for draft in drafts:
        entity = known.get(draft.ref)
        verdict = _verdict(stored, draft, entity)
        verdict.append(draft.ref)
        if verdict is stored.unchanged:
            continue
        if entity is None:
            entity = Entity(type=draft.type, slug=draft.slug)
            create.append(entity)
        else:
            change.append(entity)
        for name, value in _values(draft).items():
            setattr(entity, name, value)
        pairs.append((draft, entity))
    history.create(viewer, create, reason)
    history.update(viewer, change, [*_FIELDS, "import_hash", "archived_at"], reason)
    keys = {_ref(e): e for e in _known([d.ref for d, _ in pairs]).values()}
    return [(draft, keys[draft.ref]) for draft, _ in pairs]


def _values(draft: Draft) -> dict[str, Any]:
    values = {name: getattr(draft, name) for name in _FIELDS}
    values["tags"] = list(draft.tags)
    return {**values, "import_hash": draft.hash, "archived_at": None}


def _connect(
    viewer: Viewer, pairs: Sequence[tuple[Draft, Entity]], stored: Stored, reason: str
) -> None:
    """Details and relationships: all that a draft may name exists by now."""
    named = {ref for draft, _ in pairs for ref in relations.named(draft)}
    there = {ref: entity.pk for ref, entity in _known(sorted(named, key=str)).items()}
    details.write(viewer, pairs, there, reason)
    touched = relations.write(viewer, pairs, there, reason)
    lost = [(d, e, r) for d, e in pairs for r in relations.named(d) if r not in there]
    stored.missing += [(draft.ref, ref) for draft, _, ref in lost]
    Entity.objects.filter(pk__in=[e.pk for _, e, _ in lost]).update(import_hash="")
    failures = {e.pk for d, e in pairs if isinstance(d.details, FailureDraft)}
    scored = confidence.recompute(failures | touched)
    versions.touch({entity.pk for _, entity in pairs} | touched | set(scored))


def _known(refs: Sequence[Ref]) -> dict[Ref, Entity]:
    wanted = set(refs)
    found = Entity.objects.filter(slug__in=[ref.slug for ref in refs])
    pairs = ((_ref(entity), entity) for entity in found)
    return {ref: entity for ref, entity in pairs if ref in wanted}


def _ref(entity: Entity) -> Ref:
    return Ref(EntityType(entity.type), entity.slug)


def _verdict(stored: Stored, draft: Draft, entity: Entity | None) -> list[Ref]:
    if entity is None:
        return stored.created
    return stored.unchanged if entity.import_hash == draft.hash else stored.changed


def _batches(drafts: Sequence[Draft]) -> list[Sequence[Draft]]:
    return [drafts[i : i + _BATCH] for i in range(0, len(drafts), _BATCH)]
