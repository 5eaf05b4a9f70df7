"""The list of bids, with how far each is and how they turned out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, Q, When
from django.urls import reverse

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.enums import BidStatus
from kb.models import Workspace

PER_PAGE = 50
# An answer that only cites, and says nothing yet, is none.
ANSWERED = Count(
    "questions__response",
    filter=~Q(questions__response__text=""),
    distinct=True,
)
_BADGES = {
    BidStatus.OPEN: ("info", "pencil"),
    BidStatus.SUBMITTED: ("warn", "clock"),
    BidStatus.WON: ("ok", "ok"),
    BidStatus.LOST: ("", "x"),
}


@dataclass(frozen=True)
class Line:
    bid: Workspace
    url: str
    questions: int
    answered: int
    tone: str
    icon: str
    due: str
    late: bool

    @property
    def percent(self) -> int:
        return round(100 * self.answered / self.questions) if self.questions else 0


@dataclass(frozen=True)
class Tab:
    label: str
    count: int
    url: str
    current: bool


@dataclass(frozen=True)
class BidList:
    lines: Sequence[Line]
    tabs: Sequence[Tab]
    page: Page[Any]
    won: int
    decided: int
    can_edit: bool

    @property
    def win_percent(self) -> int:
        return round(100 * self.won / self.decided) if self.decided else 0


def bid_list(viewer: Viewer, status: str, number: str, today: date) -> BidList:
    """Open ones first by due date, then the newest."""
    if status and status not in BidStatus.values:
        raise BadInput.unknown("status", status, BidStatus.values)
    counts = dict(
        Workspace.objects.order_by()
        .values_list("status")
        .annotate(n=Count("pk"))
        .values_list("status", "n")
    )
    bids = Workspace.objects.annotate(
        asked=Count("questions", distinct=True), answered=ANSWERED
    )
    if status:
        bids = bids.filter(status=status)
    is_open = Q(status=BidStatus.OPEN)
    ordered = bids.order_by(
        Case(When(is_open, then=0), default=1),
        Case(When(is_open, then=F("due_date"))).asc(nulls_last=True),
        "-created_at",
        "-pk",
    )
    page = Paginator(ordered, PER_PAGE).get_page(number)
    won, lost = counts.get(BidStatus.WON, 0), counts.get(BidStatus.LOST, 0)
    return BidList(
        lines=[_line(bid, today) for bid in page],
        tabs=_tabs(counts, status),
        page=page,
        won=won,
        decided=won + lost,
        can_edit=viewer.can_edit,
    )


def badge(bid: Workspace) -> tuple[str, str]:
    """Tone and icon of a bid's status."""
    return _BADGES[BidStatus(bid.status)]


def due(bid: Workspace, today: date) -> tuple[str, bool]:
    """When a bid is due, in words, and whether that is past; only while it is open."""
    if bid.status != BidStatus.OPEN or bid.due_date is None:
        return "", False
    days = (bid.due_date - today).days
    if days == 0:
        return "Due today", False
    count = f"{abs(days)} day{'' if abs(days) == 1 else 's'}"
    return (f"Due in {count}", False) if days > 0 else (f"Late by {count}", True)


def _line(bid: Workspace, today: date) -> Line:
    tone, icon = badge(bid)
    words, late = due(bid, today)
    return Line(
        bid=bid,
        url=reverse("browse:bid", args=[bid.pk]),
        questions=bid.asked,  # type: ignore[attr-defined]
        answered=bid.answered,  # type: ignore[attr-defined]
        tone=tone,
        icon=icon,
        due=words,
        late=late,
    )


def _tabs(counts: dict[str, int], status: str) -> list[Tab]:
    url = reverse("browse:bids")
    every = Tab("All", sum(counts.values()), url, not status)
    return [
        every,
        *(
            Tab(
                each.label,
                counts.get(each.value, 0),
                f"{url}?status={each.value}",
                status == each.value,
            )
            for each in BidStatus
        ),
    ]
