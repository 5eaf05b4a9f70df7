"""Who owns an item: its own owner or its domain's, a person or a member of a group."""

from django.contrib.auth.models import Group
from django.db.models import Q

from accounts.viewer import Viewer
from kb.models import ContentItem, Domain


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
