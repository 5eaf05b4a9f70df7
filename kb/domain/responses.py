"""The answers written to a bid's questions, and what they cite."""

from datetime import date, datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch, Q

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotFound
from core.markdown import plain
from core.text import clean
from kb.domain import history
from kb.domain.citations import cite
from kb.domain.supersession import in_use
from kb.models import (
    Citation,
    ContentItem,
    FormQuestion,
    FormResponse,
    Workspace,
)

MAX_ANSWER = 100_000


def version(written: FormResponse | None) -> str:
    """Names the text that somebody read, so that nobody writes over another's."""
    return written.updated_at.isoformat() if written else ""


def answer(
    viewer: Viewer,
    question: FormQuestion,
    text: str,
    now: datetime,
    *,
    seen: str | None = None,
) -> FormResponse | None:
    """Write the answer to a question; the same text again changes nothing. With `seen`
    (a `version`), `Conflict` if another text was saved since."""
    viewer.require_editor()
    text = clean(text)
    if len(text) > MAX_ANSWER:
        raise BadInput(
            f"An answer has at most {MAX_ANSWER:,} characters.", field="text"
        )
    with transaction.atomic():
        written = _locked(question.pk)
        if (written.text if written else "") == text:
            return written
        if written and seen is not None and seen != version(written):
            raise Conflict("Someone saved another answer since you opened this one.")
        if written is None:
            return _begin(viewer, question, text)
        written.text, written.author, written.updated_at = text, _author(viewer), now
        history.update(viewer, [written], ["text", "author", "updated_at"])
    return written


def cite_in_answer(
    viewer: Viewer, question: FormQuestion, item_id: UUID, today: date
) -> FormResponse:
    """Cite an item in the answer to a question, which may still be empty."""
    viewer.require_editor()
    with transaction.atomic():
        written = _locked(question.pk) or _begin(viewer, question, "")
        cite(viewer, item_id, response=written, today=today)
    return written


def insert(
    viewer: Viewer,
    question: FormQuestion,
    item_id: UUID,
    text: str,
    now: datetime,
    *,
    seen: str | None = None,
) -> FormResponse:
    """Put an item's content at the end of `text`, the answer so far, and cite it: those
    of the current one if the item was replaced."""
    viewer.require_editor()
    item_id = in_use(viewer, item_id)
    item = ContentItem.objects.visible_to(viewer).filter(pk=item_id).first()
    if item is None:
        raise NotFound("This item does not exist, or you may not see it.")
    joined = "\n\n".join(filter(None, (text.rstrip(), item.content.strip())))
    with transaction.atomic():
        answer(viewer, question, joined, now, seen=seen)
        return cite_in_answer(viewer, question, item_id, now.date())


def words(text: str) -> int:
    """As buyers count them: what spaces part, without the marks of Markdown."""
    return len(plain(text).split())


def cited(viewer: Viewer, bid: Workspace) -> list[Citation]:
    """What a bid and its answers cite, of the items that `viewer` may see; oldest
    first. An item that was replaced brings its successor along, if that can be seen."""
    seen = ContentItem.objects.visible_to(viewer).defer("content", "summary_data")
    return list(
        Citation.objects.filter(
            Q(workspace=bid) | Q(response__question__workspace=bid), item__in=seen
        )
        .select_related("item")
        .defer("item__content", "item__summary_data")
        .prefetch_related(Prefetch("item__superseded_by", seen.order_by()))
        .order_by("created_at", "pk")
    )


def _locked(question_id: int) -> FormResponse | None:
    """The question's row stands for an answer that does not exist yet."""
    asked = FormQuestion.objects.select_for_update().filter(pk=question_id)
    if asked.order_by("pk").values_list("pk", flat=True).first() is None:
        raise NotFound("This question does not exist.")
    return FormResponse.objects.filter(question=question_id).first()


def _begin(viewer: Viewer, question: FormQuestion, text: str) -> FormResponse:
    new = FormResponse(question=question, text=text, author=_author(viewer))
    return history.create(viewer, [new])[0]


def _author(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None
