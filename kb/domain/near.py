"""Items whose titles are much alike: advice while writing, never a block."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.search import TrigramSimilarity

from accounts.viewer import Viewer
from core.text import clean, fold
from kb.models import ContentItem

# Share of trigrams in common: probably the same question, or one that may contradict.
SAME, MAY_CONTRADICT = 0.75, 0.45
_MOST = 3


@dataclass(frozen=True)
class Near:
    id: UUID
    title: str
    likeness: float

    @property
    def same(self) -> bool:
        return self.likeness >= SAME


def near_titles(viewer: Viewer, title: str, besides: UUID | None) -> list[Near]:
    """Items in use that `viewer` may see, most alike first."""
    title = clean(title).strip()[:500]
    if len(title) < 4:
        return []
    items = (
        ContentItem.objects.visible_to(viewer)
        .live()
        # The index first: a trigram of the indexed title.
        .filter(superseded_by=None, index__title__trigram_similar=fold(title))
        .annotate(likeness=TrigramSimilarity("title", title))
        .filter(likeness__gte=MAY_CONTRADICT)
        .order_by("-likeness", "pk")
    )
    if besides is not None:
        items = items.exclude(pk=besides)
    rows = items.values_list("pk", "title", "likeness")[:_MOST]
    return [Near(*row) for row in rows]
