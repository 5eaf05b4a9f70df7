"""What is like an item, and how alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.viewer import Viewer
from browse.cards import item_url
from core.errors import BadInput, Unavailable
from kb.domain.duplicates import other_of, pairs_of
from kb.embedding import recipe
from kb.enums import PairKind
from kb.models import Workspace
from search.service import search
from search.types import SearchQuery

SHOWN = 4


@dataclass(frozen=True)
class Similar:
    """`warning` says what the nightly comparison found between the two, if anything."""

    id: UUID
    title: str
    url: str
    percent: int
    warning: str = ""


def similar(item_id: UUID, viewer: Viewer, bid: Workspace | None) -> Sequence[Similar]:
    """What may be the same comes first, then what is near by meaning; nothing of that
    while the item is not embedded, or search cannot answer."""
    found: dict[UUID, Similar] = {}
    for each in (*_pairs(item_id, viewer, bid), *_near(item_id, viewer, bid)):
        found.setdefault(each.id, each)
    return list(found.values())[:SHOWN]


def _pairs(item_id: UUID, viewer: Viewer, bid: Workspace | None) -> list[Similar]:
    if not viewer.can_edit:
        return []
    found = []
    for pair in pairs_of(viewer, item_id)[:SHOWN]:
        other = other_of(pair, item_id)
        percent, kind = round(100 * pair.likeness), PairKind(pair.kind).label
        url = item_url(other.pk, bid)
        found.append(Similar(other.pk, other.title, url, percent, kind))
    return found


def _near(item_id: UUID, viewer: Viewer, bid: Workspace | None) -> list[Similar]:
    try:
        found = search(SearchQuery.of(similar_to=item_id, limit=SHOWN), viewer)
        least = recipe().threshold
    except (BadInput, Unavailable):
        return []
    return [
        Similar(
            hit.id, hit.item.title, item_url(hit.id, bid), round(100 * hit.parts.cosine)
        )
        for hit in found.hits
        if hit.parts.cosine >= least
    ]
