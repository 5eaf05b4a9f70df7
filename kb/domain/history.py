"""Writes that keep their history: who, when, what, why, in the same transaction."""

from collections.abc import Sequence
from typing import TypeVar

from django.db import models, transaction
from simple_history.utils import (
    bulk_create_with_history,
    bulk_update_with_history,
)

from accounts.models import User
from accounts.viewer import Viewer

M = TypeVar("M", bound=models.Model)

_REASON = 100  # length of simple-history's column


def _author(viewer: Viewer) -> User | None:
    # Only the key is needed; loading the user would cost a query a write.
    return User(pk=viewer.user_id) if viewer.user_id else None


def create(viewer: Viewer, objects: Sequence[M], reason: str = "") -> list[M]:
    if not objects:
        return []
    with transaction.atomic():
        created: list[M] = bulk_create_with_history(
            list(objects),
            type(objects[0]),
            batch_size=500,
            default_user=_author(viewer),
            default_change_reason=reason[:_REASON],
        )
        return created


def update(
    viewer: Viewer, objects: Sequence[M], fields: Sequence[str], reason: str = ""
) -> None:
    if not objects:
        return
    with transaction.atomic():
        bulk_update_with_history(
            list(objects),
            type(objects[0]),
            list(fields),
            batch_size=500,
            default_user=_author(viewer),
            default_change_reason=reason[:_REASON],
        )
