"""Task, schedule, command and checks: what people and beat meet."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django_celery_beat.models import PeriodicTask
from pytest_django import Settings

from kb import embedding, tasks
from kb.checks import check_embeddings
from kb.embeddings import outage
from kb.embeddings.base import RECIPE_NAME, Recipe
from kb.models import IndexStatistics
from tests.factories.library import item
from tests.kb.embedders import Switched


@pytest.mark.django_db
def test_the_task_embeds_the_items_that_were_saved() -> None:
    made = item("One", embedded=False)
    tasks.embed_items([str(made.pk)])
    assert embedding.missing().count() == 0


@pytest.mark.django_db
def test_the_sweep_embeds_what_is_missing_and_counts_terms() -> None:
    item("One", embedded=False)
    tasks.sweep()
    assert embedding.missing().count() == 0
    assert IndexStatistics.objects.get().items == 1


@pytest.mark.django_db
def test_the_sweep_counts_terms_while_the_provider_is_down(settings: Settings) -> None:
    settings.EMBEDDER = "tests.kb.embedders.WrongKey"
    item("One", embedded=False)
    tasks.sweep()
    assert embedding.missing().count() == 1
    assert IndexStatistics.objects.get().items == 1


@pytest.mark.django_db
def test_a_sweep_leaves_the_work_to_one_that_runs() -> None:
    item("One", embedded=False)
    cache.add("kb:sweep", 1)
    tasks.sweep()
    assert embedding.missing().count() == 1
    cache.delete("kb:sweep")
    tasks.sweep()
    assert cache.get("kb:sweep") is None
    assert embedding.missing().count() == 0


@pytest.mark.django_db
def test_the_sweep_works_with_the_cache_down(settings: Settings) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9/0",
        }
    }
    outage.recovered()  # of what this process remembers of other tests
    item("One", embedded=False)
    tasks.sweep()
    assert embedding.missing().count() == 0


@pytest.mark.django_db
def test_the_schedule_is_made_once_and_keeps_what_was_edited() -> None:
    task = PeriodicTask.objects.get(name="Embed what is missing")
    assert (task.task, str(task.interval), task.enabled) == (
        "kb.sweep",
        "every minute",
        True,
    )
    task.enabled = False
    task.save()

    import_module("kb.migrations.0002_schedule").create(apps, None)

    task.refresh_from_db()
    assert not task.enabled


@pytest.mark.django_db
def test_the_backfill_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        item(f"Item {number}", embedded=False)
    call_command("backfill_embeddings", "--limit=2", "--batch-size=1")
    call_command("backfill_embeddings")
    call_command("backfill_embeddings", "--model-changed")
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "2 items embedded (2 sections), 1 left.",
        "1 items embedded (1 sections), 0 left.",
        "0 items embedded (0 sections), 0 left.",
    ]
    assert err == ""


@pytest.mark.django_db
def test_the_backfill_fails_in_one_line(settings: Settings) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Switched"
    Switched.down = True
    item("One", embedded=False)
    try:
        with pytest.raises(CommandError) as failure:
            call_command("backfill_embeddings")
    finally:
        Switched.down = False
    assert str(failure.value) == (
        "The embedding provider fails (HTTP 503). What was embedded is kept; run the "
        "command again."
    )
    assert failure.value.returncode == 1


@pytest.mark.parametrize("wrong", ["--limit=0", "--batch-size=-1", "--limit=x"])
def test_the_backfill_refuses_numbers_that_make_no_sense(wrong: str) -> None:
    with pytest.raises(CommandError):
        call_command("backfill_embeddings", wrong)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, []),
        ({"EMBEDDING_QUERY_TIMEOUT": 5.0}, ["kb.E001"]),
        ({"EMBEDDING_QUERY_TIMEOUT": 0.0}, ["kb.E001"]),
        ({"EMBEDDING_BATCH_SIZE": 0}, ["kb.E002"]),
        ({"OPENAI_API_KEY": "x", "EMBEDDING_MODEL": " "}, ["kb.E003"]),
        ({"OPENAI_API_KEY": "x", "EMBEDDING_DIMENSIONS": 3072}, ["kb.E004"]),
        ({"OPENAI_BASE_URL": "localhost:11434/v1"}, ["kb.E005"]),
        ({"OPENAI_BASE_URL": "http://localhost/v1"}, []),
        ({"OPENAI_API_KEY": "x", "LOCAL_MODEL_DIR": "/x"}, ["kb.W001"]),
        ({"LOCAL_MODEL_DIR": "/nowhere"}, ["kb.E006"]),
    ],
)
def test_settings_that_do_not_fit_together_are_told_at_start(
    settings: Settings, values: dict[str, Any], found: list[str]
) -> None:
    settings.EMBEDDER = ""
    for name, value in values.items():
        setattr(settings, name, value)
    assert [message.id for message in check_embeddings(None)] == found


def test_names_of_recipes_fit_and_differ_however_long() -> None:
    names = {
        Recipe("m" * 300, 1024, query_prefix=prefix).name for prefix in ("a", "b", "")
    }
    assert len(names) == 3
    assert {len(name) for name in names} == {RECIPE_NAME}
