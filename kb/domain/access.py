"""Which items a write may touch: the visible ones, locked for the transaction."""

from collections.abc import Sequence
from uuid import UUID

from accounts.viewer import Viewer
from core.errors import NotFound
from kb.models import ContentItem


def locked(viewer: Viewer, ids: Sequence[UUID]) -> list[ContentItem]:
    """The items of `ids`, in order of id; `NotFound` if one is missing or unseen."""
    items = list(
        ContentItem.objects.visible_to(viewer)
        .filter(pk__in=ids)
        .select_related("primary_domain")
        .select_for_update(of=("self",))
        .order_by("pk")
    )
    if len(items) != len(set(ids)):
        raise NotFound("This item does not exist, or you may not see it.")
    return items
