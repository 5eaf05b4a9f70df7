"""What the page of one item shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Q
from django.utils.safestring import SafeString
from django.utils.text import get_text_list

from accounts.viewer import Viewer
from browse.bids import BidBar, bid_bar, short_name
from browse.cards import Card, card, item_url
from browse.item_history import Change, History, changes_between, history
from browse.similar import Similar, similar
from browse.state import BrowseState
from core import markdown
from core.errors import NotFound
from core.markdown import Heading
from kb.domain import quality
from kb.domain.banners import Banner, BannerKind, Situation, banners, situation_of
from kb.domain.cadence import cadence_days
from kb.domain.links import follow_links
from kb.domain.moderation import may_approve
from kb.domain.proposals import overlaid
from kb.enums import BidStatus, CadenceKind
from kb.filters import ItemFilters
from kb.models import ContentItem, Workspace
from kb.querysets import ContentItemQuerySet

_OUTLINE_FROM = 2
_BIDS_NAMED = 8


@dataclass(frozen=True)
class Link:
    title: str
    url: str


@dataclass(frozen=True)
class Part:
    label: str
    value: float
    note: str


@dataclass(frozen=True)
class Notice:
    """A banner, and what to press in it."""

    banner: Banner
    tone: str
    icon: str
    url: str = ""


@dataclass(frozen=True)
class Waiting:
    """The edit that waits, and what the viewer may do about it."""

    id: int
    changes: Sequence[Change]
    note: str
    may_decide: bool
    may_withdraw: bool


@dataclass(frozen=True)
class ItemPage:
    item: ContentItem
    notices: Sequence[Notice]
    waiting: Waiting | None
    history: History
    similar: Sequence[Similar]
    card: Card
    body: SafeString
    outline: Sequence[Heading]
    parts: Sequence[Part]
    advice: str
    cadence: str
    owner: str
    replaced_by: Link | None
    replaces: Sequence[Link]
    bids: Sequence[Workspace]
    bid: Workspace | None
    bid_bar: BidBar | None
    can_edit: bool

    @property
    def bid_name(self) -> str:
        return short_name(self.bid)

    @property
    def bid_query(self) -> str:
        """What addresses of this item carry along."""
        return f"?from_bid={self.bid.pk}" if self.bid else ""

    @property
    def library_url(self) -> str:
        return self._browse().url()

    @property
    def domain_url(self) -> str:
        name = self.card.domain_name
        return self._browse().url(filters=ItemFilters(domain=(name,)))

    @property
    def tags(self) -> list[Link]:
        return [Link(tag, self._browse().url(q=tag)) for tag in self.item.ai_keywords]

    def _browse(self) -> BrowseState:
        return BrowseState(from_bid=self.bid.pk if self.bid else None)

    @property
    def kept_by_search(self) -> list[tuple[str, str]]:
        return [("from_bid", str(self.bid.pk))] if self.bid else []

    @property
    def named_bids(self) -> Sequence[Workspace]:
        return self.bids[:_BIDS_NAMED]

    @property
    def outcomes(self) -> list[Workspace]:
        decided = (BidStatus.WON, BidStatus.LOST)
        return [bid for bid in self.bids if bid.status in decided]


def bid_named(asked: str) -> Workspace | None:
    """The bid of an item's address, if there is one: an item is shown, and written,
    whatever else its address says."""
    if not (asked.isascii() and asked.isdigit() and len(asked) < 19):
        return None
    return Workspace.objects.filter(pk=int(asked)).first()


_LOOKS = {
    BannerKind.ARCHIVED: ("warn", "archive"),
    BannerKind.REPLACED: ("plum", "replaced"),
    BannerKind.HIDDEN: ("info", "eye"),
    BannerKind.OVERDUE: ("bad", "overdue"),
    BannerKind.DUE: ("warn", "due"),
    BannerKind.ASKED: ("info", "review"),
    BannerKind.EDIT_WAITING: ("info", "pencil"),
    BannerKind.EDIT_DECIDED: ("info", "pencil"),
    BannerKind.IN_REVIEW: ("info", "review"),
    BannerKind.DRAFT: ("", "draft"),
}


def item_page(
    item_id: UUID, viewer: Viewer, today: date, bid: Workspace | None
) -> ItemPage:
    """Raises `NotFound` alike for what does not exist and what `viewer` may not see."""
    item = (
        ContentItem.objects.visible_to(viewer)
        .select_related(
            "primary_domain", "verified_by", "reviewed_by", "owner", "owner_group"
        )
        .filter(pk=item_id)
        .first()
    )
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    facts = situation_of(item, viewer)
    headings = markdown.outline(item.content)
    url = item_url(item.pk, None)
    return ItemPage(
        item=item,
        notices=_notices(facts, viewer, today, bid),
        waiting=_waiting(facts, viewer),
        history=history(item, viewer),
        similar=similar(item.pk, viewer, bid),
        card=card(item, viewer, today, bid),
        body=markdown.render(follow_links(item.content, viewer)),
        outline=headings if len(headings) >= _OUTLINE_FROM else (),
        parts=_parts(item),
        advice=_advice(item),
        cadence=_cadence(item),
        owner=_owner(item),
        replaced_by=_replaced_by(item, viewer, bid),
        replaces=_links(
            ContentItem.objects.visible_to(viewer).filter(superseded_by=item), bid
        ),
        bids=_bids(item),
        bid=bid,
        bid_bar=bid_bar(bid, url),
        can_edit=viewer.can_edit,
    )


def _notices(
    facts: Situation, viewer: Viewer, today: date, bid: Workspace | None
) -> list[Notice]:
    return [
        Notice(
            each,
            *_LOOKS[each.kind],
            url=item_url(each.item_id, bid) if each.item_id else "",
        )
        for each in banners(facts, today)
    ]


def _waiting(facts: Situation, viewer: Viewer) -> Waiting | None:
    revision = facts.waiting
    if revision is None:
        return None
    proposed = overlaid(facts.item, revision.changes)
    decides = may_approve(viewer, facts.item)
    return Waiting(
        revision.pk,
        changes_between(facts.item, proposed, viewer),
        revision.note,
        may_decide=decides,
        may_withdraw=not decides and revision.author_id == viewer.user_id,
    )


def _replaced_by(
    item: ContentItem, viewer: Viewer, bid: Workspace | None
) -> Link | None:
    """Not named to those who may not see it."""
    if item.superseded_by_id is None:
        return None
    successor = ContentItem.objects.visible_to(viewer).filter(pk=item.superseded_by_id)
    return next(iter(_links(successor, bid)), None)


def _links(items: ContentItemQuerySet, bid: Workspace | None) -> list[Link]:
    pairs = items.order_by("title", "pk").values_list("pk", "title")
    return [Link(title, item_url(pk, bid)) for pk, title in pairs]


def _parts(item: ContentItem) -> list[Part]:
    """Stored parts are 0 to 100 each; people read the points they give."""
    parts = []
    for name, points in quality.POINTS.items():
        value = float(item.quality_parts.get(name, 0))
        given = round(points * value / 100)
        parts.append(Part(name.capitalize(), value, f"{given} of {points}"))
    return parts


def _advice(item: ContentItem) -> str:
    """What would raise the score most, in a sentence."""
    found = quality.advice(item.quality_parts)
    if found is None:
        return ""
    what = (
        f"Adding {get_text_list(list(found.missing), 'and')}" if found.missing else ""
    )
    points = f"{found.points} point{'' if found.points == 1 else 's'}"
    return f"{what or 'Verifying it now'} would add about {points}."


def _cadence(item: ContentItem) -> str:
    if item.cadence == CadenceKind.FIXED:
        return "on a fixed date"
    if item.cadence == CadenceKind.EVERGREEN:
        return "never (evergreen)"
    days = cadence_days(item)
    return f"every {days} days" if days else ""


def _owner(item: ContentItem) -> str:
    if item.owner:
        return item.owner.display_name()
    return item.owner_group.name if item.owner_group else ""


def _bids(item: ContentItem) -> list[Workspace]:
    """The bids that cite it, themselves or in a response; oldest first."""
    citing = Q(citations__item=item) | Q(questions__response__citations__item=item)
    return list(
        Workspace.objects.filter(citing).distinct().order_by("created_at", "pk")
    )
