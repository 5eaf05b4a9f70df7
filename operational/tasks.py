"""Nightly work of operational memory. Both jobs look at what is and change only what
must change, so a second run, also at the same time, finds nothing to do."""

import logging
from typing import Any

from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from operational.domain import fixes, misses

log = logging.getLogger("hub.jobs")

_NIGHTLY: dict[str, Any] = {
    "autoretry_for": (OperationalError, InterfaceError),
    "max_retries": 5,
    "retry_backoff": 2,
    "acks_late": True,
    "ignore_result": True,
}


@shared_task(name="operational.find_stale_fixes", **_NIGHTLY)
def find_stale_fixes() -> None:
    count = fixes.find_stale(timezone.now())
    log.info("stale fixes found", extra={"count": count})


@shared_task(name="operational.forget_old_pastes", **_NIGHTLY)
def forget_old_pastes() -> None:
    count = misses.forget_old(timezone.now())
    log.info("old pastes forgotten", extra={"count": count})
