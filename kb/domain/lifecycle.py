"""Items come, change, are replaced and leave. Each function checks permission, writes,
records history and hands indexing on."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.viewer import Viewer
from core.errors import BadInput, Conflict
from kb.domain import history, scores
from kb.domain.access import locked
from kb.domain.cadence import next_review_date, reschedule
from kb.domain.hiding import hide_as_domain_says
from kb.domain.indexing import index_items
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem

# What people write. A change of one of CONTENT moves `content_changed_at`, takes the
# verification back (it was of the old text) and indexes the item anew.
CONTENT = ("title", "content", "content_type", "summary", "ai_keywords", "author_name")
DESCRIPTION = (
    "suggested_title",
    "platform",
    "source",
    "primary_domain",
    "subtopic",
    "layer",
    "owner",
    "owner_group",
    "picture",
)
EDITABLE = CONTENT + DESCRIPTION
_INDEXED = (*CONTENT, "suggested_title")
# What an import also carries.
_IMPORTED = ("source_hash", "source_path", "content_changed_at", "summary_data")


def create_items(
    viewer: Viewer, items: Sequence[ContentItem], now: datetime, reason: str = ""
) -> list[ContentItem]:
    """Save new items, given unsaved and complete but for the dates, and index them."""
    viewer.require_editor()
    for item in items:
        item.content_changed_at = item.content_changed_at or now
        item.next_review_date = item.next_review_date or next_review_date(
            item, item.content_changed_at.date()
        )
        validate(item)
    with transaction.atomic():
        history.create(viewer, items, reason)
        index_items(items, now)
        scores.rescore([item.pk for item in items], now.date())
    return list(items)


def edit_item(
    viewer: Viewer,
    item_id: UUID,
    changes: Mapping[str, Any],
    now: datetime,
    *,
    read_at: datetime | None = None,
    reason: str = "",
) -> ContentItem:
    """Apply `changes` (field → value, of EDITABLE) to one item.

    `read_at` is the `updated_at` that the editor saw: a newer one is a `Conflict`.
    Imports carry their own time of change as `content_changed_at` and `source_hash`.
    """
    viewer.require_editor()
    with transaction.atomic():
        item = locked(viewer, [item_id])[0]
        refuse_if_changed(item, read_at)
        changed = _apply(item, changes, now)
        if changed:
            validate(item)
            history.update(viewer, [item], [*changed, "updated_at"], reason)
        if set(changed) & set(_INDEXED):
            index_items([item], now)
        if changed:
            scores.rescore([item.pk], now.date())
    return item


def refuse_if_changed(item: ContentItem, read_at: datetime | None) -> None:
    """`read_at` is the `updated_at` that the editor saw, if that matters."""
    if read_at is not None and item.updated_at > read_at:
        raise Conflict("Somebody else changed this item meanwhile. Compare first.")


def _apply(item: ContentItem, changes: Mapping[str, Any], now: datetime) -> list[str]:
    """Set what differs; return the names of all fields to write."""
    allowed = {*EDITABLE, *_IMPORTED}
    if unknown := set(changes) - allowed:
        raise BadInput.unknown("field", min(unknown), allowed)
    differing = [name for name in changes if getattr(item, name) != changes[name]]
    content = set(differing) & set(CONTENT)
    for name in differing:
        setattr(item, name, changes[name])
    if "picture" in differing:
        # A bulk update stores the name alone; this stores the file.
        ContentItem._meta.get_field("picture").pre_save(item, add=False)
    if content:
        item.content_changed_at = changes.get("content_changed_at") or now
        item.verified_at = item.verified_by = None
        item.verification_note = ""
        differing += [
            "content_changed_at",
            "verified_at",
            "verified_by",
            "verification_note",
        ]
    if "primary_domain" in differing and item.cadence == CadenceKind.INHERIT:
        differing += reschedule(item, now.date())
    if hide_as_domain_says(item):
        differing.append("hidden_for_approval")
    if differing:
        item.updated_at = now
    return list(dict.fromkeys(differing))


def validate(item: ContentItem) -> None:
    try:
        item.clean_fields(exclude=["primary_domain", "owner", "owner_group"])
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise BadInput(" ".join(messages), field=field) from error


def archive(
    viewer: Viewer, ids: Sequence[UUID], now: datetime, reason: str = ""
) -> int:
    """Take items out of use. Nothing is deleted; `restore` brings them back."""
    return _set_archived(viewer, ids, now, now, reason or "Archived")


def restore(
    viewer: Viewer, ids: Sequence[UUID], now: datetime, reason: str = ""
) -> int:
    return _set_archived(viewer, ids, None, now, reason or "Restored")


def _set_archived(
    viewer: Viewer,
    ids: Sequence[UUID],
    at: datetime | None,
    now: datetime,
    reason: str,
) -> int:
    viewer.require_editor()
    with transaction.atomic():
        items = [i for i in locked(viewer, ids) if bool(i.archived_at) != bool(at)]
        for item in items:
            item.archived_at = at
            item.updated_at = now
        history.update(viewer, items, ["archived_at", "updated_at"], reason)
        if at is None:
            # The nightly job leaves archived items out.
            scores.rescore([item.pk for item in items], now.date())
    return len(items)


def supersede(
    viewer: Viewer, item_id: UUID, by_id: UUID, now: datetime, reason: str
) -> ContentItem:
    """Say that `by_id` replaces `item_id`; search and links follow the pointer."""
    return supersede_all(viewer, [item_id], by_id, now, reason)[0]


def supersede_all(
    viewer: Viewer, ids: Sequence[UUID], by_id: UUID, now: datetime, reason: str
) -> list[ContentItem]:
    """Say of several items that `by_id` replaces them."""
    viewer.require_editor()
    if by_id in ids:
        raise BadInput("An item cannot replace itself.", field="superseded_by")
    with transaction.atomic():
        items = {item.pk: item for item in locked(viewer, [*ids, by_id])}
        successor = items.pop(by_id)
        if items.keys() & {each.pk for each in _successors(successor)}:
            raise BadInput("These would replace each other.", field="superseded_by")
        replaced = list(items.values())
        _refuse_unfindable(successor, replaced)
        for item in replaced:
            item.superseded_by = successor
            item.superseded_reason = reason
            item.updated_at = now
        fields = ["superseded_by", "superseded_reason", "updated_at"]
        history.update(viewer, replaced, fields, f"Replaced: {reason}")
    return replaced


def _refuse_unfindable(successor: ContentItem, replaced: Sequence[ContentItem]) -> None:
    """Readers who lose what they found must find the other one."""
    draft = ReviewStatus.DRAFT
    unfindable = successor.archived_at or successor.governance_review_status == draft
    if unfindable and any(r.governance_review_status != draft for r in replaced):
        state = "archived" if successor.archived_at else "a draft"
        raise BadInput(
            f"The other item is {state}: people would find neither. "
            f"{'Restore' if successor.archived_at else 'Approve'} it first.",
            field="superseded_by",
        )


def _successors(item: ContentItem) -> list[ContentItem]:
    """The chain of replacements from `item` on, itself excluded."""
    chain: list[ContentItem] = []
    while item.superseded_by and item.superseded_by not in chain:
        item = item.superseded_by
        chain.append(item)
    return chain


def current_version(item: ContentItem) -> ContentItem:
    """Where the chain of replacements ends."""
    return [item, *_successors(item)][-1]
