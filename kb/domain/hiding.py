"""Whether an item is hidden while an edit of it waits: its domain's choice."""

from kb.enums import Moderation, RevisionStatus
from kb.models import ContentItem


def hide_as_domain_says(item: ContentItem) -> bool:
    """Set `hidden_for_approval` in memory; whether it changed."""
    before = item.hidden_for_approval
    domain = item.primary_domain
    item.hidden_for_approval = (
        domain is not None
        and domain.moderation == Moderation.HIDE
        and item.revisions.filter(status=RevisionStatus.WAITING).exists()
    )
    return item.hidden_for_approval != before
