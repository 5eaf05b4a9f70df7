"""Bids and their questions."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from core.text import fold
from kb.domain import history
from kb.domain.citations import set_bid_status
from kb.enums import BidStatus
from kb.models import FormQuestion, Workspace

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
        bid = _locked(bid_id)
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


def add_questions(
    viewer: Viewer, bid_id: int, questions: Sequence[FormQuestion]
) -> list[FormQuestion]:
    """Put questions after those that are there; one asked in the same words already,
    in the same section, is left out."""
    viewer.require_editor()
    with transaction.atomic():
        bid = _locked(bid_id)
        asked = {
            _same(section, text)
            for section, text in bid.questions.values_list("section", "text")
        }
        new: list[FormQuestion] = []
        last = bid.questions.aggregate(at=Max("position"))["at"] or 0
        for each in questions:
            if (key := _same(each.section, each.text)) not in asked:
                asked.add(key)
                each.workspace, each.position = bid, last + len(new) + 1
                new.append(each)
        return FormQuestion.objects.bulk_create(new)


def _same(section: str, text: str) -> tuple[str, str]:
    return fold(section), fold(text)


def _locked(bid_id: int) -> Workspace:
    bid = Workspace.objects.select_for_update().filter(pk=bid_id).first()
    if bid is None:
        raise NotFound("This bid does not exist.")
    return bid


def _author(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None
