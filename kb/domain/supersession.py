"""From an item that was replaced to the one now in use.

Chains are followed to their end, or to the last item before a circle, which no
constraint of the database can exclude.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.viewer import Viewer
from kb.models import ContentItem

# Longer chains are a mistake; the bound keeps a bad one from running on.
MAX_STEPS = 50

_FOLLOW = """
WITH RECURSIVE chain(start, id, path) AS (
    SELECT item.id, item.superseded_by_id, ARRAY[item.id]
    FROM kb_contentitem AS item
    WHERE item.id = ANY(%(ids)s::uuid[]) AND item.superseded_by_id IS NOT NULL
  UNION ALL
    SELECT chain.start, item.superseded_by_id, chain.path || item.id
    FROM chain JOIN kb_contentitem AS item ON item.id = chain.id
    WHERE item.superseded_by_id IS NOT NULL
      AND item.id <> ALL(chain.path) AND cardinality(chain.path) < %(most)s
)
SELECT DISTINCT ON (start) start, path || id
FROM chain WHERE id <> ALL(path)
ORDER BY start, cardinality(path) DESC
"""


@dataclass(frozen=True)
class Current:
    """The item now in use instead of `replaced`. `reason` is why that one was
    replaced, in the words of who did it."""

    replaced: UUID
    id: UUID
    title: str
    reason: str
    steps: int

    @property
    def url(self) -> str:
        return ContentItem(pk=self.id).get_absolute_url()


def current_versions(viewer: Viewer, ids: Iterable[UUID]) -> dict[UUID, Current]:
    """For those of `ids` that were replaced: the last of their chain that `viewer` may
    see. An archived item is the end of a chain only if nothing better is."""
    chains = _chains(set(ids))
    if not chains:
        return {}
    seen = _seen(viewer, {pk for chain in chains.values() for pk in chain})
    found: dict[UUID, Current] = {}
    for start, (first, *later) in chains.items():
        usable = [pk for pk in later if pk in seen and not seen[pk]["archived_at"]]
        shown = usable or [pk for pk in later if pk in seen]
        if first in seen and shown:
            last = shown[-1]
            found[start] = Current(
                replaced=start,
                id=last,
                title=seen[last]["title"],
                reason=seen[first]["superseded_reason"],
                steps=later.index(last) + 1,
            )
    return found


def current_of(viewer: Viewer, item_id: UUID) -> Current | None:
    """None where the item was not replaced, or by nothing that `viewer` may see."""
    return current_versions(viewer, [item_id]).get(item_id)


def in_use(viewer: Viewer, item_id: UUID) -> UUID:
    """The item to use where `item_id` is asked for: mostly itself."""
    current = current_of(viewer, item_id)
    return current.id if current else item_id


def _chains(ids: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """Each replaced item with all that came after it."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"ids": [str(each) for each in ids], "most": MAX_STEPS}
        cursor.execute(_FOLLOW, values)
        return dict(cursor.fetchall())


def _seen(viewer: Viewer, ids: Collection[UUID]) -> Mapping[UUID, dict[str, Any]]:
    rows = ContentItem.objects.visible_to(viewer).filter(pk__in=ids)
    fields = ("pk", "title", "superseded_reason", "archived_at")
    return {row["pk"]: row for row in rows.values(*fields)}
