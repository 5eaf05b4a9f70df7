"""Pastes that nothing fitted: what is missing, as a queue for editors.

Only the redacted telling lines are kept, and for KEPT_DAYS after the last time.
"""

import hashlib
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet

from accounts.viewer import Viewer
from core.errors import NotFound
from operational.domain.redaction import redacted
from operational.models import Entity, Failure, MissedPaste
from operational.pipeline.lines import telling

MAX_KEPT = 4_000
KEPT_DAYS = 90
TELLING = 0.6  # frames and source excerpts weigh less


def kept_of(paste: str) -> str:
    """All that may be kept of a paste."""
    lines: list[str] = []
    left = MAX_KEPT
    for line in telling(paste):
        if line.weight > TELLING and len(line.text) < left:  # never half a secret
            lines.append(line.text)
            left -= len(line.text) + 1
    return redacted("\n".join(lines)).strip()


def remember(paste: str, now: datetime) -> MissedPaste | None:
    """Finds the same miss again; nothing is kept of what says nothing."""
    text = kept_of(paste)
    if not text:
        return None
    key = hashlib.sha256(text.encode()).hexdigest()[:32]
    with transaction.atomic():
        miss, new = MissedPaste.objects.select_for_update().get_or_create(
            key=key, defaults={"text": text, "first_at": now, "last_at": now}
        )
        if not new:
            miss.count = F("count") + 1
            miss.last_at = now
            miss.save(update_fields=["count", "last_at"])
            miss.refresh_from_db()
    return miss


def waiting(viewer: Viewer) -> QuerySet[MissedPaste]:
    """The queue, most often missed first."""
    viewer.require_editor()
    return MissedPaste.objects.filter(closed_at=None).order_by("-count", "-last_at")


def close(
    viewer: Viewer, miss_id: int, now: datetime, *, slug: str = ""
) -> MissedPaste:
    """Settle a miss: it is the failure `slug`, or, without one, nothing worth a
    record."""
    viewer.require_editor()
    failure = _failure(slug) if slug else None
    with transaction.atomic():
        found = MissedPaste.objects.select_for_update(of=("self",))
        miss = found.filter(pk=miss_id).first()
        if miss is None:
            raise NotFound("This paste is not kept any more.")
        miss.recorded_as, miss.closed_at = failure, now
        miss.closed_by_id = viewer.user_id
        miss.save(update_fields=["recorded_as", "closed_at", "closed_by"])
    return miss


def forget_old(now: datetime) -> int:
    """Whatever became of them. Running it twice changes nothing."""
    limit = now - timedelta(days=KEPT_DAYS)
    return MissedPaste.objects.filter(last_at__lt=limit).delete()[0]


def _failure(slug: str) -> Failure:
    name = slug.strip().rpartition("/")[2].removeprefix("failure:")
    entity = Entity.objects.live().filter(type="failure", slug__iexact=name).first()
    if entity is None:
        raise NotFound(f"There is no failure {name!r}. Copy the end of its address.")
    return entity.failure
