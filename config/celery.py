import os
import warnings
from typing import Any

from celery import Celery, signals
from celery.exceptions import SecurityWarning
from django.core.checks import run_checks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

if "HUB_SUPERVISED" in os.environ:
    # On one machine the whole hub may be root's; its tasks are JSON, not pickles.
    warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("hub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def leave_logging_to_django(**kwargs: Any) -> None:
    """A receiver here keeps Celery from setting up logs of its own."""


@signals.worker_init.connect
def run_system_checks(**kwargs: Any) -> None:
    found = run_checks(databases=["default"])
    serious = [each for each in found if each.is_serious() and not each.is_silenced()]
    if serious:
        # Celery logs ordinary exceptions of a receiver and carries on.
        raise SystemExit("\n".join(map(str, serious)))
