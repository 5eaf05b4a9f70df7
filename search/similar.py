"""Items like another one: its own vector is the query."""

from uuid import UUID

import numpy as np

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.embeddings.base import Vector
from kb.models import ContentItem, ItemIndex


def vector_of(item_id: UUID, viewer: Viewer, recipe: str) -> Vector:
    """Raises `BadInput` for an item that `viewer` may not open, or that has no vector
    of the model in force."""
    if not ContentItem.objects.visible_to(viewer).filter(pk=item_id).exists():
        raise BadInput("No item has this id.", field="similar_to")
    found = ItemIndex.objects.filter(pk=item_id, recipe=recipe).values_list("embedding")
    for (vector,) in found:
        if vector is not None:
            return np.asarray(vector, dtype=np.float32)
    raise BadInput(
        "This item is not embedded yet. Try again in a minute.", field="similar_to"
    )


def itself_and_predecessors(item_id: UUID) -> set[UUID]:
    """The item and all that it replaced, however long ago."""
    found: set[UUID] = set()
    newest = {item_id}
    while newest:
        found |= newest
        older = ContentItem.objects.filter(superseded_by__in=newest)
        newest = set(older.values_list("pk", flat=True)) - found
    return found
