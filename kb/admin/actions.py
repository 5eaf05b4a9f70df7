"""The bulk actions of the item list, each one call of the domain for all ids."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from accounts.admin_pages import viewer_of
from core.bulk import Bulk, Run, action
from kb.admin.forms import (
    CadenceForm,
    NoteForm,
    OwnerForm,
    ReasonForm,
    RequestForm,
    SupersedeForm,
)
from kb.domain import lifecycle, review, vectors
from kb.domain.ownership import set_owner
from kb.domain.requests import request_review
from kb.domain.summaries import summarise_again
from kb.enums import CadenceKind, ReviewStatus

Ids = list[UUID]
Data = dict[str, Any]


def _state(state: ReviewStatus) -> Run:
    def run(request: HttpRequest, ids: Ids, data: Data) -> int:
        viewer, now = viewer_of(request), timezone.now()
        return review.set_state(viewer, ids, state, now, data["reason"])

    return run


def _mark_reviewed(request: HttpRequest, ids: Ids, data: Data) -> int:
    return review.mark_reviewed(viewer_of(request), ids, timezone.now(), data["note"])


def _verify(request: HttpRequest, ids: Ids, data: Data) -> int:
    return review.verify(viewer_of(request), ids, timezone.now(), data["note"])


def _set_cadence(request: HttpRequest, ids: Ids, data: Data) -> int:
    return review.set_cadence(
        viewer_of(request),
        ids,
        CadenceKind(data["kind"]),
        timezone.now(),
        days=data["days"],
        on=data["on"],
    )


def _set_owner(request: HttpRequest, ids: Ids, data: Data) -> int:
    return set_owner(viewer_of(request), ids, timezone.now(), **data)


def _request_review(request: HttpRequest, ids: Ids, data: Data) -> int:
    return len(request_review(viewer_of(request), ids, timezone.now(), **data))


def _supersede(request: HttpRequest, ids: Ids, data: Data) -> int:
    viewer, now = viewer_of(request), timezone.now()
    by, reason = data["by"].pk, data["reason"]
    return len(lifecycle.supersede_all(viewer, ids, by, now, reason))


def _archive(request: HttpRequest, ids: Ids, data: Data) -> int:
    return lifecycle.archive(viewer_of(request), ids, timezone.now(), data["reason"])


def _restore(request: HttpRequest, ids: Ids, data: Data) -> int:
    return lifecycle.restore(viewer_of(request), ids, timezone.now(), data["reason"])


def _reembed(request: HttpRequest, ids: Ids, data: Data) -> int:
    return vectors.forget_vectors(viewer_of(request), ids)


def _summarise(request: HttpRequest, ids: Ids, data: Data) -> int:
    return summarise_again(viewer_of(request), ids)


BULK_ACTIONS = (
    Bulk(
        "approve",
        "Approve",
        _state(ReviewStatus.APPROVED),
        "approved",
        "They may be used in answers from now on.",
        ReasonForm,
    ),
    Bulk(
        "send_to_review",
        "Send to review",
        _state(ReviewStatus.IN_REVIEW),
        "sent to review",
        form=ReasonForm,
    ),
    Bulk(
        "mark_reviewed",
        "Mark reviewed",
        _mark_reviewed,
        "marked reviewed",
        "They count as approved; the next date follows from the cadence.",
        NoteForm,
    ),
    Bulk(
        "verify",
        "Verify",
        _verify,
        "verified",
        "Your name stands beside them as the one who vouches for the content.",
        NoteForm,
    ),
    Bulk(
        "set_cadence",
        "Set cadence",
        _set_cadence,
        "given the new cadence",
        "The next review is counted from the last one.",
        CadenceForm,
    ),
    Bulk(
        "set_owner",
        "Set owner",
        _set_owner,
        "given the new owner",
        "With nobody chosen they are their domain's owner's.",
        OwnerForm,
    ),
    Bulk(
        "request_review",
        "Ask for a review",
        _request_review,
        "asked to be reviewed",
        "Any review of them answers it.",
        RequestForm,
    ),
    Bulk(
        "supersede",
        "Supersede by another item",
        _supersede,
        "superseded",
        "Search and links lead to the item chosen here instead.",
        SupersedeForm,
    ),
    Bulk(
        "archive",
        "Archive",
        _archive,
        "archived",
        "Nobody finds them until they are restored. Nothing is deleted.",
        ReasonForm,
    ),
    Bulk("restore", "Restore", _restore, "restored", form=ReasonForm),
    Bulk(
        "reembed",
        "Re-embed",
        _reembed,
        "queued for embedding",
        "Their sections are found again once that is done.",
    ),
    Bulk(
        "regenerate_summary",
        "Regenerate summary",
        _summarise,
        "queued for a new summary",
        "Summary, keywords and suggested title are written anew where they are empty "
        "or were generated. What people wrote stays.",
    ),
)
ACTIONS = [action(bulk) for bulk in BULK_ACTIONS]
