"""What to know of an item before using it: facts with their dates, no verdicts.

`banners` is the rule, pure but for its argument; `situation_of` fetches what it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from enum import StrEnum
from uuid import UUID

from django.utils.formats import date_format

from accounts.viewer import Viewer
from kb.domain import moderation, requests
from kb.domain.ownership import approvers
from kb.domain.supersession import Current, current_of
from kb.enums import ReviewStatus, RevisionStatus
from kb.models import ContentItem, ReviewRequest, Revision

DUE_SOON_DAYS = 30
# How long its author is told on the item's page what became of an edit.
TOLD_DAYS = 14


class BannerKind(StrEnum):
    """In the order in which they stand."""

    ARCHIVED = "archived"
    REPLACED = "replaced"
    HIDDEN = "hidden"
    OVERDUE = "overdue"
    DUE = "due"
    ASKED = "asked"
    EDIT_WAITING = "edit_waiting"
    EDIT_DECIDED = "edit_decided"
    IN_REVIEW = "in_review"
    DRAFT = "draft"


@dataclass(frozen=True)
class Banner:
    """`item_id`, `revision_id`, `request_id`: what it points to."""

    kind: BannerKind
    title: str
    text: str = ""
    item_id: UUID | None = None
    item_title: str = ""
    revision_id: int | None = None
    request_id: int | None = None


@dataclass(frozen=True)
class Situation:
    """`decided` is the viewer's own last edit of the item, once it was decided."""

    item: ContentItem
    current: Current | None = None
    waiting: Revision | None = None
    decided: Revision | None = None
    requests: Sequence[ReviewRequest] = ()


def banners(facts: Situation, today: date) -> list[Banner]:
    """All that holds for the item on that day, the weightiest first."""
    return [
        *_out_of_use(facts),
        *_review(facts.item, today),
        *(_asked(each, today) for each in facts.requests),
        *_edits(facts, today),
        *_state(facts.item),
    ]


def situation_of(item: ContentItem, viewer: Viewer) -> Situation:
    """What `viewer` may know of it; edits and requests are for those who edit."""
    current = current_of(viewer, item.pk) if item.superseded_by_id else None
    if not viewer.can_edit:
        return Situation(item, current)
    last = item.revisions.filter(author=viewer.user_id).exclude(
        status__in=(RevisionStatus.WAITING, RevisionStatus.CONTINUED)
    )
    return Situation(
        item,
        current,
        waiting=moderation.waiting_revision(item),
        decided=last.select_related("decided_by").first(),
        requests=list(requests.open_requests([item])),
    )


def _out_of_use(facts: Situation) -> Iterator[Banner]:
    item = facts.item
    if item.archived_at:
        yield Banner(
            BannerKind.ARCHIVED,
            f"Archived on {_day(item.archived_at.astimezone(UTC).date())}",
            "Nobody finds it until it is restored.",
        )
    if facts.current:
        yield Banner(
            BannerKind.REPLACED,
            f"Replaced by {facts.current.title}",
            facts.current.reason,
            item_id=facts.current.id,
            item_title=facts.current.title,
        )
    elif item.superseded_by_id:
        yield Banner(BannerKind.REPLACED, "Replaced", item.superseded_reason)
    if item.hidden_for_approval:
        yield Banner(
            BannerKind.HIDDEN,
            "Hidden until an edit is approved",
            "Search leaves it out, and only editors and admins see it.",
        )


def _review(item: ContentItem, today: date) -> Iterator[Banner]:
    due = item.next_review_date
    if due is None or item.governance_review_status == ReviewStatus.DRAFT:
        return
    left = (due - today).days
    if left > DUE_SOON_DAYS:
        return
    if left < 0:
        title = f"Review was due on {_day(due)}, {_days(-left)} ago"
        yield Banner(BannerKind.OVERDUE, title, _last_look(item))
    else:
        when = f"in {_days(left)}" if left else "today"
        title = f"Review is due on {_day(due)}, {when}"
        yield Banner(BannerKind.DUE, title, _last_look(item))


def _last_look(item: ContentItem) -> str:
    """Who last verified or reviewed it, and when."""
    for verb, at, by in (
        ("verified", item.verified_at, item.verified_by),
        ("reviewed", item.reviewed_at, item.reviewed_by),
    ):
        if at:
            name = f" by {by.display_name()}" if by else ""
            return f"Last {verb}{name} on {_day(at.astimezone(UTC).date())}."
    return "Never reviewed."


def _asked(request: ReviewRequest, today: date) -> Banner:
    asker = request.asked_by.display_name() if request.asked_by else "The hub"
    title = f"{asker} asked {request.asked} for a review"
    if request.due_on:
        left = (request.due_on - today).days
        when = f"in {_days(left)}" if left > 0 else "today"
        late = f"was due {_days(-left)} ago" if left < 0 else f"due {when}"
        title = f"{title}, {late}"
    return Banner(BannerKind.ASKED, title, request.instructions, request_id=request.pk)


def _edits(facts: Situation, today: date) -> Iterator[Banner]:
    if waiting := facts.waiting:
        author = waiting.author.display_name() if waiting.author else "somebody"
        on = _day(waiting.created_at.astimezone(UTC).date())
        yield Banner(
            BannerKind.EDIT_WAITING,
            f"An edit by {author} of {on} waits for approval",
            f"By {approvers(facts.item)}.",
            revision_id=waiting.pk,
        )
    if (last := facts.decided) and last.decided_at:
        on_day = last.decided_at.astimezone(UTC).date()
        if (today - on_day).days <= TOLD_DAYS:
            by = f" by {last.decided_by.display_name()}" if last.decided_by else ""
            status = RevisionStatus(last.status).label.lower()
            yield Banner(
                BannerKind.EDIT_DECIDED,
                f"Your edit was {status}{by} on {_day(on_day)}",
                last.decision_note,
                revision_id=last.pk,
            )


def _state(item: ContentItem) -> Iterator[Banner]:
    if item.governance_review_status == ReviewStatus.DRAFT:
        yield Banner(BannerKind.DRAFT, "Draft", "Only editors and admins see it.")
    if item.governance_review_status == ReviewStatus.IN_REVIEW:
        yield Banner(BannerKind.IN_REVIEW, "In review", "Not approved yet.")


def _day(day: date) -> str:
    return date_format(day, "j F Y")


def _days(count: int) -> str:
    return f"{count} day" if count == 1 else f"{count} days"
