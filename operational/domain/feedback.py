"""What people tell back about a fix."""

from datetime import datetime

from django.db import transaction

from accounts.viewer import Viewer
from core.errors import BadInput
from operational.domain import fixes
from operational.domain.entities import around
from operational.domain.redaction import redacted
from operational.models import Feedback

MAX_NOTE = 2_000


def tell(
    viewer: Viewer, failure_id: int, *, worked: bool, note: str, now: datetime
) -> Feedback:
    """Counts once per person, failure and day; a second word replaces the first."""
    if viewer.user_id is None:
        raise BadInput("Feedback comes from a person.")
    if len(note) > MAX_NOTE:
        raise BadInput(f"A note has at most {MAX_NOTE} characters.", field="note")
    with transaction.atomic():
        failure = fixes.locked(failure_id)
        given, new = Feedback.objects.update_or_create(
            user_id=viewer.user_id,
            failure=failure,
            day=now.date(),
            defaults={"worked": worked, "note": redacted(note), "created_at": now},
        )
        if new:
            failure.instance_count += 1
        failure.last_occurrence = max(failure.last_occurrence or now.date(), now.date())
        failure.fix_state = fixes.after_feedback(failure.fix_state, worked=worked)
        failure.save(update_fields=["instance_count", "last_occurrence", "fix_state"])
        fixes.find_stale(now, {failure.pk})
        around({failure.pk})
    return given
