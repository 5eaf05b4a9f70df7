"""Who may read what, and who did: for "unread only", and for use in the quality
score."""

from datetime import datetime
from uuid import UUID

from accounts.viewer import Viewer
from core.errors import NotFound
from kb.models import ContentItem, ReadMark


def readable(viewer: Viewer, item_id: UUID) -> ContentItem:
    """One item with its domain and people; `NotFound` alike for what does not exist
    and what `viewer` may not see."""
    visible = ContentItem.objects.visible_to(viewer)
    item = (
        visible.select_related("primary_domain", "verified_by")
        .filter(pk=item_id)
        .first()
    )
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    return item


def mark_read(viewer: Viewer, item_id: UUID, now: datetime) -> None:
    """Note that `viewer` opened the item; the first time is kept."""
    if viewer.user_id is None:
        return
    ReadMark.objects.bulk_create(
        [
            ReadMark(
                user_id=viewer.user_id,
                item_id=item_id,
                first_read_at=now,
                last_read_at=now,
            )
        ],
        update_conflicts=True,
        unique_fields=["user", "item"],
        update_fields=["last_read_at"],
    )
