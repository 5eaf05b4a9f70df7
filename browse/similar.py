"""What is like an item, and how alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.viewer import Viewer
from browse.cards import item_url
from core.errors import BadInput, Unavailable
from kb.models import Workspace
from search.service import search
from search.types import SearchQuery

SHOWN = 4
# Alike from here on is worth naming; from the other on, the two may be one.
ALIKE, NEAR_DUPLICATE = 55, 92


@dataclass(frozen=True)
class Similar:
    id: UUID
    title: str
    url: str
    percent: int

    @property
    def near_duplicate(self) -> bool:
        return self.percent >= NEAR_DUPLICATE


def similar(item_id: UUID, viewer: Viewer, bid: Workspace | None) -> Sequence[Similar]:
    """By meaning; none while the item is not embedded, or search cannot answer."""
    try:
        found = search(SearchQuery.of(similar_to=item_id, limit=SHOWN), viewer)
    except (BadInput, Unavailable):
        return ()
    alike = (
        Similar(
            hit.id, hit.item.title, item_url(hit.id, bid), round(100 * hit.parts.cosine)
        )
        for hit in found.hits
    )
    return [each for each in alike if each.percent >= ALIKE]
