"""Bids, their questions and the answers written to them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from kb.domain import history
from kb.domain.citations import set_bid_status
from kb.enums import BidStatus
from kb.models import FormQuestion, FormResponse, Workspace

EDITABLE = ("name", "client", "due_date", "status")


def open_bid(viewer: Viewer, bid: Workspace, today: date) -> Workspace:
    """Save a new bid; one entered after its decision is decided today."""
    viewer.require_editor()
    bid.created_by = _author(viewer)
    if bid.status in (BidStatus.WON, BidStatus.LOST):
        bid.decided_on = bid.decided_on or today
    return history.create(viewer, [bid])[0]


def edit_bid(
    viewer: Viewer, bid_id: int, changes: Mapping[str, Any], today: date
) -> Workspace:
    """Apply `changes` (of EDITABLE); a new status counts in win rates."""
    viewer.require_editor()
    if unknown := set(changes) - set(EDITABLE):
        raise BadInput.unknown("field", min(unknown), EDITABLE)
    with transaction.atomic():
        bid = Workspace.objects.select_for_update().filter(pk=bid_id).first()
        if bid is None:
            raise NotFound("This bid does not exist.")
        changed = [name for name in changes if getattr(bid, name) != changes[name]]
        plain = [name for name in changed if name != "status"]
        for name in plain:
            setattr(bid, name, changes[name])
        if plain:
            history.update(viewer, [bid], plain)
        if "status" in changed:
            bid = set_bid_status(viewer, bid.pk, BidStatus(changes["status"]), today)
    return bid


def save_question(viewer: Viewer, question: FormQuestion) -> FormQuestion:
    """Create or change one; without a position it comes last."""
    viewer.require_editor()
    with transaction.atomic():
        Workspace.objects.select_for_update().get(pk=question.workspace_id)
        if getattr(question, "position", None) is None:
            others = FormQuestion.objects.filter(workspace=question.workspace_id)
            question.position = (others.aggregate(at=Max("position"))["at"] or 0) + 1
        question.save()
    return question


def answer(
    viewer: Viewer, question: FormQuestion, text: str, now: datetime
) -> FormResponse | None:
    """Write the answer to a question; the same text again changes nothing."""
    viewer.require_editor()
    with transaction.atomic():
        written = (
            FormResponse.objects.select_for_update().filter(question=question).first()
        )
        if (written.text if written else "") == text:
            return written
        if written is None:
            new = FormResponse(question=question, text=text, author=_author(viewer))
            return history.create(viewer, [new])[0]
        written.text, written.author, written.updated_at = text, _author(viewer), now
        history.update(viewer, [written], ["text", "author", "updated_at"])
    return written


def _author(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None
