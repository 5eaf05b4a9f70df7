"""Items as lists show them: cards, rows and search results."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Coalesce, Left
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from accounts.viewer import Viewer
from browse.reasons import Reason, reasons, score_note, summary_of
from core.markdown import plain
from kb.domain.citations import MIN_DECIDED
from kb.enums import ReviewStatus
from kb.models import Citation, ContentItem, ReadMark, Workspace
from kb.querysets import freshness_of
from search.types import Hit

SUMMARY = 160
# Of an item without a summary, so much of its text is read to make one.
_OPENING = 600
ARCHIVED = "archived"


@dataclass(frozen=True)
class WinRate:
    won: int
    of: int

    @property
    def percent(self) -> int:
        return round(100 * self.won / self.of)


@dataclass(frozen=True)
class Context:
    """What the cards of one page share; the rest is about its items. `openings` are
    the first words of those without a summary."""

    viewer: Viewer
    today: date
    bid: Workspace | None
    read: frozenset[UUID]
    cited: dict[UUID, int]
    openings: dict[UUID, str]


@dataclass(frozen=True)
class Card:
    id: UUID
    title: str
    url: str
    content_type: str
    content_type_label: str
    domain_name: str
    summary_text: str
    freshness: str
    quality_score: int
    quality_parts: dict[str, Any]
    state: str
    state_label: str
    due_in_days: int | None
    next_review_date: date | None
    verified_by_name: str
    verified_at: datetime | None
    is_superseded: bool
    unread: bool
    cited_count: int
    win_rate: WinRate | None
    updated_at: datetime
    cite_url: str | None
    picture_url: str
    thumbnail_url: str
    snippet_html: SafeString | None = None


@dataclass(frozen=True)
class Result(Card):
    score: float = 0.0
    relevance_percent: int = 0
    pinned_reason: str | None = None
    place: int = 0
    why_summary: str = ""
    why: tuple[Reason, ...] = ()
    score_note: str = ""


def cards(
    items: Sequence[ContentItem], viewer: Viewer, today: date, bid: Workspace | None
) -> list[Card]:
    """Three queries, however many items."""
    shared = _context(items, viewer, today, bid)
    return [Card(**_values(item, shared)) for item in items]


def results(
    hits: Sequence[Hit],
    viewer: Viewer,
    today: date,
    bid: Workspace | None,
    offset: int = 0,
    search_id: int | None = None,
) -> list[Result]:
    """Three queries, however many hits. Their links say `search_id`, the search's
    line in the log."""
    shared = _context([hit.item for hit in hits], viewer, today, bid)
    return [
        Result(
            **_values(hit.item, shared)
            | {"url": item_url(hit.item.pk, bid, search_id)},
            # search.snippets escapes the text and adds nothing but <mark>.
            snippet_html=mark_safe(hit.snippet) if hit.snippet else None,  # noqa: S308
            score=hit.score,
            relevance_percent=round(100 * hit.relevance),
            pinned_reason=hit.pinned,
            place=place,
            why_summary=summary_of(hit),
            why=reasons(hit),
            score_note=score_note(hit),
        )
        for place, hit in enumerate(hits, start=offset + 1)
    ]


def card(item: ContentItem, viewer: Viewer, today: date, bid: Workspace | None) -> Card:
    return cards([item], viewer, today, bid)[0]


def item_url(item_id: UUID, bid: Workspace | None, search_id: int | None = None) -> str:
    given = {"from_bid": bid.pk if bid else None, "from_search": search_id}
    query = urlencode({name: value for name, value in given.items() if value})
    url = reverse("browse:item", args=[item_id])
    return f"{url}?{query}" if query else url


def _context(
    items: Sequence[ContentItem], viewer: Viewer, today: date, bid: Workspace | None
) -> Context:
    ids = [item.pk for item in items]
    read = ReadMark.objects.filter(user=viewer.user_id, item__in=ids)
    return Context(
        viewer,
        today,
        bid,
        frozenset(read.values_list("item_id", flat=True)),
        _cited(ids),
        _openings(ids),
    )


def _openings(ids: list[UUID]) -> dict[UUID, str]:
    items = ContentItem.objects.filter(pk__in=ids, summary="").order_by()
    return dict(items.values_list("pk", Left("content", _OPENING)))


def _cited(ids: list[UUID]) -> dict[UUID, int]:
    """In how many bids each item is cited, by the bid itself or by a response in it."""
    bids: dict[UUID, set[int]] = defaultdict(set)
    pairs = (
        Citation.objects.filter(item__in=ids)
        .annotate(bid=Coalesce(F("workspace"), F("response__question__workspace")))
        .exclude(bid=None)
        .order_by()
        .values_list("item_id", "bid")
    )
    for item_id, bid in pairs:
        bids[item_id].add(bid)
    return {item_id: len(found) for item_id, found in bids.items()}


def _values(item: ContentItem, shared: Context) -> dict[str, Any]:
    bid = shared.bid
    return {
        "id": item.pk,
        "title": item.title,
        "url": item_url(item.pk, bid),
        "content_type": item.content_type,
        "content_type_label": item.get_content_type_display(),
        "domain_name": item.primary_domain.name if item.primary_domain else "",
        "summary_text": _summary(item, shared),
        "freshness": freshness(item, shared.today),
        "quality_score": item.quality_score,
        "quality_parts": item.quality_parts,
        "state": ARCHIVED if item.archived_at else item.governance_review_status,
        "state_label": item.get_governance_review_status_display(),
        "due_in_days": due_in_days(item, shared.today),
        "next_review_date": item.next_review_date,
        "verified_by_name": item.verified_by.display_name() if item.verified_by else "",
        "verified_at": item.verified_at,
        "is_superseded": item.superseded_by_id is not None,
        "unread": item.pk not in shared.read,
        "cited_count": shared.cited.get(item.pk, 0),
        "win_rate": win_rate(item),
        "updated_at": item.content_changed_at,
        "cite_url": f"{reverse('browse:cite', args=[item.pk])}?from_bid={bid.pk}"
        if bid and shared.viewer.can_edit
        else None,
        "picture_url": item.picture.url if item.picture else "",
        "thumbnail_url": reverse("browse:thumbnail", args=[item.picture.name])
        if item.picture
        else "",
    }


def _summary(item: ContentItem, shared: Context) -> str:
    opening = shared.openings.get(item.pk, "")
    text = item.summary or plain(opening).replace("\n", " ")
    return Truncator(text).chars(SUMMARY)


def freshness(item: ContentItem, today: date) -> str:
    reviewed = item.reviewed_at.date() if item.reviewed_at else None
    return freshness_of(item.content_changed_at.date(), reviewed, today).value


def due_in_days(item: ContentItem, today: date) -> int | None:
    """Days to the next review, negative when it is late; None where none is due."""
    in_force = (ReviewStatus.APPROVED, ReviewStatus.REVIEW_OVERDUE)
    if not item.next_review_date or item.governance_review_status not in in_force:
        return None
    return (item.next_review_date - today).days


def win_rate(item: ContentItem) -> WinRate | None:
    if item.bids_decided < MIN_DECIDED:
        return None
    return WinRate(item.bids_won, item.bids_decided)
