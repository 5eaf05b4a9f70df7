"""How a domain governs its items: cadence, owner, moderation."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from django.db import connection, transaction

from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from kb.domain import history, scores
from kb.domain.hiding import hide_as_domain_says
from kb.enums import CadenceKind, ReviewStatus, RevisionStatus
from kb.models import ContentItem, Domain

EDITABLE = ("name", "cadence_days", "owner", "owner_group", "moderation")


def create_domain(viewer: Viewer, domain: Domain) -> Domain:
    viewer.require_admin()
    return history.create(viewer, [domain])[0]


def edit_domain(
    viewer: Viewer, domain_id: int, changes: Mapping[str, Any], now: datetime
) -> Domain:
    """Apply `changes` (of EDITABLE). A new cadence moves the review dates of all items
    that follow the domain's; scores follow cadence and owner at once."""
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
        if "moderation" in changed:
            _hide_or_show(viewer, domain)
        if set(changed) & {"cadence_days", "owner", "owner_group"}:
            _rescore(domain, now.date())
    return domain


# The rule of `kb.domain.cadence.reschedule`, for all items of a domain at once.
_MOVE_DATES = """
WITH due AS (
    -- Locked in order of id, as all writers do.
    SELECT id, (coalesce(reviewed_at, content_changed_at) AT TIME ZONE 'UTC')::date
               + %(days)s::integer AS on_day
    FROM kb_contentitem
    WHERE primary_domain_id = %(domain)s AND cadence = %(inherit)s
    ORDER BY id FOR NO KEY UPDATE
), moved AS (
    UPDATE kb_contentitem AS item
    SET next_review_date = due.on_day, updated_at = %(now)s,
        governance_review_status = CASE
            WHEN item.governance_review_status = %(overdue)s
                 AND (due.on_day < %(today)s) IS NOT TRUE THEN %(approved)s
            ELSE item.governance_review_status
        END
    FROM due WHERE item.id = due.id
    RETURNING item.*
)
INSERT INTO {history}
    ({columns}, history_date, history_type, history_change_reason, history_user_id)
SELECT {columns}, %(now)s, '~', %(reason)s, %(user)s FROM moved
"""


def _move_review_dates(viewer: Viewer, domain: Domain, now: datetime) -> None:
    values: dict[str, Any] = {
        "domain": domain.pk,
        "days": domain.cadence_days,
        "inherit": CadenceKind.INHERIT.value,
        "overdue": ReviewStatus.REVIEW_OVERDUE.value,
        "approved": ReviewStatus.APPROVED.value,
        "now": now,
        "today": now.astimezone(UTC).date(),
        "reason": history.cut(f"Cadence of {domain.name}"),
        "user": viewer.user_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(history.recording(_MOVE_DATES, ContentItem), values)


def _hide_or_show(viewer: Viewer, domain: Domain) -> None:
    """Items whose edits wait follow the domain's new mode."""
    waiting = ContentItem.objects.filter(
        primary_domain=domain, revisions__status=RevisionStatus.WAITING
    )
    items = list(waiting.select_for_update(of=("self",)).order_by("pk"))
    for item in items:
        item.primary_domain = domain
    changed = [item for item in items if hide_as_domain_says(item)]
    reason = f"Moderation of {domain.name}"
    history.update(viewer, changed, ["hidden_for_approval"], reason)


def _rescore(domain: Domain, today: date) -> None:
    live = ContentItem.objects.live().filter(primary_domain=domain)
    scores.rescore(list(live.values_list("pk", flat=True)), today)
