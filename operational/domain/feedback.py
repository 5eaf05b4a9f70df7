"""What people tell back about a fix, and pastes that nothing fitted."""

import hashlib
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from operational.domain.entities import around
from operational.domain.redaction import redacted
from operational.enums import FixState
from operational.models import Failure, Feedback, MissedPaste
from operational.pipeline.lines import telling

MAX_NOTE = 2_000
MAX_KEPT = 4_000
# A miss is remembered for so long, unless it is met again.
KEPT_DAYS = 90


def tell(
    viewer: Viewer, failure_id: int, *, worked: bool, note: str, now: datetime
) -> Feedback:
    """Counts once per person, failure and day; a second word replaces the first."""
    if viewer.user_id is None:
        raise BadInput("Feedback comes from a person.")
    if len(note) > MAX_NOTE:
        raise BadInput(f"A note has at most {MAX_NOTE} characters.", field="note")
    with transaction.atomic():
        failure = (
            Failure.objects.select_for_update()
            .filter(pk=failure_id, entity__archived_at=None)
            .first()
        )
        if failure is None:
            raise NotFound("This failure does not exist.")
        given, new = Feedback.objects.update_or_create(
            user_id=viewer.user_id,
            failure=failure,
            day=now.date(),
            defaults={"worked": worked, "note": redacted(note), "created_at": now},
        )
        if new:
            failure.instance_count += 1
        failure.last_occurrence = max(failure.last_occurrence or now.date(), now.date())
        if worked and failure.fix_state == FixState.SUGGESTED:
            failure.fix_state = FixState.TRIED
        failure.save(update_fields=["instance_count", "last_occurrence", "fix_state"])
        around({failure.pk})
    return given


def remember_miss(paste: str, now: datetime) -> MissedPaste:
    """Keeps the redacted telling lines only, and finds the same miss again."""
    lines = [line.text for line in telling(paste) if line.weight > 0.6][:40]
    text = redacted("\n".join(lines))[:MAX_KEPT]
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


def forget_old(now: datetime) -> int:
    limit = now - timedelta(days=KEPT_DAYS)
    return MissedPaste.objects.filter(last_at__lt=limit, recorded_as=None).delete()[0]
