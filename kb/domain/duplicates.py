"""Pairs of near-duplicates: kept as they are found, dismissed or merged by people.

Advice, never a block. A merge is linked: one item survives and replaces the others,
which stay readable, and what cited them cites the survivor.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotFound
from kb.domain import history, scores
from kb.domain.citations import recount
from kb.domain.lifecycle import supersede_all
from kb.domain.likeness import Likeness
from kb.enums import PairState
from kb.models import Citation, Comparison, ContentItem, DuplicatePair

_FOUND = ("kind", "likeness", "shared", "same_title", "differences", "state")
_DECIDED = ("state", "decided_at", "decided_by", "note")

Key = tuple[UUID, UUID]


@dataclass(frozen=True)
class Stored:
    new: int = 0
    gone: int = 0


def key(one: UUID, other: UUID) -> Key:
    """In order, so that a pair is found again from either side."""
    return (one, other) if one < other else (other, one)


def store_comparisons(
    compared: Mapping[UUID, str],
    found: Mapping[Key, Likeness],
    recipe: str,
    now: datetime,
) -> Stored:
    """Keep what the comparison of items (id → hash of the text compared) found. Pairs
    of theirs that it did not find again are gone; one that was dismissed comes back
    only if what differs is new."""
    ids = list(compared)
    with transaction.atomic():
        of_these = Q(first__in=ids) | Q(second__in=ids)
        known = {
            (pair.first_id, pair.second_id): pair
            for pair in DuplicatePair.objects.filter(of_these)
            .select_for_update()
            .order_by("pk")
        }
        changed = [
            pair
            for pair in known.values()
            if _update(pair, found.get((pair.first_id, pair.second_id)))
        ]
        DuplicatePair.objects.bulk_update(changed, _FOUND)
        new = [_pair(each, found[each], now) for each in found if each not in known]
        DuplicatePair.objects.bulk_create(new, ignore_conflicts=True)
        Comparison.objects.bulk_create(
            [
                Comparison(item_id=pk, recipe=recipe, text_hash=hash_, compared_at=now)
                for pk, hash_ in compared.items()
            ],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["recipe", "text_hash", "compared_at"],
        )
    gone = [pair for pair in changed if pair.state == PairState.GONE]
    return Stored(new=len(new), gone=len(gone))


def _pair(ids: Key, likeness: Likeness, now: datetime) -> DuplicatePair:
    pair = DuplicatePair(first_id=ids[0], second_id=ids[1], found_at=now)
    _update(pair, likeness)
    return pair


def _update(pair: DuplicatePair, likeness: Likeness | None) -> bool:
    """Set what was found; whether anything changed."""
    before = [getattr(pair, name) for name in _FOUND]
    if likeness is None:
        if pair.state == PairState.OPEN:
            pair.state = PairState.GONE
    else:
        told = likeness.as_json()
        news = bool(told) and told != pair.differences
        if pair.state == PairState.GONE or (pair.state == PairState.DISMISSED and news):
            pair.state = PairState.OPEN
        pair.kind, pair.differences = likeness.kind, told
        pair.likeness = round(likeness.likeness, 4)
        pair.shared = round(likeness.shared, 4)
        pair.same_title = likeness.same_title
    return before != [getattr(pair, name) for name in _FOUND]


def open_pairs(viewer: Viewer) -> QuerySet[DuplicatePair]:
    """What is to be decided, of items in use that `viewer` may see; contradictions and
    the most alike first."""
    seen = ContentItem.objects.visible_to(viewer).live().filter(superseded_by=None)
    return (
        DuplicatePair.objects.filter(
            state=PairState.OPEN, first__in=seen, second__in=seen
        )
        .select_related("first", "second")
        .defer("first__content", "second__content")
        .order_by("kind", "-shared", "pk")
    )


def pairs_of(viewer: Viewer, item_id: UUID) -> QuerySet[DuplicatePair]:
    """The open ones that an item is in; `other_of` tells with whom."""
    return open_pairs(viewer).filter(Q(first=item_id) | Q(second=item_id))


def other_of(pair: DuplicatePair, item_id: UUID) -> ContentItem:
    return pair.second if pair.first_id == item_id else pair.first


def dismiss(viewer: Viewer, ids: Collection[int], now: datetime, note: str = "") -> int:
    """Say of pairs that both items are to stay."""
    viewer.require_editor()
    with transaction.atomic():
        pairs = _locked(ids)
        _decide(viewer, pairs, PairState.DISMISSED, now, note)
    return len(pairs)


def merge_pairs(
    viewer: Viewer,
    ids: Collection[int],
    now: datetime,
    reason: str,
    *,
    keep_first: bool,
) -> int:
    """Of each pair keep one item, which replaces the other."""
    viewer.require_editor()
    with transaction.atomic():
        pairs = _locked(ids)
        for pair in pairs:
            keep, replace = pair.first_id, pair.second_id
            if not keep_first:
                keep, replace = replace, keep
            merge(viewer, keep, [replace], now, reason)
    return len(pairs)


def merge(
    viewer: Viewer,
    survivor: UUID,
    ids: Sequence[UUID],
    now: datetime,
    reason: str,
) -> ContentItem:
    """`survivor` replaces `ids`: search and links lead to it, and what cited them cites
    it. A source that cites several of them keeps the others' citations too."""
    viewer.require_editor()
    if survivor in ids:
        raise BadInput("An item cannot be merged with itself.", field="survivor")
    with transaction.atomic():
        replaced = supersede_all(viewer, ids, survivor, now, reason)
        kept = ContentItem.objects.get(pk=survivor)
        if kept.superseded_by_id:
            raise Conflict(
                f"{kept.title!r} is itself out of use. Choose the item that is in use."
            )
        moved = _move_citations(survivor, ids)
        titles = ", ".join(sorted(item.title for item in replaced))
        told = f"Merged ({moved} citations moved): {titles}"
        history.update(viewer, [kept], ["superseded_reason"], told)
        everyone = [survivor, *ids]
        recount(everyone)
        scores.rescore(everyone, now.date())
        both = DuplicatePair.objects.filter(first__in=everyone, second__in=everyone)
        _decide(viewer, list(both), PairState.MERGED, now, reason)
    return kept


