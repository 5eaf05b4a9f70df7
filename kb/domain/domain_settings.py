"""How a domain governs its items: cadence, owner, moderation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from kb.domain import history
from kb.domain.cadence import next_review_date
from kb.enums import CadenceKind
from kb.models import ContentItem, Domain

EDITABLE = ("name", "cadence_days", "owner", "owner_group", "moderation")


def create_domain(viewer: Viewer, domain: Domain) -> Domain:
    viewer.require_admin()
    return history.create(viewer, [domain])[0]


def edit_domain(
    viewer: Viewer, domain_id: int, changes: Mapping[str, Any], now: datetime
) -> Domain:
    """Apply `changes` (of EDITABLE). A new cadence moves the review dates of all items
    that follow the domain's."""
    viewer.require_admin()
    if unknown := set(changes) - set(EDITABLE):
        raise BadInput.unknown("field", min(unknown), EDITABLE)
    with transaction.atomic():
        domain = Domain.objects.select_for_update().filter(pk=domain_id).first()
        if domain is None:
            raise NotFound("This domain does not exist.")
        changed = [name for name in changes if getattr(domain, name) != changes[name]]
        for name in changed:
            setattr(domain, name, changes[name])
        if changed:
            history.update(viewer, [domain], changed)
        if "cadence_days" in changed:
            _move_review_dates(viewer, domain, now)
    return domain


def _move_review_dates(viewer: Viewer, domain: Domain, now: datetime) -> None:
    items = list(
        ContentItem.objects.live()
        .filter(primary_domain=domain, cadence=CadenceKind.INHERIT)
        .select_for_update()
        .order_by("pk")
    )
    for item in items:
        item.primary_domain = domain
        last = (item.reviewed_at or item.content_changed_at).date()
        item.next_review_date = next_review_date(item, last)
        item.updated_at = now
    fields = ["next_review_date", "updated_at"]
    history.update(viewer, items, fields, f"Cadence of {domain.name}")
