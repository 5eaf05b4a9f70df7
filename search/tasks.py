from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from search import log, rollup


@shared_task(
    name="search.purge_log",
    autoretry_for=(OperationalError, InterfaceError),
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def purge_log() -> None:
    """Each night: forget searches older than SEARCH_LOG_DAYS."""
    log.purge(timezone.now())


@shared_task(
    name="search.roll_up",
    autoretry_for=(OperationalError, InterfaceError),
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def roll_up() -> None:
    """Each night, before old searches are forgotten: what is kept of the weeks."""
    rollup.run(timezone.now())