def _move_citations(survivor: UUID, ids: Sequence[UUID]) -> int:
    sources = ("response_id", "workspace_id", "citing_item_id")
    citing = set(Citation.objects.filter(item=survivor).values_list(*sources))
    moved = []
    for citation in Citation.objects.filter(item__in=ids).order_by("created_at", "pk"):
        source = tuple(getattr(citation, name) for name in sources)
        if source in citing or citation.citing_item_id == survivor:
            continue
        citing.add(source)
        citation.item_id = survivor
        moved.append(citation)
    Citation.objects.bulk_update(moved, ["item"])
    return len(moved)


def _locked(ids: Collection[int]) -> list[DuplicatePair]:
    pairs = list(
        DuplicatePair.objects.filter(pk__in=ids).select_for_update().order_by("pk")
    )
    if len(pairs) != len(set(ids)):
        raise NotFound("One of these pairs does not exist.")
    decided = [pair for pair in pairs if pair.state not in _UNDECIDED]
    if decided:
        raise Conflict("One of these pairs is decided already. Look at them again.")
    return pairs


_UNDECIDED = (PairState.OPEN, PairState.GONE)


def _decide(
    viewer: Viewer,
    pairs: Sequence[DuplicatePair],
    state: PairState,
    now: datetime,
    note: str,
) -> None:
    for pair in pairs:
        pair.state, pair.note, pair.decided_at = state, note, now
        pair.decided_by = User(pk=viewer.user_id) if viewer.user_id else None
    DuplicatePair.objects.bulk_update(pairs, _DECIDED)
