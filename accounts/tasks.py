from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from accounts import oauth


@shared_task(
    name="accounts.clear_oauth",
    autoretry_for=(OperationalError, InterfaceError),
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def clear_oauth() -> None:
    """Each night: forget expired tokens, and programs that nobody let in."""
    oauth.clear(timezone.now())
