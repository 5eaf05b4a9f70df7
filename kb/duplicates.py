"""Finds near-duplicates and contradictions: over all that is stored, and of a draft.

A run compares the items that changed, or were embedded anew, since they were last
compared, each with its nearest neighbours: the work grows with the library, not with
its square. It may stop anywhere and be started again.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.viewer import Viewer
from core.text import clean
from kb import embedding
from kb.domain import likeness
from kb.domain.duplicates import Key, key, store_comparisons
from kb.domain.likeness import Likeness, Text
from kb.embeddings.base import EmbeddingUnavailable
from kb.enums import PairKind, PairState
from kb.models import Comparison, ContentItem, DuplicatePair, ItemIndex

BATCH = 100
MOST_NAMED = 5
# What is embedded of a draft to find its neighbours.
_DRAFT_CHARACTERS = 2_000
# Shorter drafts say nothing yet.
_LEAST_CHARACTERS = 4

Progress = Callable[[int], object]


@dataclass
class Counts:
    items: int = 0
    pairs: int = 0
    gone: int = 0
    left: int = 0


@dataclass(frozen=True)
class LikelyDuplicate:
    """An item in use that a draft is like, and why."""

    item_id: UUID
    title: str
    kind: PairKind
    reason: str
    likeness: Likeness | None = None

    @property
    def url(self) -> str:
        return ContentItem(pk=self.item_id).get_absolute_url()


def find(
    now: datetime,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    until: float | None = None,
) -> Counts:
    """Compare what has not been compared as it is now: all, `limit` items, or until the
    monotonic time `until`."""
    recipe = embedding.recipe().name
    counts, after = Counts(), UUID(int=0)
    while until is None or time.monotonic() < until:
        size = BATCH if limit is None else min(BATCH, limit - counts.items)
        page = dict(_waiting(recipe).filter(pk__gt=after).order_by("pk")[:size])
        if not page:
            break
        stored = store_comparisons(page, _compare(list(page), recipe), recipe, now)
        counts.items += len(page)
        counts.pairs += stored.new
        counts.gone += stored.gone
        after = max(page)
        if progress:
            progress(len(page))
    counts.left = _waiting(recipe).count()
    return counts


def waiting() -> int:
    """How many items are to be compared."""
    return _waiting(embedding.recipe().name).count()


def _waiting(recipe: str) -> "QuerySet[ItemIndex, tuple[UUID, str]]":
    compared = Comparison.objects.filter(
        item=OuterRef("pk"), recipe=recipe, text_hash=OuterRef("text_hash")
    )
    return (
        ItemIndex.objects.filter(
            item__archived_at=None,
            item__superseded_by=None,
            recipe=recipe,
            embedding__isnull=False,
            embedded_hash=F("text_hash"),
        )
        .exclude(Exists(compared))
        .values_list("pk", "text_hash")
    )


def _compare(ids: Sequence[UUID], recipe: str) -> dict[Key, Likeness]:
    pairs = {
        key(one, other): cosine
        for one, other, cosine in likeness.neighbours(ids, recipe)
    }
    texts = likeness.texts({pk for pair in pairs for pk in pair})
    found = {
        pair: likeness.judge(texts[pair[0]], texts[pair[1]], cosine)
        for pair, cosine in pairs.items()
    }
    return {pair: alike for pair, alike in found.items() if alike is not None}


def likely_duplicates(
    viewer: Viewer, title: str, content: str, *, item_id: UUID | None = None
) -> list[LikelyDuplicate]:
    """What a draft, or with `item_id` an edit of that item, is like: the likest first.
    Pairs that were dismissed are not named again. Without an embedder titles alone are
    compared."""
    title, content = clean(title).strip(), clean(content)
    if len(title) + len(content) < _LEAST_CHARACTERS:
        return []
    named = likeness.equal_titles([title]).get(0, [])
    named += likeness.similar_titles([title]).get(0, [])
    cosines = dict.fromkeys((pk for pk, _ in named), 0.0)
    cosines |= _nearest(title, content)
    usable = (
        ContentItem.objects.visible_to(viewer)
        .live()
        .filter(pk__in=cosines.keys() - _settled(item_id), superseded_by=None)
    )
    draft = Text(title, content)
    found = []
    for pk, text in likeness.texts(set(usable.values_list("pk", flat=True))).items():
        alike = likeness.judge(draft, text, cosines[pk])
        if alike is not None:
            reason, kind = alike.reason, alike.kind
        elif any(pk == each for each, _ in named):
            reason, kind = "Its title is much alike.", PairKind.DUPLICATE
        else:
            continue
        found.append(LikelyDuplicate(pk, text.title, kind, reason, alike))
    return sorted(found, key=_rank)[:MOST_NAMED]


def _rank(found: LikelyDuplicate) -> tuple[float, str]:
    return (-found.likeness.shared if found.likeness else 0.0, found.title)


def _nearest(title: str, content: str) -> dict[UUID, float]:
    text = f"{title}\n{content[:_DRAFT_CHARACTERS]}"
    try:
        vector = embedding.embed_query(text)
        return likeness.nearest(vector, embedding.recipe().name)
    except EmbeddingUnavailable:
        return {}


def _settled(item_id: UUID | None) -> set[UUID]:
    """The item itself, and those that it was said to stand beside."""
    if item_id is None:
        return set()
    settled = {item_id}
    pairs = DuplicatePair.objects.filter(state=PairState.DISMISSED)
    settled |= set(pairs.filter(first=item_id).values_list("second", flat=True))
    settled |= set(pairs.filter(second=item_id).values_list("first", flat=True))
    return settled
