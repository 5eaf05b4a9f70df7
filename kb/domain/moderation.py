"""Edits of approved items wait for approval by an admin or an owner.

Who may approve an edit makes it at once; everybody else proposes it. At most one edit
of an item waits. A later one builds on it: the earlier stays as it was written, marked
as continued, and the later holds the changes of both. While an edit waits, the item is
usable or hidden as its domain says (`kb.domain.hiding`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.domain import history, proposals
from kb.domain.access import locked
from kb.domain.hiding import hide_as_domain_says
from kb.domain.lifecycle import EDITABLE, edit_item, refuse_if_changed, validate
from kb.domain.ownership import approvers, owned_by, owns
from kb.enums import ReviewStatus, RevisionStatus
from kb.models import ContentItem, Revision

MODERATED = (ReviewStatus.APPROVED, ReviewStatus.REVIEW_OVERDUE)


@dataclass(frozen=True)
class Edit:
    """What became of an edit: `revision` waits, or else the item has it already."""

    item: ContentItem
    revision: Revision | None = None

    @property
    def message(self) -> str:
        if self.revision is None:
            return "Saved."
        return f"Your edit waits for approval by {approvers(self.item)}."


def may_approve(viewer: Viewer, item: ContentItem) -> bool:
    """Admins, and editors who own the item or its domain."""
    return viewer.can_govern or (viewer.can_edit and owns(viewer, item))


def needs_approval(viewer: Viewer, item: ContentItem) -> bool:
    """Whether an edit by `viewer` would wait."""
    state = item.governance_review_status
    return state in MODERATED and not may_approve(viewer, item)


def propose_edit(
    viewer: Viewer,
    item_id: UUID,
    changes: Mapping[str, Any],
    now: datetime,
    *,
    read_at: datetime | None = None,
    builds_on: int | None = None,
    note: str = "",
) -> Edit:
    """Save an edit (field → value, of EDITABLE), or have it wait for approval.

    `read_at` is the `updated_at` that the editor saw: a newer one is a `Conflict`.
    `builds_on` is the waiting revision whose text the editor saw and went on from; one
    that waits unseen is a `Conflict` only where both change the same field.
    """
    viewer.require_editor()
    if unknown := set(changes) - set(EDITABLE):
        raise BadInput.unknown("field", min(unknown), EDITABLE)
    with transaction.atomic():
        item = locked(viewer, [item_id])[0]
        waiting = waiting_revision(item)
        if builds_on is not None and (waiting is None or waiting.pk != builds_on):
            raise Conflict(
                "The edit that yours builds on was decided or continued meanwhile. "
                "Compare first."
            )
        at_once = not needs_approval(viewer, item)
        if at_once and builds_on is None:
            return Edit(edit_item(viewer, item_id, changes, now, read_at=read_at))
        refuse_if_changed(item, read_at)
        merged = _merged(item, waiting, changes, seen=builds_on is not None)
        if not merged:
            if builds_on is not None:
                _may_withdraw(viewer, waiting, item)
            return Edit(_withdrawn(viewer, waiting, item, now))
        if waiting is not None and merged == waiting.changes:
            revision = waiting
        else:
            revision = _wait(viewer, item, waiting, merged, now, note)
        if at_once:
            return Edit(_applied(viewer, revision, now))
    return Edit(item, revision)


def _merged(
    item: ContentItem,
    waiting: Revision | None,
    changes: Mapping[str, Any],
    *,
    seen: bool,
) -> dict[str, Any]:
    """All that would differ from the stored item, earlier edit included."""
    earlier = waiting.changes if waiting else {}
    now_stored = proposals.stored(item, {*changes, *earlier})
    shown = now_stored | (earlier if seen else {})
    edits = {name: proposals.as_json(name, changes[name]) for name in changes}
    edits = {name: edits[name] for name in edits if edits[name] != shown[name]}
    both = [n for n in edits if n in earlier and earlier[n] != edits[n]]
    if both and not seen and waiting:
        raise Conflict(
            f"An edit of {proposals.labels(both)} by {_name(waiting.author)} waits for "
            "approval. Open it and build on it.",
            field=both[0],
        )
    merged = {**earlier, **edits}
    return {name: merged[name] for name in merged if merged[name] != now_stored[name]}


def _wait(
    viewer: Viewer,
    item: ContentItem,
    earlier: Revision | None,
    changes: dict[str, Any],
    now: datetime,
    note: str,
) -> Revision:
    validate(proposals.overlaid(item, changes))
    if earlier is not None:
        _close(viewer, earlier, RevisionStatus.CONTINUED, now)
    revision = Revision.objects.create(
        item=item,
        changes=changes,
        base=proposals.stored(item, changes),
        continues=earlier,
        author=_user(viewer),
        note=note,
        created_at=now,
    )
    _tell(viewer, item, f"Edit proposed: {proposals.labels(changes)}")
    return revision


def approve_revision(
    viewer: Viewer,
    revision_id: int,
    now: datetime,
    note: str = "",
    *,
    over_later_changes: bool = False,
) -> ContentItem:
    """Apply a waiting edit. A field that changed since it was proposed is a `Conflict`,
    unless the approver has looked and puts the edit over it."""
    with transaction.atomic():
        item, revision = _to_decide(viewer, revision_id)
        later = _changed_since(revision, item)
        if later and not over_later_changes:
            raise Conflict(
                f"{proposals.labels(later).capitalize()} changed after this edit was "
                "proposed. Compare, then approve it over the change or reject it."
            )
        return _applied(viewer, revision, now, note)


def _applied(
    viewer: Viewer, revision: Revision, now: datetime, note: str = ""
) -> ContentItem:
    _close(viewer, revision, RevisionStatus.APPROVED, now, note)
    reason = f"Edit by {_name(revision.author)} approved"
    changes = proposals.values(revision.changes)
    return edit_item(viewer, revision.item_id, changes, now, reason=reason)


def approve_revisions(
    viewer: Viewer,
    ids: Iterable[int],
    now: datetime,
    note: str = "",
    *,
    over_later_changes: bool = False,
) -> int:
    """All or none of them."""
    with transaction.atomic():
        for revision_id in (ordered := _in_order_of_items(ids)):
            approve_revision(
                viewer, revision_id, now, note, over_later_changes=over_later_changes
            )
    return len(ordered)


def reject_revisions(
    viewer: Viewer, ids: Iterable[int], now: datetime, note: str
) -> int:
    with transaction.atomic():
        for revision_id in (ordered := _in_order_of_items(ids)):
            reject_revision(viewer, revision_id, now, note)
    return len(ordered)


def reject_revision(
    viewer: Viewer, revision_id: int, now: datetime, note: str
) -> Revision:
    """Leave the item as it is; `note` says why, to the author."""
    if not note.strip():
        raise BadInput("Say why, so that the author can act on it.", field="note")
    with transaction.atomic():
        item, revision = _to_decide(viewer, revision_id)
        _close(viewer, revision, RevisionStatus.REJECTED, now, note)
        reason = f"Edit by {_name(revision.author)} rejected: {note}"
        _tell(viewer, item, reason)
    return revision


def withdraw_revision(viewer: Viewer, revision_id: int, now: datetime) -> ContentItem:
    """By its author, or by who could reject it."""
    with transaction.atomic():
        item, revision = _locked_waiting(viewer, revision_id)
        _may_withdraw(viewer, revision, item)
        return _withdrawn(viewer, revision, item, now)


def waiting_revision(item: ContentItem) -> Revision | None:
    waiting = item.revisions.filter(status=RevisionStatus.WAITING)
    return waiting.select_related("author").first()


def waiting_for(viewer: Viewer) -> QuerySet[Revision]:
    """Edits that `viewer` may decide, the longest waiting first."""
    found = Revision.objects.filter(
        status=RevisionStatus.WAITING, item__archived_at=None
    )
    if not viewer.can_govern:
        found = found.filter(owned_by(viewer, "item__"))
    if not viewer.can_edit:
        found = found.none()
    return found.select_related("item", "author").order_by("created_at", "pk")


def edits_of(viewer: Viewer) -> QuerySet[Revision]:
    """What `viewer` proposed, with what became of it, newest first."""
    own = Revision.objects.filter(author__isnull=False, author=viewer.user_id)
    return own.select_related("item", "decided_by", "continued_by")


def outcome(revision: Revision) -> Revision:
    """Where the chain of later edits ends: what became of this one."""
    last = revision
    while later := Revision.objects.filter(continues=last).first():
        last = later
    return last


def _in_order_of_items(ids: Iterable[int]) -> list[int]:
    """As all writers lock them."""
    found = Revision.objects.filter(pk__in=ids).order_by("item_id", "pk")
    return list(found.values_list("pk", flat=True))


def _to_decide(viewer: Viewer, revision_id: int) -> tuple[ContentItem, Revision]:
    item, revision = _locked_waiting(viewer, revision_id)
    if not may_approve(viewer, item):
        raise NotAllowed(
            "Admins and the owner of the item or its domain decide on edits."
        )
    return item, revision


def _locked_waiting(viewer: Viewer, revision_id: int) -> tuple[ContentItem, Revision]:
    viewer.require_editor()
    # The item first, as all writers lock.
    found = Revision.objects.filter(pk=revision_id).values_list("item_id", flat=True)
    item_id = found.first()
    if item_id is None:
        raise NotFound("This edit does not exist.")
    item = locked(viewer, [item_id])[0]
    revision = Revision.objects.select_related("author").get(pk=revision_id)
    if revision.status != RevisionStatus.WAITING:
        status = RevisionStatus(revision.status).label.lower()
        raise Conflict(f"This edit is {status} already.")
    return item, revision


def _changed_since(revision: Revision, item: ContentItem) -> list[str]:
    current = proposals.stored(item, revision.changes)
    return [
        name
        for name, proposed in revision.changes.items()
        if current[name] not in (proposed, revision.base.get(name, current[name]))
    ]


def _close(
    viewer: Viewer,
    revision: Revision,
    status: RevisionStatus,
    now: datetime,
    note: str = "",
) -> None:
    revision.status = status
    revision.decided_at, revision.decided_by = now, _user(viewer)
    revision.decision_note = note
    revision.save()


def _may_withdraw(viewer: Viewer, revision: Revision | None, item: ContentItem) -> None:
    own = revision is not None and revision.author_id == viewer.user_id
    if not own and not may_approve(viewer, item):
        raise NotAllowed("Only its author or an approver can withdraw an edit.")


def _withdrawn(
    viewer: Viewer, revision: Revision | None, item: ContentItem, now: datetime
) -> ContentItem:
    if revision is not None:
        _close(viewer, revision, RevisionStatus.WITHDRAWN, now)
        _tell(viewer, item, f"Edit by {_name(revision.author)} withdrawn")
    return item


def _tell(viewer: Viewer, item: ContentItem, reason: str) -> None:
    """In the item's history, though the item itself keeps its text; and hide or show
    it."""
    hide_as_domain_says(item)
    history.update(viewer, [item], ["hidden_for_approval"], reason)


def _user(viewer: Viewer) -> User | None:
    return User(pk=viewer.user_id) if viewer.user_id else None


def _name(user: User | None) -> str:
    return user.display_name() if user else "somebody"
