"""Bulk writes that keep their history: who, when, what."""

from collections.abc import Sequence
from typing import TypeVar

from django.db import models
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from accounts.models import User
from accounts.viewer import Viewer

M = TypeVar("M", bound=models.Model)

_BATCH = 500


def create(viewer: Viewer, objects: Sequence[M], reason: str = "") -> list[M]:
    if not objects:
        return []
    created: list[M] = bulk_create_with_history(
        list(objects),
        type(objects[0]),
        batch_size=_BATCH,
        default_user=_author(viewer),
        default_change_reason=reason,
    )
    return created


def update(
    viewer: Viewer, objects: Sequence[M], fields: Sequence[str], reason: str = ""
) -> None:
    if objects and fields:
        bulk_update_with_history(
            list(objects),
            type(objects[0]),
            list(fields),
            batch_size=_BATCH,
            default_user=_author(viewer),
            default_change_reason=reason,
        )


def _author(viewer: Viewer) -> User | None:
    # Only the key is needed; loading the user would cost a query a write.
    return User(pk=viewer.user_id) if viewer.user_id else None
