"""Nightly work of operational memory. Both jobs look at what is and change only what
must change, so a second run, also at the same time, finds nothing to do."""

import logging

from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from operational.domain import fixes, misses

log = logging.getLogger("hub.jobs")

_BROKEN = (OperationalError, InterfaceError)


@shared_task(
    name="operational.find_stale_fixes",
    autoretry_for=_BROKEN,
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def find_stale_fixes() -> None:
    count = fixes.find_stale(timezone.now())
    log.info("stale fixes found", extra={"count": count})


@shared_task(
    name="operational.forget_old_pastes",
    autoretry_for=_BROKEN,
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def forget_old_pastes() -> None:
    count = misses.forget_old(timezone.now())
    log.info("old pastes forgotten", extra={"count": count})
