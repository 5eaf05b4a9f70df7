"""Background work by name, so that the domain never imports the tasks above it."""

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger("hub.jobs")


class _Undelivered:
    """Whether this process ever failed to hand over work."""

    seen = False


def enqueue(task: str, *args: Any) -> None:
    """Send `task` to a worker after the transaction commits.

    A broker that is down never fails a save: the loss is logged and the sweep of each
    minute finds the work again.
    """
    transaction.on_commit(partial(_send, task, args), robust=True)


def undelivered() -> bool:
    """Whether this process could not hand some work to the broker."""
    return _Undelivered.seen


def _send(task: str, args: tuple[Any, ...]) -> None:
    try:
        current_app.send_task(task, args=args, ignore_result=True)
    except Exception as error:
        # Once a process: a command that runs alone has no broker, and needs none.
        level = logging.DEBUG if _Undelivered.seen else logging.WARNING
        _Undelivered.seen = True
        log.log(level, "broker unreachable", extra={"task": task, "error": str(error)})
