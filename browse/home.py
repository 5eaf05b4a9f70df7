"""The front page: where to begin, what changed, what waits for whoever looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Max, Q

from accounts.viewer import Viewer
from browse import questions
from browse.cards import Card, cards
from browse.models import Question
from kb.domain.due import due_within, overdue
from kb.domain.moderation import waiting_for
from kb.domain.ownership import owned_by
from kb.domain.requests import asked_of
from kb.models import ContentItem, ReadMark, ReviewRequest, Revision
from kb.querysets import ContentItemQuerySet

SHOWN = 6
DUE_DAYS = 30


@dataclass(frozen=True)
class Home:
    """`due` is the viewer's own, most urgent first, `due_total` how many that is."""

    answers: Sequence[Question]
    due: Sequence[Card]
    due_total: int
    requests: Sequence[ReviewRequest]
    edits: Sequence[Revision]
    edits_total: int
    questions: int
    changed: Sequence[Card]
    edited: Sequence[Card]
    read: Sequence[Card]
    can_edit: bool

    @property
    def nothing_due(self) -> bool:
        return not (self.due or self.requests or self.edits or self.questions)


def home(viewer: Viewer, today: date) -> Home:
    due = _due(viewer, today)
    edits = waiting_for(viewer)
    waiting = questions.seen_by(viewer).filter(state__in=questions.WAITING)
    mine = Q(owner=None) | Q(owner=viewer.user_id)
    return Home(
        answers=list(questions.news(viewer)[:SHOWN]),
        due=_cards(due.order_by("next_review_date", "pk"), viewer, today),
        due_total=due.count(),
        requests=list(asked_of(viewer)[:SHOWN]) if viewer.can_edit else [],
        edits=list(edits[:SHOWN]),
        edits_total=edits.count(),
        questions=waiting.filter(mine).count() if viewer.can_edit else 0,
        changed=_cards(_items(viewer).order_by("-content_changed_at"), viewer, today),
        edited=_in_order(_edited(viewer), viewer, today),
        read=_in_order(_read(viewer), viewer, today),
        can_edit=viewer.can_edit,
    )


def _items(viewer: Viewer) -> ContentItemQuerySet:
    return (
        ContentItem.objects.visible_to(viewer)
        .live()
        .filter(superseded_by=None)
        .select_related("primary_domain", "verified_by")
        .defer("content", "summary_data")
    )


def _due(viewer: Viewer, today: date) -> ContentItemQuerySet:
    """Those of the viewer, overdue or due soon."""
    late = overdue(today) | due_within(today, DUE_DAYS)
    return _items(viewer).filter(owned_by(viewer)).filter(late)


def _cards(items: ContentItemQuerySet, viewer: Viewer, today: date) -> list[Card]:
    return cards(list(items[:SHOWN]), viewer, today, None)


def _in_order(ids: Sequence[UUID], viewer: Viewer, today: date) -> list[Card]:
    found = _items(viewer).in_bulk(ids)
    items = [found[each] for each in ids if each in found]
    return cards(items, viewer, today, None) if items else []


def _edited(viewer: Viewer) -> list[UUID]:
    if not viewer.can_edit:
        return []
    own = ContentItem.history.filter(history_user=viewer.user_id)
    latest = own.values("id").annotate(last=Max("history_date")).order_by("-last")
    return list(latest.values_list("id", flat=True)[:SHOWN])


def _read(viewer: Viewer) -> list[UUID]:
    marks = ReadMark.objects.filter(user=viewer.user_id).order_by("-last_read_at")
    return list(marks.values_list("item", flat=True)[:SHOWN])
