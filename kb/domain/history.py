"""Writes that keep their history: who, when, what, why, in the same transaction."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connection, models, transaction
from simple_history.utils import (
    bulk_create_with_history,
    bulk_update_with_history,
)

from accounts.models import User
from accounts.viewer import Viewer

M = TypeVar("M", bound=models.Model)

_REASON = 100  # length of simple-history's column


def cut(text: str) -> str:
    """Cut to what the column holds."""
    return text if len(text) <= _REASON else f"{text[: _REASON - 1]}…"


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
            default_change_reason=cut(reason),
        )
        return created


def update(
    viewer: Viewer, objects: Sequence[M], fields: Sequence[str], reason: str = ""
) -> None:
    """Write `fields` of `objects`. What is the same for all is one plain UPDATE: a
    bulk update names each row, and 1,000 rows by 9 fields take it 8 seconds."""
    if not objects:
        return
    model = type(objects[0])
    shared = _shared(objects, fields)
    with transaction.atomic():
        if shared:
            keys = [each.pk for each in objects]
            model._default_manager.filter(pk__in=keys).update(**shared)
        bulk_update_with_history(
            list(objects),
            model,
            [name for name in fields if name not in shared],
            batch_size=500,
            default_user=_author(viewer),
            default_change_reason=cut(reason),
        )


def recording(statement: str, model: type[models.Model]) -> str:
    """A set-based statement that writes history itself: `{history}` becomes the table,
    `{columns}` the columns that it keeps of `model`."""
    kept: Any = model.history.model  # type: ignore[attr-defined]
    columns = [connection.ops.quote_name(f.column) for f in kept.tracked_fields]
    return statement.format(history=kept._meta.db_table, columns=", ".join(columns))


def _shared(objects: Sequence[models.Model], fields: Sequence[str]) -> dict[str, Any]:
    """Those of `fields` that hold one value in all objects, with that value."""
    columns = {n: objects[0]._meta.get_field(n).attname for n in fields}  # type: ignore[union-attr]
    first = {name: getattr(objects[0], column) for name, column in columns.items()}
    return {
        name: value
        for name, value in first.items()
        if all(getattr(each, columns[name]) == value for each in objects)
    }
