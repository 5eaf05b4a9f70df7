"""Work is enqueued by name: each name must be a task."""

import re
from pathlib import Path

import pytest
from celery import Celery
from django_celery_beat.models import PeriodicTask

from config.celery import app

ROOMS = ("core", "accounts", "kb", "search", "operational", "browse", "config")
_ENQUEUED = re.compile(r"""\benqueue\(\s*["']([^"']+)["']""")


@pytest.fixture
def hub() -> Celery:
    app.loader.import_default_modules()
    return app


def _enqueued() -> set[str]:
    root = Path(__file__).resolve().parents[2]
    return {
        name
        for room in ROOMS
        for path in (root / room).rglob("*.py")
        for name in _ENQUEUED.findall(path.read_text("utf-8"))
    }


def test_every_name_enqueued_in_the_code_is_a_task(hub: Celery) -> None:
    names = _enqueued()
    assert "kb.embed_items" in names
    assert names - set(hub.tasks) == set()


@pytest.mark.django_db
def test_every_schedule_names_a_task(hub: Celery) -> None:
    scheduled = set(PeriodicTask.objects.values_list("task", flat=True))
    assert "kb.sweep" in scheduled
    assert scheduled - set(hub.tasks) == set()
