"""Questions nobody could answer: asked after a search in vain, taken on by an editor,
closed with the item that answers, of which the asker is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.viewer import Viewer
from browse.enums import QuestionState
from browse.models import Question
from core.errors import BadInput, Conflict, NotFound
from core.text import clean
from kb.models import ContentItem, Domain, Workspace

WAITING = (QuestionState.OPEN, QuestionState.TAKEN)
_LONGEST = 2000
# Of one asker, waiting at a time: enough for a whole tender.
MOST = 100


@dataclass(frozen=True)
class Queue:
    """What the page of questions shows, and how many of each kind there are."""

    questions: Sequence[Question]
    shows: str
    counts: Mapping[str, int]
    more: bool


def ask(
    viewer: Viewer,
    text: str,
    now: datetime,
    *,
    note: str = "",
    domain: str = "",
    bid: Workspace | None = None,
) -> Question:
    """Put a question to the owners: to that of `domain`, or to whoever takes it.
    Asking the same again while it waits changes nothing."""
    text = clean(text).strip()
    if not 0 < len(text) <= _LONGEST:
        raise BadInput(f"A question has 1 to {_LONGEST} characters.", field="text")
    waiting = Question.objects.filter(asked_by=viewer.person(), state__in=WAITING)
    same = waiting.filter(text__iexact=text).first()
    if same is not None:
        return same
    if waiting.count() >= MOST:
        raise BadInput(f"{MOST} of your questions wait already.")
    return Question.objects.create(
        text=text,
        note=clean(note).strip()[:_LONGEST],
        asked_by_id=viewer.person(),
        asked_at=now,
        bid=bid,
        owner_id=_owner_of(domain),
    )


def _owner_of(domain: str) -> int | None:
    owners = Domain.objects.filter(name__iexact=domain, owner__is_active=True)
    return owners.values_list("owner", flat=True).first() if domain else None


def seen_by(viewer: Viewer) -> QuerySet[Question]:
    """Editors see all questions, others their own."""
    found = Question.objects.select_related("asked_by", "owner", "closed_by", "item")
    return found if viewer.can_edit else found.filter(asked_by=viewer.user_id)


def question(viewer: Viewer, question_id: int) -> Question:
    found = seen_by(viewer).filter(pk=question_id).first()
    if found is None:
        raise NotFound("This question does not exist, or is not yours to see.")
    return found


_KINDS = {
    "waiting": Q(state__in=WAITING),
    "mine": Q(),
    "asked": Q(),
    "closed": ~Q(state__in=WAITING),
}
KINDS = tuple(_KINDS)
PAGE = 50


def queue(viewer: Viewer, shows: str, skip: int = 0) -> Queue:
    """Waiting ones oldest first, those that are closed newest first."""
    kinds = _KINDS | {
        "mine": Q(owner=viewer.user_id, state__in=WAITING),
        "asked": Q(asked_by=viewer.user_id),
    }
    found = seen_by(viewer)
    counts = {name: found.filter(kind).count() for name, kind in kinds.items()}
    order = ("asked_at", "pk") if shows in ("waiting", "mine") else ("-asked_at", "-pk")
    rows = found.filter(kinds[shows]).order_by(*order)[skip : skip + PAGE + 1]
    listed = list(rows)
    return Queue(listed[:PAGE], shows, counts, len(listed) > PAGE)


def take(viewer: Viewer, question_id: int) -> Question:
    """Take it on oneself."""
    viewer.require_editor()
    with transaction.atomic():
        found = _waiting(question_id)
        found.owner_id = viewer.person()
        found.state = QuestionState.TAKEN
        found.save(update_fields=["owner", "state"])
    return found


def release(viewer: Viewer, question_id: int) -> Question:
    """Leave it to somebody else."""
    viewer.require_editor()
    with transaction.atomic():
        found = _waiting(question_id)
        found.owner = None
        found.state = QuestionState.OPEN
        found.save(update_fields=["owner", "state"])
    return found


def answer(
    viewer: Viewer, question_id: int, item_id: UUID, now: datetime, reply: str = ""
) -> Question:
    """Close it with the item that answers, which the asker must be able to open."""
    viewer.require_editor()
    with transaction.atomic():
        found = _waiting(question_id)
        visible = ContentItem.objects.visible_to(viewer).filter(pk=item_id)
        item = visible.first()
        if item is None:
            raise BadInput("Choose the item that answers.", field="item")
        asker = found.asked_by.viewer()
        if not ContentItem.objects.visible_to(asker).filter(pk=item_id).exists():
            name = found.asked_by.display_name()
            raise BadInput(
                f"{name} cannot open this item yet: it is a draft, hidden or archived.",
                field="item",
            )
        found.item = item
        return _closed(viewer, found, QuestionState.ANSWERED, now, reply)


def close(viewer: Viewer, question_id: int, now: datetime, reply: str) -> Question:
    """Without an item: `reply` says why, to the asker."""
    viewer.require_editor()
    if not reply.strip():
        raise BadInput("Say why: the asker is told.", field="note")
    with transaction.atomic():
        found = _waiting(question_id)
        return _closed(viewer, found, QuestionState.CLOSED, now, reply)


def news(viewer: Viewer) -> QuerySet[Question]:
    """Answers that the asker has not seen yet."""
    own = Question.objects.filter(asked_by=viewer.user_id, seen_at=None)
    closed = own.exclude(state__in=WAITING).select_related("item", "closed_by")
    return closed.order_by("-closed_at")


def mark_seen(viewer: Viewer, question_id: int, now: datetime) -> Question:
    found = Question.objects.filter(asked_by=viewer.user_id, pk=question_id).first()
    if found is None:
        raise NotFound("This question does not exist, or is not yours.")
    if found.seen_at is None and found.state not in WAITING:
        found.seen_at = now
        found.save(update_fields=["seen_at"])
    return found


def _waiting(question_id: int) -> Question:
    found = Question.objects.select_for_update().filter(pk=question_id).first()
    if found is None:
        raise NotFound("This question does not exist.")
    if found.state not in WAITING:
        raise Conflict("Somebody closed this question meanwhile.")
    return found


def _closed(
    viewer: Viewer, found: Question, state: QuestionState, now: datetime, reply: str
) -> Question:
    found.state = state
    found.reply = clean(reply).strip()[:_LONGEST]
    found.closed_at, found.closed_by_id = now, viewer.person()
    found.owner_id = found.owner_id or viewer.user_id
    if found.asked_by_id == viewer.user_id:
        found.seen_at = now
    found.save()
    return found
