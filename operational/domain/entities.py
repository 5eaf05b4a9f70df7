"""Changes that people make to entities, one function each."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.viewer import Viewer
from core.errors import NotFound
from operational.domain import confidence, history, versions
from operational.models import Entity, Relationship


def archive(viewer: Viewer, ids: Sequence[int], now: datetime | None = None) -> int:
    return _set_archived(viewer, ids, now or timezone.now())


def restore(viewer: Viewer, ids: Sequence[int]) -> int:
    return _set_archived(viewer, ids, None)


def _set_archived(viewer: Viewer, ids: Sequence[int], when: datetime | None) -> int:
    """How many changed; what is so already stays as it is."""
    viewer.require_editor()
    with transaction.atomic():
        found = locked(ids)
        changed = [
            each for each in found if (each.archived_at is None) != (when is None)
        ]
        for each in changed:
            each.archived_at = when
        reason = "Archived" if when else "Restored"
        history.update(viewer, changed, ["archived_at"], reason)
        around({each.pk for each in changed})
    return len(changed)


def locked(ids: Sequence[int]) -> list[Entity]:
    found = list(Entity.objects.filter(pk__in=ids).select_for_update().order_by("pk"))
    if len(found) != len(set(ids)):
        raise NotFound("This entity does not exist.")
    return found


def around(ids: set[int]) -> None:
    """After a change: scores of what these entities touch, and the graph's version."""
    if not ids:
        return
    resolved = Relationship.objects.filter(source__in=ids).values_list(
        "target", flat=True
    )
    scored = confidence.recompute(ids | set(resolved))
    versions.touch(ids | set(scored) | set(resolved))
