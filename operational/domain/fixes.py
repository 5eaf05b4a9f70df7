"""The state of a fix: suggested → tried → verified → stale.

- A fix that somebody tried, whatever came of it, is tried.
- An editor verifies it. That stands until it was not confirmed for STALE_AFTER, or
  FAILURES people said since that it did not work: then it is stale.
- A stale fix that works again is tried; an editor may verify it again.
- Another text is another fix: it starts as suggested.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from operational.domain import history
from operational.domain.entities import around
from operational.enums import FixState
from operational.models import Failure, Feedback

STALE_AFTER = timedelta(days=365)
FAILURES = 2

_VERIFIED = ("fix_state", "fix_verified_at", "fix_verified_by")


def is_stale(confirmed_at: datetime, failed: Sequence[datetime], now: datetime) -> bool:
    """Of a verified fix: when it was last verified or worked, and when it did not."""
    since = [each for each in failed if each > confirmed_at]
    return now - confirmed_at > STALE_AFTER or len(since) >= FAILURES


def after_feedback(state: str, *, worked: bool) -> FixState:
    if state == FixState.SUGGESTED or (state == FixState.STALE and worked):
        return FixState.TRIED
    return FixState(state)


def verify(viewer: Viewer, failure_id: int, now: datetime) -> Failure:
    viewer.require_editor()
    with transaction.atomic():
        failure = locked(failure_id)
        if not failure.verified_fix.strip():
            raise BadInput("There is no fix to verify yet.", field="verified_fix")
        failure.fix_state = FixState.VERIFIED
        failure.fix_verified_at = now
        failure.fix_verified_by_id = viewer.user_id
        history.update(viewer, [failure], _VERIFIED, "Fix verified")
        around({failure.pk})
    return failure


def settle(
    viewer: Viewer, failure: Failure, old: Failure | None, now: datetime
) -> None:
    """Before an edited failure is saved: what the edit makes of the fix's state."""
    decided = old is None or failure.fix_state != old.fix_state
    if old and old.verified_fix.strip() != failure.verified_fix.strip() and not decided:
        failure.fix_state = FixState.SUGGESTED
    if failure.fix_state != FixState.VERIFIED:
        failure.fix_verified_at = failure.fix_verified_by_id = None
    elif decided:
        failure.fix_verified_at = now
        failure.fix_verified_by_id = viewer.user_id


def find_stale(now: datetime, within: Collection[int] | None = None) -> int:
    """How many verified fixes are stale from now on: of all failures, or of some.
    Running it twice changes nothing."""
    stale = _stale(now, within)
    with transaction.atomic():
        found = list(
            Failure.objects.filter(pk__in=stale, fix_state=FixState.VERIFIED)
            .select_for_update()
            .order_by("pk")
        )
        for failure in found:
            failure.fix_state = FixState.STALE
        history.update(Viewer.system(), found, ["fix_state"], "Fix not confirmed")
        around({failure.pk for failure in found})
    return len(found)


def locked(failure_id: int) -> Failure:
    failure = (
        Failure.objects.select_for_update(of=("self",))
        .select_related("entity")
        .filter(pk=failure_id, entity__archived_at=None)
        .first()
    )
    if failure is None:
        raise NotFound("This failure does not exist.")
    return failure


def _stale(now: datetime, within: Collection[int] | None) -> list[int]:
    verified = Failure.objects.filter(fix_state=FixState.VERIFIED)
    told = Feedback.objects.filter(failure__fix_state=FixState.VERIFIED)
    if within is not None:
        verified, told = verified.filter(pk__in=within), told.filter(failure__in=within)
    worked: dict[int, datetime] = {}
    failed: dict[int, list[datetime]] = defaultdict(list)
    for pk, good, at in told.order_by("created_at").values_list(
        "failure_id", "worked", "created_at"
    ):
        if good:
            worked[pk] = at
        else:
            failed[pk].append(at)
    rows = verified.values_list("pk", "fix_verified_at", "entity__created_at")
    return [
        pk
        for pk, verified_at, recorded_at in rows
        # One that came in as verified counts from the day on which it came.
        if is_stale(
            max(verified_at or recorded_at, worked.get(pk, recorded_at)),
            failed[pk],
            now,
        )
    ]
