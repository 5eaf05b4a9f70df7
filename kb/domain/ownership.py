"""Who owns an item: its own owner or its domain's, a person or a member of a group."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput
from kb.domain import history, scores
from kb.domain.access import locked
from kb.models import ContentItem, Domain


def set_owner(
    viewer: Viewer,
    ids: Sequence[UUID],
    now: datetime,
    *,
    person: User | None = None,
    group: Group | None = None,
) -> int:
    """Hand items to a person or a group; to neither leaves them to their domain."""
    viewer.require_editor()
    if person and group:
        raise BadInput("Choose a person or a group, not both.", field="group")
    with transaction.atomic():
        items = locked(viewer, ids)
        for item in items:
            item.owner, item.owner_group, item.updated_at = person, group, now
        to = person.display_name() if person else group.name if group else "nobody"
        fields = ["owner", "owner_group", "updated_at"]
        history.update(viewer, items, fields, f"Owner: {to}")
        scores.rescore([item.pk for item in items], now.date())
    return len(items)


def owned_by(viewer: Viewer, prefix: str = "") -> Q:
    """As a condition on items, or with `prefix` on what points to one."""
    if viewer.user_id is None:
        return Q(pk=None)
    groups = Group.objects.filter(user=viewer.user_id)
    condition = Q()
    for owner in ("", "primary_domain__"):
        condition |= Q(**{f"{prefix}{owner}owner": viewer.user_id})
        condition |= Q(**{f"{prefix}{owner}owner_group__in": groups})
    return condition


def owns(viewer: Viewer, item: ContentItem) -> bool:
    return ContentItem.objects.filter(owned_by(viewer), pk=item.pk).exists()


def approvers(item: ContentItem) -> str:
    """Who is asked first to approve an edit of `item`: a name for people to read."""
    owned: list[ContentItem | Domain | None] = [item, item.primary_domain]
    for each in owned:
        if each and each.owner:
            return each.owner.display_name()
        if each and each.owner_group:
            return each.owner_group.name
    return "an admin"
