"""Who read what: for "unread only", and for use in the quality score."""

from datetime import datetime
from uuid import UUID

from accounts.viewer import Viewer
from kb.models import ReadMark


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
